"""One viewer of a live table: the protocol of its connection, once the head of the answer is sent."""

import asyncio
import socket
from contextlib import suppress
from typing import Final, Protocol

from arena.web.live.event import Event

_KERNEL_BYTES: Final = 64 * 1024
"""Bytes that the operating system keeps for a viewer that does not read."""
_OWN_BYTES: Final = 32 * 1024
"""Bytes that this process keeps besides, and one event."""

_LAST_CHUNK: Final = b"0\r\n\r\n"


class ViewedTable(Protocol):
    def whole_event(self) -> Event:
        """Return the event that makes any page show the newest state."""

    def remove(self, viewer: "Viewer") -> None:
        """Forget a viewer that is gone."""


class Viewer(asyncio.Protocol):
    """Writes events to one connection. It keeps none: who does not read gets the newest state when they read again."""

    __slots__ = (
        "_is_behind",
        "_is_chunked",
        "_is_paused",
        "_loop",
        "_stall_s",
        "_stall_timer",
        "_table",
        "_transport",
        "address",
    )

    def __init__(self, table: ViewedTable, address: str, stall_s: float, *, is_chunked: bool) -> None:
        """`stall_s` is how long it may read nothing; `is_chunked` is whether its body is sent in chunks (HTTP/1.1)."""
        self.address = address
        self._table = table
        self._stall_s = stall_s
        self._is_chunked = is_chunked
        self._is_paused = self._is_behind = False
        self._stall_timer: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None

    def connect(self, transport: asyncio.Transport) -> None:
        self._transport, self._loop = transport, asyncio.get_running_loop()
        transport.set_write_buffer_limits(_OWN_BYTES)
        held: socket.socket | None = transport.get_extra_info("socket")
        if held is not None:
            with suppress(OSError):
                held.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _KERNEL_BYTES)
        transport.set_protocol(self)
        if transport.is_closing():
            self.connection_lost(None)

    def send(self, event: Event) -> None:
        """Send an event, or note that the viewer has missed one."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if self._is_paused:
            self._is_behind = True
        else:
            transport.write(event.chunk if self._is_chunked else event.plain)

    def close(self) -> None:
        """End the stream when everything is sent."""
        if self._transport is not None and not self._transport.is_closing():
            if self._is_chunked:
                self._transport.write(_LAST_CHUNK)
            self._transport.close()

    def data_received(self, _: bytes) -> None:
        """End the connection: after its request, a viewer has nothing to say."""
        if self._transport is not None:
            self._transport.abort()

    def pause_writing(self) -> None:
        self._is_paused = True
        if self._transport is not None:
            self._stall_timer = self._loop.call_later(self._stall_s, self._transport.abort)

    def resume_writing(self) -> None:
        self._is_paused = False
        self._stop_timer()
        if self._is_behind:
            self._is_behind = False
            self.send(self._table.whole_event())

    def connection_lost(self, _: Exception | None) -> None:
        self._transport = None
        self._stop_timer()
        self._table.remove(self)

    def _stop_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None
