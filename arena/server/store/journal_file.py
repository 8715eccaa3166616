"""The journal on disk: an append-only file of groups, in which a torn end can be told from damage.

    file    = "ARENAJRN" | version u32 | group …
    group   = header | payload
    header  = "GRUP" | payload length u32 | record count u32 | payload crc32 u32 | chain 32 bytes | header crc32 u32
    payload = length u32 of each record … | the records …

    chain   = SHA-256(chain of the group before | payload); the first group uses SHA-256(first 12 bytes of the file)

Numbers are little-endian. The chain shows whether a group was changed, moved or left out. The crc32 of the header
covers the header's other fields, so that the length can be trusted.

This module does not interpret records.
"""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import IO, Final, NamedTuple

from arena.errors import JournalError
from arena.server.store.packed_journals import open_journal

_FILE_START: Final = b"ARENAJRN" + struct.pack("<I", 1)
_GROUP_MAGIC: Final = b"GRUP"
_HEADER_FIELDS: Final = struct.Struct("<4sIII32s")
_CRC: Final = struct.Struct("<I")
_HEADER_SIZE: Final = _HEADER_FIELDS.size + _CRC.size


class JournalFile:
    """Appends records to a new file, group by group; implements the `Journal` port.

    Raises JournalError if the file exists or cannot be created.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            self._file = os.open(path, flags, 0o600)
        except OSError as error:
            raise JournalError(f"cannot create the journal {path}: {error.strerror}") from error
        self._records: list[bytes] = []
        self._chain = sha256(_FILE_START).digest()
        self._whole_size = 0
        """Bytes up to the end of the last whole group."""
        self._has_torn_tail = False
        """Whether there may be bytes after the last whole group."""
        self._is_open = True
        try:
            self._write(_FILE_START)
        except JournalError:
            os.close(self._file)
            path.unlink(missing_ok=True)
            raise

    def append(self, record: bytes) -> None:
        """Add a record to the current group. Nothing is written yet."""
        self._records.append(record)

    def flush(self) -> None:
        """Hand the current group to the operating system.

        Raises JournalError if it cannot be written. The file then ends with the last whole group, the current group
        stays in memory, and `flush` may be called again.
        """
        if not self._records:
            return
        group, chain = _pack_group(self._records, self._chain)
        self._write(group)
        self._chain = chain
        self._on_group_written()
        self._records.clear()

    def close(self) -> None:
        """Flush and close. A second call has no effect. Raises JournalError if the last group cannot be written."""
        if not self._is_open:
            return
        try:
            self.flush()
        finally:
            self._is_open = False
            os.close(self._file)

    def _on_group_written(self) -> None:
        """Do nothing. A subclass learns here that the operating system has the current records."""

    def _write(self, data: bytes) -> None:
        """Write all of the data. If the write fails, remove the part that was written, as far as the disk allows."""
        if not self._is_open:
            raise JournalError(f"the journal {self.path} is closed")
        try:
            self._truncate_torn_tail()
            self._has_torn_tail = True  # stays true if anything interrupts the write, even Ctrl-C
            written = os.write(self._file, data)
            while written < len(data):
                written += os.write(self._file, memoryview(data)[written:])
        except OSError as error:
            with suppress(OSError):  # the next write tries again
                self._truncate_torn_tail()
            raise JournalError(f"the journal {self.path} cannot be written: {error.strerror}") from error
        self._whole_size += len(data)
        self._has_torn_tail = False

    def _truncate_torn_tail(self) -> None:
        """Remove what an interrupted write left after the last whole group."""
        if self._has_torn_tail:
            os.ftruncate(self._file, self._whole_size)
            self._has_torn_tail = False


def _pack_group(records: list[bytes], chain: bytes) -> tuple[bytes, bytes]:
    """Return a group of these records, and its chain. `chain` is the chain of the group before."""
    payload = struct.pack(f"<{len(records)}I", *map(len, records)) + b"".join(records)
    chain = sha256(chain + payload).digest()
    fields = _HEADER_FIELDS.pack(_GROUP_MAGIC, len(payload), len(records), zlib.crc32(payload), chain)
    return fields + _CRC.pack(zlib.crc32(fields)) + payload, chain


class _Header(NamedTuple):
    """A valid group header."""

    length: int
    record_count: int
    crc: int
    chain: bytes


class GroupPlace(NamedTuple):
    offset: int
    chain: bytes
    """The chain of the group before it."""


class JournalFileReader:
    """Reads the records of a journal in order, group by group, packed or not. The reader can be iterated only once.

    It yields records up to the last whole group and counts the torn bytes after that group. The file may still be
    written to: the reader sees the groups that are complete when it reads them.
    """

    def __init__(self, path: Path, start: GroupPlace | None = None) -> None:
        """Read from the group at `start` on; None for the beginning of the file."""
        self.path = path
        self.place = start
        """The place of the group whose records are being read, or at the end, the place of the next group. None before
        the first group."""
        self.dropped_byte_count = 0
        """Bytes after the last whole group, known after the iteration; 0 if the file ends with a whole group."""
        self._records = self._read()

    @property
    def has_torn_tail(self) -> bool:
        """Return whether bytes were dropped; known after the iteration."""
        return self.dropped_byte_count > 0

    def __iter__(self) -> Iterator[bytes]:
        return self._records

    def __next__(self) -> bytes:
        return next(self._records)

    def _read(self) -> Iterator[bytes]:
        try:
            file, size = open_journal(self.path)
            with file:
                yield from self._read_groups(file, size)
        except OSError as error:
            raise JournalError(f"the journal {self.path} cannot be read: {error.strerror}") from error
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise JournalError(f"the packed journal {self.path.name} is damaged: {error}") from error

    def _read_groups(self, file: IO[bytes], size: int) -> Iterator[bytes]:
        start = file.read(len(_FILE_START))
        if start != _FILE_START:
            if not _FILE_START.startswith(start):
                raise JournalError(f"{self.path} is not a journal that this version reads")
            self.dropped_byte_count = len(start)
            return
        self.place = self.place or GroupPlace(len(start), sha256(start).digest())
        offset, chain = self.place
        file.seek(offset)
        while offset < size:
            header = _parse_header(file.read(_HEADER_SIZE))
            payload = file.read(header.length) if header else b""
            end = offset + _HEADER_SIZE + len(payload)
            if header is None or zlib.crc32(payload) != header.crc:
                if end < size and (header or _has_whole_group(file, offset + 1)):
                    raise self._damage_error(offset, "a checksum is wrong")
                self.dropped_byte_count = size - offset
                return
            chain = sha256(chain + payload).digest()
            if chain != header.chain:
                raise self._damage_error(offset, "it does not follow the group before it")
            yield from self._split_payload(payload, header.record_count, offset)
            offset = end
            self.place = GroupPlace(offset, chain)

    def _split_payload(self, payload: bytes, count: int, offset: int) -> Iterator[bytes]:
        position = 4 * count
        lengths = struct.unpack_from(f"<{count}I", payload) if position <= len(payload) else ()
        if position + sum(lengths) != len(payload):
            raise self._damage_error(offset, "its records do not fill it")
        for length in lengths:
            yield payload[position : position + length]
            position += length

    def _damage_error(self, offset: int, what: str) -> JournalError:
        return JournalError(f"the journal {self.path} is damaged at byte {offset}: {what}")


def _parse_header(data: bytes) -> _Header | None:
    """Return a group's header; None if it is torn or damaged."""
    if len(data) < _HEADER_SIZE or not data.startswith(_GROUP_MAGIC):
        return None
    fields = data[: _HEADER_FIELDS.size]
    if zlib.crc32(fields) != _CRC.unpack_from(data, _HEADER_FIELDS.size)[0]:
        return None
    return _Header(*_HEADER_FIELDS.unpack(fields)[1:])


def _has_whole_group(file: IO[bytes], offset: int) -> bool:
    """Return whether a whole group follows after an offset. If so, the bytes before the group are damaged, not torn."""
    file.seek(offset)
    rest = file.read()
    start = rest.find(_GROUP_MAGIC)
    while start >= 0:
        header = _parse_header(rest[start : start + _HEADER_SIZE])
        body = start + _HEADER_SIZE
        if header and zlib.crc32(rest[body : body + header.length]) == header.crc:
            return True
        start = rest.find(_GROUP_MAGIC, start + 1)
    return False


def is_journal(path: Path) -> bool:
    """Return whether a file begins like a journal, or is empty or torn before its first record. Raises OSError."""
    with path.open("rb") as file:
        return _FILE_START.startswith(file.read(len(_FILE_START)))


def read_records(path: Path, start: GroupPlace | None = None) -> JournalFileReader:
    """Return a reader of a journal's records, from the group at `start` on, or from the beginning.

    Iterating raises JournalError if the file cannot be read, is not a journal, or has a damaged group before its end.
    The error names the offset of a damaged group.
    """
    return JournalFileReader(path, start)
