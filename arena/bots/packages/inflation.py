"""Reads the bytes of a tar archive out of a file that may be compressed with gzip, and stops at a limit."""

import zlib
from typing import Final, Protocol

from arena.bots.packages.rules import PACKING_ADVICE, PackageLimits, Rule, format_size
from arena.errors import PackageRefusedError

_CHUNK_BYTES: Final = 64 * 1024
_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZIP_MAGIC: Final = b"PK"
_OVERHEAD_A_FILE: Final = 8 * 1024
"""Bytes of an archive for each file beside its content: headers, a long name, padding, the headers of its folders."""


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
            raise PackageRefusedError(Rule.TOO_LARGE, f"the archive is too large: {allowed} are allowed")
        return raw
