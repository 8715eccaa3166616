"""Tells whether the arena runs compiled, and refuses to run if compiled files do not belong to the sources.

A compiled wheel has a compiled file beside each compiled source. The folder of the package has `compiled.json` with the
hashes of these sources. Python prefers compiled files, so without this check a change of a source would have no effect.
"""

import hashlib
import importlib.machinery
import importlib.util
import json
import platform
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.errors import EnvironmentFaultError

_ARENA: Final = Path(__file__).resolve().parent
_SDK: Final = "cheatarena"
_OPTIMISED: Final = ("--enable-optimizations", "-fprofile-use", "--with-wheel-pkg-dir=/usr/share/python-wheels")
"""Words in the configuration of a CPython that was built with profile-guided optimisation.

The last one marks the builds of Debian and Ubuntu, whose configuration does not mention the optimisation.
"""


@dataclass(frozen=True, slots=True)
class CompiledBuild:
    """What the `compiled.json` of a package says."""

    compiler: str
    sources: Mapping[str, str]
    """The SHA-256 of each compiled source, by its path relative to the folder that contains the package."""


def read_compiled_build(package: Path = _ARENA) -> CompiledBuild | None:
    """Return which sources of a package were compiled; None if there are no compiled files, so the sources run."""
    manifest = package / "compiled.json"
    if not manifest.exists():
        return None
    values = json.loads(manifest.read_text(encoding="utf-8"))
    build = CompiledBuild(values["compiler"], values["sources"])
    return build if any(_has_library(package.parent / source) for source in build.sources) else None


def check_compiled_builds() -> None:
    """Raise EnvironmentFaultError if a compiled source of the arena or the SDK is not the one that was compiled.

    Only commands of the arena call this. A bot that runs alone starts faster without it, and its SDK comes from a
    wheel, whose files an installer replaces together.
    """
    check_compiled_build(_ARENA)
    found = importlib.util.find_spec(_SDK)  # this does not import it
    if found is not None and found.origin is not None:
        check_compiled_build(Path(found.origin).resolve().parent)


def check_compiled_build(package: Path) -> None:
    """Raise EnvironmentFaultError if a compiled source of a package is not the one that was compiled.

    It is also raised if some compiled files are missing, because they run only together.
    """
    build = read_compiled_build(package)
    if build is None:
        return
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    for source in (*build.sources, f"{package.name}__mypyc.py"):  # the last one is the library that all share
        path = package.parent / source
        if not _has_library(path):
            raise EnvironmentFaultError(
                f"the compiled file {path.with_suffix(suffix)} is missing, but others are there. Install the wheel "
                f"again, or delete all files *{suffix} in the folders of {package} to run the sources"
            )
    for source, expected in build.sources.items():
        path = package.parent / source
        if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            raise EnvironmentFaultError(
                f"the compiled files in {package} belong to other sources: {source} has changed. Build the wheel "
                f"again, or delete all files *{suffix} in its folders to run the sources"
            )


def describe_build() -> str:
    """Return which build of the arena runs, and on which Python."""
    build = read_compiled_build()
    kind = "plain Python" if build is None else f"compiled by {build.compiler}"
    words = " ".join(str(sysconfig.get_config_var(name)) for name in ("CONFIG_ARGS", "PY_CFLAGS_NODIST"))
    optimised = "optimised" if any(word in words for word in _OPTIMISED) else "not optimised"
    return f"{kind}, {platform.python_implementation()} {platform.python_version()} ({optimised})"


def _has_library(source: Path) -> bool:
    return any(source.with_suffix(suffix).exists() for suffix in importlib.machinery.EXTENSION_SUFFIXES)
