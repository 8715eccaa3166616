"""Checks the paths in a package: each on its own, and all of them together."""

import unicodedata

from arena.bots.packages.rules import PackageLimits, Rule
from arena.errors import PackageRefusedError
from arena.names import fold_look_alikes, has_hidden_characters, has_mixed_scripts


def check_path(path: str, limits: PackageLimits) -> tuple[str, ...]:
    """Return the parts of a relative path. Raises PackageRefusedError if the path breaks a rule."""
    parts = tuple(path.split("/"))
    if path.startswith("/") or ".." in parts:
        raise PackageRefusedError(Rule.PATH_LEAVES, f"the path {path!r} leaves the package")
    if len(_encode(path)) > limits.path_bytes or len(parts) > limits.depth:
        allowed = f"at most {limits.path_bytes} bytes and {limits.depth} parts"
        raise PackageRefusedError(Rule.NAME_TOO_LONG, f"the path {_shorten(path)!r} is too long: {allowed}")
    for name in parts:
        _check_name(name, path, limits)
    return parts


def _check_name(name: str, path: str, limits: PackageLimits) -> None:
    if len(_encode(name)) > limits.name_bytes:
        allowed = f"at most {limits.name_bytes} bytes"
        raise PackageRefusedError(Rule.NAME_TOO_LONG, f"the name {_shorten(name)!r} is too long: {allowed}")
    if name in ("", "."):
        raise PackageRefusedError(Rule.NAME, f"the path {path!r} has an empty part")
    if not _is_utf8(name):
        raise PackageRefusedError(Rule.NAME, f"the path {_encode(path)!r} is not UTF-8")
    if has_hidden_characters(name):
        raise PackageRefusedError(Rule.NAME, f"the path {path!r} has characters that are not shown")
    if not limits.is_for_readers:
        return
    if "\\" in name or ":" in name or name != name.strip(" "):
        raise PackageRefusedError(Rule.NAME, f"the path {path!r} has a backslash, a colon or a space at an end")
    if not unicodedata.is_normalized("NFC", name):
        raise PackageRefusedError(Rule.NAME, f"the path {path!r} has letters in parts: expected the form NFC")
    if has_mixed_scripts(name):
        raise PackageRefusedError(Rule.NAME, f"the path {path!r} has letters of several scripts in one name")


class PathSet:
    """The paths of a package so far: no path occurs twice, and no two names in a folder look alike.

    There may be as many folders as files. A path of a file alone can name many of them.
    """

    def __init__(self, limits: PackageLimits) -> None:
        self._limits = limits
        self._leaves = set[tuple[str, ...]]()
        self._folders = set[tuple[str, ...]]()
        self._spellings = dict[tuple[tuple[str, ...], str], str]()
        """The name in each folder for each folded form."""

    def add_leaf(self, parts: tuple[str, ...]) -> None:
        """Add a file or link. Raises PackageRefusedError if it collides with an earlier path."""
        self.add_folder(parts[:-1])
        if parts in self._leaves or parts in self._folders:
            raise PackageRefusedError(Rule.DUPLICATE, f"the path {'/'.join(parts)!r} occurs twice")
        self._add(self._leaves, parts)

    def add_folder(self, parts: tuple[str, ...]) -> None:
        """Add a folder and those above it, which may occur often.

        Raises PackageRefusedError if one of them collides with an earlier path, or if there are too many.
        """
        for end in range(1, len(parts) + 1):
            folder = parts[:end]
            if folder in self._leaves:
                raise PackageRefusedError(Rule.DUPLICATE, f"the path {'/'.join(folder)!r} is a file and a folder")
            if folder not in self._folders:
                if len(self._folders) >= self._limits.files:
                    allowed = f"at most {self._limits.files:,}"
                    raise PackageRefusedError(Rule.TOO_MANY_FILES, f"the package has too many folders: {allowed}")
                self._add(self._folders, folder)

    def _add(self, places: set[tuple[str, ...]], parts: tuple[str, ...]) -> None:
        places.add(parts)
        if self._limits.is_for_readers:
            self._refuse_look_alike(parts[:-1], parts[-1])

    def _refuse_look_alike(self, folder: tuple[str, ...], name: str) -> None:
        """Raise PackageRefusedError if another name in the folder differs in capitals alone, or looks like this one.

        Names in plain ASCII look alike only if they differ in capitals alone: files are often named by numbers or
        hashes, such as `part-1` and `part-l`.
        """
        for form in (name.casefold(), f"\0{fold_look_alikes(name)}"):
            other = self._spellings.setdefault((folder, form), name)
            if other != name and not (form.startswith("\0") and name.isascii() and other.isascii()):
                place = "/".join((*folder, name))
                raise PackageRefusedError(Rule.LOOK_ALIKE, f"the path {place!r} looks like {other!r} beside it")


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def _is_utf8(text: str) -> bool:
    """Return whether a name was read as UTF-8. A file system may have any bytes."""
    return _encode(text) == text.encode(errors="replace")


def _encode(text: str) -> bytes:
    """Return the bytes of a name, which may come from a file system that knows no UTF-8."""
    return text.encode(errors="surrogateescape")
