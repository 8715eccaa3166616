"""Reads a tar archive (POSIX ustar, or GNU tar) without trusting anything in it. Gzip may have compressed it.

It knows files, folders, links and GNU's long names. It refuses all that an author of a package cannot need: hard links,
devices, pipes, sparse files, the extended headers of pax, and sizes that are not octal. The format is described in
IEEE 1003.1, pax, "ustar Interchange Format", and in the manual of GNU tar, "Basic Tar Format".
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, Protocol

from arena.bots.packages.rules import PACKING_ADVICE, PackageLimits, Rule, format_size
from arena.errors import PackageRefusedError

_BLOCK: Final = 512
_CHUNK_BYTES: Final = 64 * 1024
_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZIP_MAGIC: Final = b"PK"
_OVERHEAD_A_FILE: Final = 8 * 1024
"""Bytes of an archive for each file beside its content: headers, a long name, padding, the headers of its folders."""
_MAX_PADDING: Final = 1 << 20
"""The most zeros after the end of an archive. Programs fill the last record with zeros."""
_MAX_LONG_NAME: Final = 4096
_SPECIAL_BITS: Final = 0o7000
"""Set-uid, set-gid and sticky."""

_REFUSED_TYPES: Final = {
    b"1": (Rule.LINK, "is a hard link"),
    b"3": (Rule.SPECIAL_FILE, "is a device"),
    b"4": (Rule.SPECIAL_FILE, "is a device"),
    b"6": (Rule.SPECIAL_FILE, "is a pipe"),
    b"S": (Rule.EXTENSION, "is a sparse file"),
    b"x": (Rule.EXTENSION, "has a header of pax"),
    b"g": (Rule.EXTENSION, "has a header of pax"),
}


class ByteSource(Protocol):
    """Reads bytes in order."""

    def read(self, count: int, /) -> bytes:
        """Return at most `count` bytes; none at the end."""


class InflatedBytes:
    """The bytes of a tar archive, whether or not gzip compressed them."""

    def __init__(self, source: ByteSource, limits: PackageLimits) -> None:
        self._source = source
        self._limits = limits
        self._read_count = 0
        self._left = limits.unpacked_bytes + limits.files * _OVERHEAD_A_FILE + _CHUNK_BYTES
        first = self._read_raw()
        if first.startswith(_ZIP_MAGIC):
            raise PackageRefusedError(Rule.DAMAGED, f"this is a zip archive: {PACKING_ADVICE}")
        self._inflater = zlib.decompressobj(wbits=31) if first.startswith(_GZIP_MAGIC) else None
        self._raw = first
        self._buffer = bytearray()

    def read(self, count: int) -> bytes:
        """Return `count` bytes; fewer at the end.

        Raises PackageRefusedError if the archive is damaged, or if it or its content is too large.
        """
        while len(self._buffer) < count:
            more = self._read_more()
            if not more:
                break
            self._left -= len(more)
            if self._left < 0:
                allowed = f"it unpacks to more than {format_size(self._limits.unpacked_bytes)}"
                raise PackageRefusedError(Rule.TOO_LARGE, f"the package is too large: {allowed}")
            self._buffer += more
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def _read_more(self) -> bytes:
        """Return the next bytes; none at the end."""
        if self._inflater is None:
            taken, self._raw = self._raw, b""
            return taken or self._read_raw()
        while not self._inflater.eof:
            data = self._raw or self._read_raw()
            try:
                more = self._inflater.decompress(data, _CHUNK_BYTES)
            except zlib.error as error:
                raise PackageRefusedError(Rule.DAMAGED, f"the archive is damaged: {error}") from error
            self._raw = self._inflater.unconsumed_tail
            if more:
                return more
            if not data:
                raise PackageRefusedError(Rule.DAMAGED, "the archive is damaged: it ends too early")
        if self._inflater.unused_data or self._read_raw():
            raise PackageRefusedError(Rule.TRAILING_DATA, "the file goes on after the end of the archive")
        return b""

    def _read_raw(self) -> bytes:
        raw = self._source.read(_CHUNK_BYTES)
        self._read_count += len(raw)
        if self._read_count > self._limits.archive_bytes:
            allowed = format_size(self._limits.archive_bytes)
            raise PackageRefusedError(Rule.TOO_LARGE, f"the archive is too large: at most {allowed}")
        return raw


class EntryKind(Enum):
    FILE = auto()
    FOLDER = auto()
    LINK = auto()
    """A symbolic link."""


@dataclass(frozen=True, slots=True)
class TarEntry:
    """An entry of an archive, as its header describes it. Its path is not checked yet."""

    path: str
    kind: EntryKind
    is_program: bool
    """Whether its owner may execute it."""
    size: int
    target: str = ""
    """Where a link leads."""


def read_entries(source: InflatedBytes, limits: PackageLimits) -> Iterator[tuple[TarEntry, Iterator[bytes]]]:
    """Yield each entry with its content in chunks. Read each content before you take the next entry.

    Raises PackageRefusedError if the archive is damaged, too large, or uses an extension of tar.
    """
    long_name, long_target, left = "", "", limits.unpacked_bytes
    while True:
        block = _read_exactly(source, _BLOCK)
        if not block.strip(b"\0"):
            break
        _check_header(block)
        kind, size = block[156:157], _parse_octal(block[124:136])
        if kind in (b"L", b"K"):
            if long_name if kind == b"L" else long_target:  # otherwise there could be any number of them
                raise PackageRefusedError(Rule.EXTENSION, "the archive has two long names for one entry")
            text = _read_long_name(source, size)
            long_name, long_target = (text, long_target) if kind == b"L" else (long_name, text)
            continue
        entry = _parse_entry(block, long_name, long_target, size)
        long_name, long_target = "", ""
        left -= entry.size
        if left < 0:
            allowed = f"at most {format_size(limits.unpacked_bytes)}"
            raise PackageRefusedError(Rule.TOO_LARGE, f"the files are too large, up to {entry.path!r}: {allowed}")
        yield entry, _read_content(source, entry.size)
    _check_end(source)


def _parse_entry(block: bytes, long_name: str, long_target: str, size: int) -> TarEntry:
    path = long_name or _parse_path(block)
    kind = block[156:157]
    if kind in _REFUSED_TYPES:
        rule, what = _REFUSED_TYPES[kind]
        raise PackageRefusedError(rule, f"the entry {path!r} {what}: {PACKING_ADVICE}")
    mode = _parse_octal(block[100:108])
    if mode & _SPECIAL_BITS:
        raise PackageRefusedError(Rule.SPECIAL_MODE, f"the entry {path!r} is set-uid, set-gid or sticky")
    match kind:
        case b"0" | b"\0":
            return TarEntry(path, EntryKind.FILE, bool(mode & 0o100), size)
        case b"5" if not size:
            return TarEntry(path.rstrip("/"), EntryKind.FOLDER, is_program=False, size=0)
        case b"2" if not size:
            target = long_target or _decode(block[157:257])
            return TarEntry(path, EntryKind.LINK, is_program=False, size=0, target=target)
        case _:
            raise PackageRefusedError(Rule.EXTENSION, f"the entry {path!r} is of an unknown kind")


def _check_header(block: bytes) -> None:
    """Raise PackageRefusedError if a block is not the header of an entry."""
    if block[257:262] != b"ustar":
        raise PackageRefusedError(Rule.DAMAGED, "this is no tar archive, or it is damaged")
    expected = sum(block[:148]) + 8 * ord(" ") + sum(block[156:])
    if _parse_octal(block[148:156]) != expected:
        raise PackageRefusedError(Rule.DAMAGED, "the archive is damaged: the checksum of a header is wrong")


def _parse_path(block: bytes) -> str:
    """Return the path in a header. In the headers of GNU tar, other values stand where POSIX has the first folders."""
    is_posix = block[257:263] == b"ustar\0"
    prefix = _decode(block[345:500]) if is_posix else ""
    name = _decode(block[:100])
    return f"{prefix}/{name}" if prefix else name


def _parse_octal(field: bytes) -> int:
    """Return a number of a header. GNU tar writes very large numbers in another way, which is refused."""
    text = field.strip(b" \0")
    if field[0] & 0x80:
        raise PackageRefusedError(Rule.EXTENSION, "the archive has a number that is not octal")
    if text.strip(b"01234567"):
        raise PackageRefusedError(Rule.DAMAGED, "the archive is damaged: a number in a header is wrong")
    return int(text or b"0", 8)


def _decode(field: bytes) -> str:
    """Return the text before the first NUL."""
    raw = field.partition(b"\0")[0]
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PackageRefusedError(Rule.NAME, f"the name {raw!r} is not UTF-8") from error


def _read_long_name(source: InflatedBytes, size: int) -> str:
    if not 1 <= size <= _MAX_LONG_NAME:
        raise PackageRefusedError(Rule.NAME_TOO_LONG, f"a name in the archive has {size} bytes")
    return _decode(b"".join(_read_content(source, size)))


def _read_content(source: InflatedBytes, size: int) -> Iterator[bytes]:
    """Yield the content of an entry, and skip what fills its last block."""
    left = size
    while left:
        chunk = _read_exactly(source, min(left, _CHUNK_BYTES))
        left -= len(chunk)
        yield chunk
    _read_exactly(source, -size % _BLOCK)


def _read_exactly(source: InflatedBytes, count: int) -> bytes:
    data = source.read(count)
    if len(data) < count:
        raise PackageRefusedError(Rule.DAMAGED, "the archive is damaged: it ends too early")
    return data


def _check_end(source: InflatedBytes) -> None:
    """Raise PackageRefusedError if anything but a few zeros follows the first block of zeros."""
    left = _MAX_PADDING
    while chunk := source.read(_CHUNK_BYTES):
        left -= len(chunk)
        if chunk.strip(b"\0") or left < 0:
            raise PackageRefusedError(Rule.TRAILING_DATA, "the archive goes on after its end")
