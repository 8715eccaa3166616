"""What has to be equal on two machines, so that a node of one can serve a runner on the other."""

import hashlib
import importlib.util
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import arena


@dataclass(frozen=True, slots=True)
class Machine:
    python: str
    """Version, without its last part: "3.11"."""
    system: str
    """System and processor: "Linux x86_64"."""
    build: str
    """The hash of the sources of the arena and its SDK."""

    @classmethod
    def describe(cls) -> Self:
        version = ".".join(platform.python_version_tuple()[:2])
        return cls(version, f"{platform.system()} {platform.machine()}", _hash_sources())

    def find_difference(self, other: Self) -> str:
        """Return how another machine differs from this one, as a predicate; empty if it does not."""
        if other.python != self.python:
            return f"has Python {other.python}, and this machine {self.python}"
        if other.system != self.system:
            return f"is {other.system}, and this machine {self.system}"
        return "" if other.build == self.build else "has another version of the arena than this machine"


def _hash_sources() -> str:
    digest = hashlib.sha256()
    for package in (Path(arena.__file__).parent, _find_sdk()):
        for path in sorted(package.rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _find_sdk() -> Path:
    spec = importlib.util.find_spec("cheatarena")
    assert spec is not None, "the arena is installed with its SDK"
    assert spec.origin is not None, "the SDK is a package with an __init__.py"
    return Path(spec.origin).parent
