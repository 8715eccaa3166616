"""A proxy to named package indexes, the only way from a build's box to a network.

A box has no network. If the server names indexes, a build's box gets the Unix socket of this proxy, and `forwarder`
offers it to the tools of the build as an ordinary HTTPS proxy. The proxy understands CONNECT alone, and connects only
to port 443 of the named hosts. What the tools send has to begin with TLS for the same name: behind the address of an
index are all other sites of its network. The proxy sees nothing else, since TLS ends in the tools.
"""

import asyncio
import contextlib
from collections.abc import Callable, Collection
from pathlib import Path
from types import TracebackType
from typing import Final, Self

HTTPS_PORT: Final = 443
MAX_HEAD_BYTES: Final = 8 * 1024
"""The most bytes of a request before its connection begins."""
HEAD_TIME_S: Final = 10.0
CONNECT_TIME_S: Final = 20.0
HELLO_TIME_S: Final = 60.0
"""How long a tool may keep a connection before it uses it."""
MAX_CONNECTIONS: Final = 64
MAX_BYTES: Final = 2 << 30
"""The most bytes of one build in both directions together."""
_CHUNK_BYTES: Final = 64 * 1024
MAX_HELLO_BYTES: Final = 16 * 1024
"""The most bytes of a ClientHello, with which TLS begins (RFC 8446, section 4.1.2).

With keys for quantum computers and a resumed session it has about 4,000.
"""

_HANDSHAKE: Final = 22
_CLIENT_HELLO: Final = 1
_SERVER_NAME: Final = 0
_ENCRYPTED_HELLO: Final = 0xFE0D
_HOST_NAME: Final = 0


class IndexProxy:
    """The proxy of one build, as an asynchronous context manager that listens on a Unix socket."""

    def __init__(
        self,
        hosts: Collection[str],
        socket: Path,
        report: Callable[[str], None],
        *,
        port: int = HTTPS_PORT,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """`hosts` are names in small letters. `report` is called with a sentence for each request that is refused."""
        self._hosts = frozenset(hosts)
        self._socket = socket
        self._report = report
        self._port = port
        self._left = max_bytes
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_unix_server(self._accept, self._socket, limit=MAX_HEAD_BYTES)
        self._socket.chmod(0o666)  # the box is another user; its folder is private
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        self._socket.unlink(missing_ok=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if len(self._connections) > MAX_CONNECTIONS:
                await self._refuse(writer, 503, f"a build has at most {MAX_CONNECTIONS} connections at a time")
                return
            with contextlib.suppress(OSError, TimeoutError):
                await self._serve(reader, writer)
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(HEAD_TIME_S):
                head = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            await self._refuse(writer, 400, "a request to the package indexes was no HTTP")
            return
        words = head.split(b"\r\n", 1)[0].decode("latin-1").split()
        if len(words) != 3 or words[0] != "CONNECT":
            await self._refuse(writer, 405, "only HTTPS reaches the package indexes")
            return
        host, _, port = words[1].rpartition(":")
        if host.lower() not in self._hosts or port != str(self._port):
            allowed = ", ".join(sorted(self._hosts))
            await self._refuse(writer, 403, f"builds may not connect to {words[1][:200]!r}, only to {allowed}")
            return
        try:
            async with asyncio.timeout(CONNECT_TIME_S):
                inner, outer = await asyncio.open_connection(host, self._port, limit=_CHUNK_BYTES)
        except (OSError, TimeoutError) as error:
            await self._refuse(writer, 502, f"{host} cannot be reached ({str(error) or 'no answer'})")
            return
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        try:
            if await self._pass_hello(host.lower(), reader, outer):
                await asyncio.gather(self._copy(reader, outer), self._copy(inner, writer))
        finally:
            outer.close()

    async def _pass_hello(self, host: str, reader: asyncio.StreamReader, outer: asyncio.StreamWriter) -> bool:
        """Pass the beginning of TLS for this host on. For anything else, pass nothing on and return False."""
        try:
            async with asyncio.timeout(HELLO_TIME_S):
                hello, name = await read_client_hello(reader)
        except asyncio.IncompleteReadError:  # the tool has ended, perhaps without a byte
            return False
        except NoTlsError:
            self._report(f"a build sent something to {host} that is not TLS, or hides the name that it wants")
            return False
        if name != host:
            self._report(f"a build wanted {name[:200]!r} from {host}: only {host} is allowed there")
            return False
        self._left -= len(hello)
        outer.write(hello)
        await outer.drain()
        return True

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Copy until the sender ends, or until the build has used up its bytes."""
        while chunk := await reader.read(_CHUNK_BYTES):
            self._left -= len(chunk)
            if self._left < 0:
                self._report("the build has moved more bytes than a build may")
                raise ConnectionAbortedError
            writer.write(chunk)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()

    async def _refuse(self, writer: asyncio.StreamWriter, code: int, sentence: str) -> None:
        self._report(sentence)
        body = f"{sentence}\n".encode()
        writer.write(
            b"HTTP/1.1 %d Refused\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (code, len(body), body)
        )
        with contextlib.suppress(OSError):
            await writer.drain()


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
