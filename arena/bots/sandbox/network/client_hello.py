"""Reads the ClientHello with which a TLS connection begins (RFC 8446, section 4.1.2), for the name in it."""

import asyncio
from typing import Final

MAX_HELLO_BYTES: Final = 16 * 1024
"""The most bytes of a ClientHello. With keys for quantum computers and a resumed session it has about 4,000."""

_HANDSHAKE: Final = 22
_CLIENT_HELLO: Final = 1
_SERVER_NAME: Final = 0
_ENCRYPTED_HELLO: Final = 0xFE0D
_HOST_NAME: Final = 0


class NoTlsError(Exception):
    """The bytes do not begin a TLS connection, or hide its name."""


async def read_client_hello(reader: asyncio.StreamReader) -> tuple[bytes, str]:
    """Return the records with a ClientHello as they arrived, and the name that they ask for, in small letters.

    Raises NoTlsError, also for a hello without a name or with an encrypted one (RFC 9849), and IncompleteReadError.
    """
    records, message = b"", b""
    while len(message) < 4 or len(message) < 4 + int.from_bytes(message[1:4]):
        head = await reader.readexactly(5)
        length = int.from_bytes(head[3:])
        if head[0] != _HANDSHAKE or head[1] != 3 or not length or len(message) + length > MAX_HELLO_BYTES:
            raise NoTlsError
        body = await reader.readexactly(length)
        records, message = records + head + body, message + body
        if message[0] != _CLIENT_HELLO:
            raise NoTlsError
    return records, _read_name(_Bytes(message[4:]))


def _read_name(hello: "_Bytes") -> str:
    hello.take(2 + 32)  # version and random
    hello.take_vector(1)  # session
    hello.take_vector(2)  # ciphers
    hello.take_vector(1)  # compression
    extensions, names = _Bytes(hello.take_vector(2)), list[bytes]()
    while extensions:
        kind, content = int.from_bytes(extensions.take(2)), _Bytes(extensions.take_vector(2))
        if kind == _ENCRYPTED_HELLO:
            raise NoTlsError
        if kind == _SERVER_NAME:
            entries = _Bytes(content.take_vector(2))
            while entries:
                if entries.take(1)[0] != _HOST_NAME:
                    raise NoTlsError
                names.append(entries.take_vector(2))
    if hello or len(names) != 1 or not names[0].isascii():
        raise NoTlsError
    return names[0].decode().lower()


class _Bytes:
    """What is left of some bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __bool__(self) -> bool:
        return bool(self._data)

    def take(self, count: int) -> bytes:
        """Return the next bytes. Raises NoTlsError if there are fewer."""
        taken, self._data = self._data[:count], self._data[count:]
        if len(taken) < count:
            raise NoTlsError
        return taken

    def take_vector(self, length_bytes: int) -> bytes:
        """Return the bytes that follow a length of `length_bytes` bytes. Raises NoTlsError if there are fewer."""
        return self.take(int.from_bytes(self.take(length_bytes)))
