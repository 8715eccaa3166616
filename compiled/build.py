"""Makes a copy of the arena with its hot rooms compiled: `python -m compiled.build FOLDER [--wheel FOLDER]`.

The copy in FOLDER has the sources as they are, with a compiled file beside each compiled source. With ``--wheel``, a
wheel of the copy is built too, for this platform and this version of Python.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from compiled.modules import find_compiled_modules
from compiled.native_classes import Fields, rewrite_module

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parent
GROUP: Final = "arena"
"""The name of the shared library with all compiled modules: `arena__mypyc`."""
COPIED: Final = ("arena", "sample_bots/__init__.py", "sample_bots/python", "sample_bots/leagues")
"""What the copy has of the repository, beside the metadata."""
METADATA: Final = ("pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md")
_MYPY_OPTIONS: Final = """\
[mypy]
python_version = 3.11
explicit_package_bases = True
follow_imports = silent
"""
_WHEEL_OPTIONS: Final = """
[tool.hatch.build.hooks.custom]
path = "platform_wheel.py"
"""
"""Added to the copy's pyproject.toml, so that the wheel has the compiled files and the platform in its name."""


class EagerGeneratorError(Exception):
    """A compiled source has a generator expression that mypyc turns into a list. An endless one would never end."""


def build_copy(folder: Path) -> None:
    """Make the copy, and compile it. An earlier copy in the folder is replaced. Raises CalledProcessError."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in (*COPIED, *METADATA):
        _copy(ROOT / name, folder / name)
    modules = find_compiled_modules(folder / "arena")
    workshop = folder / "workshop"
    _copy(folder / "arena", workshop / "arena")
    _rewrite(workshop, modules)
    _compile(workshop, modules)
    for library in workshop.rglob("*.so" if os.name != "nt" else "*.pyd"):
        if "build" not in library.relative_to(workshop).parts:
            shutil.copy(library, folder / library.relative_to(workshop))
    shutil.copy(workshop / "arena" / "native_values.py", folder / "arena")
    shutil.rmtree(workshop)
    _write_manifest(folder, modules)


def build_wheel(copy: Path, folder: Path) -> None:
    """Build the wheel of a compiled copy into a folder. Raises CalledProcessError."""
    project = copy / "pyproject.toml"
    project.write_text(project.read_text(encoding="utf-8") + _WHEEL_OPTIONS, encoding="utf-8")
    shutil.copy(HERE / "platform_wheel.py", copy)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder.resolve())]
    subprocess.run(command, cwd=copy, check=True)  # noqa: S603  our own words


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    else:
        shutil.copy(source, target)


def _rewrite(workshop: Path, modules: Sequence[Path]) -> None:
    """Rewrite the dataclasses of the modules in place. Bases come before their heirs, as `rules` comes first."""
    known: dict[str, Fields] = {}
    for module in sorted(modules, key=lambda path: (path.parts[1] != "rules", path)):
        path = workshop / module
        path.write_text(rewrite_module(path.read_text(encoding="utf-8"), known), encoding="utf-8")
    shutil.copy(HERE / "native_values.py", workshop / "arena")
    (workshop / "mypy.ini").write_text(_MYPY_OPTIONS, encoding="utf-8")


def _compile(workshop: Path, modules: Sequence[Path]) -> None:
    """Compile the modules, each to a file beside its source."""
    program = (
        "import sys; from mypyc.build import mypycify; from setuptools import setup; names = sys.argv[1:]; "
        "sys.argv[1:] = ['--quiet', 'build_ext', '--inplace', '--parallel', '2']; "
        f"setup(name={GROUP!r}, ext_modules=mypycify(['--config-file=mypy.ini', *names], multi_file=True, "
        f"group_name={GROUP!r}, opt_level='3', debug_level='0'))"
    )
    environment = os.environ | {"MYPYPATH": str(ROOT / "sdk")}
    command = [sys.executable, "-c", program, *map(str, modules)]
    done = subprocess.run(command, cwd=workshop, env=environment, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603  our own words
    if eager := [line for line in done.stdout.splitlines() if "generator comprehension" in line]:
        raise EagerGeneratorError("\n".join(eager))


def _write_manifest(folder: Path, modules: Sequence[Path]) -> None:
    """Write which sources were compiled, each with its hash, and by which mypyc."""
    from mypy.version import __version__  # noqa: PLC0415  the hashes need no compiler

    hashes = {path.as_posix(): hashlib.sha256((folder / path).read_bytes()).hexdigest() for path in modules}
    manifest = {"compiler": f"mypyc {__version__}", "sources": hashes}
    (folder / "arena" / "compiled.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Read the command line, and build."""
    parser = argparse.ArgumentParser(prog="python -m compiled.build", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wheel", type=Path, metavar="FOLDER")
    wanted = parser.parse_args()
    build_copy(wanted.folder)
    if wanted.wheel is not None:
        build_wheel(wanted.folder, wanted.wheel)


if __name__ == "__main__":
    main()
