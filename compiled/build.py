"""Compiles modules of a package with mypyc. `build_hook` calls it when a wheel is built."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import version
from pathlib import Path
from typing import Final

from compiled.modules import ROOT, CompiledPackage
from compiled.native_classes import Fields, rewrite_module

HERE: Final = Path(__file__).resolve().parent
MANIFEST: Final = "compiled.json"
_MYPY_OPTIONS: Final = """\
[mypy]
python_version = 3.11
explicit_package_bases = True
follow_imports = silent
ignore_missing_imports = True
no_site_packages = True
"""
"""No installed package is read, so that the compiled files do not depend on the environment of the build."""


class CompileError(Exception):
    """A module cannot be compiled. The text is what mypyc said; what the C compiler said is on stderr."""


class EagerGeneratorError(Exception):
    """A compiled source has a generator expression that mypyc turns into a list. An endless one would never end."""


def compile_package(package: CompiledPackage, workshop: Path) -> Mapping[str, Path]:
    """Compile the modules of a package in an empty folder. Return the files to add to a wheel, by their place in it.

    These are the compiled files, which belong beside their sources, and the manifest with the hashes of the sources.
    Raises CompileError and EagerGeneratorError.
    """
    unwanted = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    shutil.copytree(package.parent / package.name, workshop / package.name, ignore=unwanted)
    has_rewritten = _rewrite(workshop, package)
    _compile(workshop, package)
    libraries = sorted(workshop.rglob(f"*{EXTENSION_SUFFIXES[0]}"))
    files = [path for path in libraries if path.relative_to(workshop).parts[0] != "build"]
    if has_rewritten:
        files.append(workshop / package.name / "native_values.py")
    files.append(_write_manifest(workshop, package))
    return {path.relative_to(workshop).as_posix(): path for path in files}


def _rewrite(workshop: Path, package: CompiledPackage) -> bool:
    """Rewrite the dataclasses of the modules in place, and return whether there are any."""
    known: dict[str, Fields] = {}
    for module in package.modules:
        path = workshop / module
        path.write_text(rewrite_module(path.read_text(encoding="utf-8"), known), encoding="utf-8")
    if known:
        shutil.copy(HERE / "native_values.py", workshop / package.name)
    (workshop / "mypy.ini").write_text(_MYPY_OPTIONS, encoding="utf-8")
    return bool(known)


def _compile(workshop: Path, package: CompiledPackage) -> None:
    """Compile the modules in place, at the level of optimisation that COMPILE_LEVEL names."""
    environment = dict(os.environ)
    if package.name != "cheatarena":  # the SDK must not be found a second time
        environment["MYPYPATH"] = str(ROOT / "sdk")
    level = os.environ.get("COMPILE_LEVEL", "3")
    command = [sys.executable, "-P", str(HERE / "translate.py"), package.name, level, *map(str, package.modules)]
    done = subprocess.run(command, cwd=workshop, env=environment, check=False, stdout=subprocess.PIPE, text=True)  # noqa: S603  our own words
    if done.returncode:
        raise CompileError(done.stdout)
    if eager := [line for line in done.stdout.splitlines() if "generator comprehension" in line]:
        raise EagerGeneratorError("\n".join(eager))


def _write_manifest(workshop: Path, package: CompiledPackage) -> Path:
    """Write the version of mypyc and the hash of each compiled source to a file, and return the file."""
    hashes = {
        path.as_posix(): hashlib.sha256((package.parent / path).read_bytes()).hexdigest() for path in package.modules
    }
    manifest = {"compiler": f"mypyc {version('mypy')}", "sources": hashes}
    file = workshop / package.name / MANIFEST
    file.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return file
