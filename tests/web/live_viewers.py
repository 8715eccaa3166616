"""Viewers of live tables without a network: a match that a test plays, and connections that note what is written."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from typing import Any, Final

from arena.errors import ArenaError
from arena.match.feed.public_message import PublicMessage
from arena.match.referee.ports import MatchId
from arena.web.live.live_match import LiveMatch, StoredEnd
from arena.web.live.viewer import Viewer

MATCH: Final = MatchId("01JZ8QK3T5V7X9B2D4F6H8M00L")


class FakeServer:
    """Sends a follower the messages that the test gives. `follow` is a `MessageSource`."""

    def __init__(self) -> None:
        self.streams = 0
        """Streams that are open."""
        self.opened = 0
        """Streams that were ever opened."""
        self.end = StoredEnd.NONE
        self.refusal: ArenaError | None = None
        """The error with which new streams are refused."""
        self._queues: list[asyncio.Queue[PublicMessage | ArenaError | None]] = []

    async def follow(self, _: MatchId) -> AsyncGenerator[PublicMessage, None]:
        if self.refusal is not None:
            raise self.refusal
        queue: asyncio.Queue[PublicMessage | ArenaError | None] = asyncio.Queue()
        self._queues.append(queue)
        self.streams += 1
        self.opened += 1
        try:
            yield PublicMessage(0, ())
            while (sent := await queue.get()) is not None:
                if isinstance(sent, ArenaError):
                    raise sent
                yield sent
        finally:
            self.streams -= 1
            self._queues.remove(queue)

    async def find_end(self, _: MatchId) -> StoredEnd:
        return self.end

    def send(self, *messages: PublicMessage | ArenaError | None) -> None:
        """Send messages; an error loses the stream, and None ends it."""
        for queue in self._queues:
            for message in messages:
                queue.put_nowait(message)


class FakeTransport(asyncio.Transport):
    """A connection whose reader takes what is written, or takes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()
        self.protocol: Any = None
        self.is_closed = self.is_aborted = False

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert high is not None
        assert high <= 64 * 1024

    def set_protocol(self, protocol: Any) -> None:
        self.protocol = protocol

    def is_closing(self) -> bool:
        return self.is_closed or self.is_aborted

    def write(self, data: Any) -> None:
        assert not self.is_closing()
        self.written += data

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_aborted = True

    @property
    def events(self) -> list[tuple[str, Any]]:
        """The events so far: name and data."""
        return read_events(self.written.decode())

    @property
    def tables(self) -> list[Any]:
        """The fragments of each update."""
        return [data for name, data in self.events if name == "table"]


def read_events(text: str) -> list[tuple[str, Any]]:
    """Return the events of a stream without chunks."""
    return [(name, json.loads(data)) for name, data in re.findall(r"^event: (\w+)\ndata: (.*)\n\n", text, re.MULTILINE)]


def join(match: LiveMatch, known_id: str = "", stall_s: float = 60.0) -> FakeTransport:
    """Let a viewer join who reads everything."""
    transport = FakeTransport()
    match.admit(Viewer(match, "here", stall_s, is_chunked=False), transport, known_id)
    return transport


async def settle(rounds: int = 20) -> None:
    """Let everything happen that needs no time."""
    for _ in range(rounds):
        await asyncio.sleep(0)
