"""Tells whether the arena runs compiled, and refuses to run if compiled files do not belong to the sources.

The compiled build puts a compiled file beside each compiled source, and `compiled.json` with their hashes beside this
module. Python prefers compiled files. So without this check, a change of a source would have no effect.
"""

import hashlib
import importlib.machinery
import json
import platform
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.errors import EnvironmentFaultError

_ARENA: Final = Path(__file__).resolve().parent
_OPTIMISED: Final = ("--enable-optimizations", "-fprofile-use", "--with-wheel-pkg-dir=/usr/share/python-wheels")
"""Words in the configuration of a CPython that was built with profile guidance.

The last one is in that of Debian and Ubuntu, which build so without saying it.
"""


@dataclass(frozen=True, slots=True)
class CompiledBuild:
    """What `compiled.json` says."""

    compiler: str
    sources: Mapping[str, str]
    """The SHA-256 of each compiled source, by its path relative to the folder that contains `arena`."""


def read_compiled_build(arena: Path = _ARENA) -> CompiledBuild | None:
    """Return what was compiled; None if the sources run, or if the compiled files were deleted."""
    manifest = arena / "compiled.json"
    if not manifest.exists():
        return None
    values = json.loads(manifest.read_text(encoding="utf-8"))
    build = CompiledBuild(values["compiler"], values["sources"])
    return build if any(_has_library(arena.parent / source) for source in build.sources) else None


def check_compiled_build(arena: Path = _ARENA) -> None:
    """Raise EnvironmentFaultError if a compiled source is not the one that was compiled."""
    build = read_compiled_build(arena)
    if build is None:
        return
    for source, expected in build.sources.items():
        path = arena.parent / source
        if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            raise EnvironmentFaultError(
                f"the compiled files in {arena} are of other sources: {source} has changed. Build the arena again, or "
                f"delete the files *{importlib.machinery.EXTENSION_SUFFIXES[0]} there to run the sources"
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
