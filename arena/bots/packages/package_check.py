"""Checks a package: finds its content hash, reads its `bot.toml`, and looks for the program to start.

The content hash is SHA-256 over the paths, modes and bytes of its files, in the order of their paths. How the files
were packed, their times and their owners do not count.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from arena.bots.launch.manifest import MANIFEST_NAME, Manifest, parse_manifest
from arena.bots.launch.programs import SCRIPT_NAME
from arena.bots.packages.rules import Rule
from arena.errors import NotationError, OptionsError, PackageRefusedError

_VERSION_PATTERN: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z._+-]{0,31}")
VERSION_RULE: Final = "1 to 32 letters, digits or . _ + -, with a letter or digit first"
_HASH_DOMAIN: Final = b"cheatarena package 1\0"


@dataclass(frozen=True, slots=True)
class HashedFile:
    """One file or link of a package, with the SHA-256 of its content; the content of a link is its target."""

    path: str
    mode: str
    """`file`, `program` for a file that can be executed, or `link`."""
    size: int
    """Bytes of the content."""
    digest: bytes


def hash_content(files: Iterable[HashedFile]) -> str:
    """Return the content hash in hex. The order of `files` does not count."""
    digest = hashlib.sha256(_HASH_DOMAIN)
    for file in sorted(files, key=lambda each: each.path.encode()):
        for part in (file.path.encode(), file.mode.encode(), file.digest):
            digest.update(len(part).to_bytes(4, "big") + part)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Package:
    """A package that follows the rules."""

    manifest: Manifest
    hash: str
    """The content hash, in hex."""
    file_count: int
    byte_count: int
    """Bytes of all files together."""


def is_valid_version(text: str) -> bool:
    """Return whether a text can be the version of a package."""
    return _VERSION_PATTERN.fullmatch(text) is not None


def check_manifest(data: bytes | None, files: Mapping[str, HashedFile]) -> Manifest:
    """Return the manifest of a package with these files by path. `data` is its `bot.toml`; None if there is none.

    Raises PackageRefusedError.
    """
    if data is None:
        inner = next((path for path in sorted(files) if path.endswith(f"/{MANIFEST_NAME}")), "")
        hint = f": {inner!r} is in a folder, so pack that folder" if inner else ""
        raise PackageRefusedError(Rule.MANIFEST, f"the package has no {MANIFEST_NAME} at its top{hint}")
    try:
        manifest = parse_manifest(data, MANIFEST_NAME)
    except (NotationError, OptionsError) as error:
        raise PackageRefusedError(Rule.MANIFEST, str(error)) from error
    if not is_valid_version(manifest.version):
        problem = f"`version = {manifest.version!r}` is refused" if manifest.version else "`version` is missing"
        _refuse(f"{problem}: a package has a version of {VERSION_RULE}")
    if manifest.command and not (manifest.language or manifest.image):
        _refuse("with a `command`, `language` or `image` has to say in which image the bot is built and runs")
    _check_program(manifest, files)
    return manifest


def _check_program(manifest: Manifest, files: Mapping[str, HashedFile]) -> None:
    """Raise PackageRefusedError if the program to start is missing. A build may still make it."""
    if manifest.build:
        return
    if not manifest.command and SCRIPT_NAME not in files:
        _refuse(f"there is neither a `command` nor the file {SCRIPT_NAME}")
    word = manifest.command[0] if manifest.command else ""
    if "/" not in word or word.startswith("/"):
        return  # a program of the image
    file = files.get(word.removeprefix("./"))
    if file is None:
        _refuse(f"the package has no program {word!r}, and no `build` that could make it")
    if file.mode != "program":
        _refuse(f"the program {word!r} is not executable (chmod +x)")


def _refuse(text: str) -> NoReturn:
    raise PackageRefusedError(Rule.MANIFEST, f"{MANIFEST_NAME}: {text}")
