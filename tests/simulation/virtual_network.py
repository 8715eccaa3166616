"""The virtual network: connections with delays, cuts and half-open ends, and the real `PlayService` behind them."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from tests.simulation.virtual_time import World

KEEPALIVE_US = 20_000_000
"""After this time a server notices that the other end of a connection is gone."""


class CallAbortedError(Exception):
    """Raised in the service when it refuses or ends its call, as gRPC does."""


class NetworkClient(Protocol):
    """The bot's end of a connection."""

    name: str

    def on_frame(self, connection: "Connection", raw: bytes) -> None:
        """Take a frame."""

    def on_closed(self, connection: "Connection") -> None:
        """Notice that the connection is gone."""


class Connection:
    """One stream between a bot and a server. It serves as the call's context in the service.

    Frames keep their order in each direction, as TCP keeps it; frames of different connections overtake each other.
    """

    def __init__(self, world: World, client: NetworkClient, number: int, watch: Callable[[str, bytes], None]) -> None:
        """`watch` is called with each frame at the instant at which the server lets go of it."""
        self._world = world
        self._client = client
        self._watch = watch
        self._number = number
        self._arrivals = {"in": 0, "out": 0}
        self._unread: deque[bytes | None] = deque()
        self._reading: asyncio.Future[bytes | None] | None = None
        self._task: asyncio.Task[None] | None = None
        self.has_server = True
        """Whether frames still reach the server."""
        self.has_client = True
        self.delay_us = (200, world.random.choice((1_000, 10_000, 40_000)))
        self.read_from_us = 0
        """Until then the bot reads nothing."""

    # ---- the server's end: what the service uses of a gRPC context

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        """Return the metadata with the token, which is the bot's name."""
        return (("authorization", f"Bearer {self._client.name}"),)

    def peer(self) -> str:
        """Return the bot's address."""
        return f"ipv4:10.0.0.{self._number % 250 + 1}:{1024 + self._number}"

    async def read(self) -> bytes | None:
        """Return the next frame; None at the end."""
        if not self._unread:
            self._reading = asyncio.get_running_loop().create_future()
            return await self._reading
        return self._unread.popleft()

    async def send_initial_metadata(self, _metadata: object) -> None:
        """Send nothing: bots of the simulation do not look at it."""

    async def write(self, raw: bytes) -> None:
        """Send a frame. Waits while the bot does not read."""
        self._watch(self._client.name, raw)
        wait_us = self.read_from_us - self._world.now_us
        if wait_us > 0:
            await asyncio.sleep(wait_us / 1e6)
        if self.has_client:
            self._deliver("out", lambda: self._client.on_frame(self, raw))

    async def abort_with_status(self, status: Any) -> None:
        """End the call with an error."""
        raise CallAbortedError(str(status))

    def start(self, play: Callable[[None, Any], Any]) -> None:
        """Serve the call."""
        self._task = asyncio.get_running_loop().create_task(play(None, self))
        self._task.add_done_callback(self._on_call_ended)

    def _on_call_ended(self, task: "asyncio.Task[None]") -> None:
        self.has_server = False
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, CallAbortedError):
            self._world.violate(f"the call of {self._client.name} failed: {error!r}")
        self._deliver("out", self._close_client)

    # ---- the bot's end

    def send(self, raw: bytes) -> None:
        """Send a frame to the server; it is lost if the connection is."""
        if self.has_server:
            self._deliver("in", lambda: self._receive(raw))

    def cut(self) -> None:
        """Lose the connection; both ends notice."""
        self._deliver("in", lambda: self._receive(None))
        self._deliver("out", self._close_client)

    def lose_silently(self) -> None:
        """Lose the connection without a word: the server notices by its keepalive, the bot when it dials again."""
        self.has_client = self.has_server = False
        self._world.schedule(KEEPALIVE_US, self._end_call)

    def close(self) -> None:
        """Take the server's end away, as a killed server does."""
        self.has_server = False
        self._deliver("out", self._close_client)

    def _end_call(self) -> None:
        if self._task is not None and not self._task.get_loop().is_closed():
            self._task.cancel()

    def _close_client(self) -> None:
        if self.has_client:
            self.has_client = False
            self._client.on_closed(self)

    def _receive(self, raw: bytes | None) -> None:
        if not self.has_server or self._task is None or self._task.get_loop().is_closed():
            return
        if self._reading is not None and not self._reading.done():
            self._reading.set_result(raw)
        else:
            self._unread.append(raw)

    def _deliver(self, way: str, act: Callable[[], None]) -> None:
        """Let a frame arrive after a random delay, behind the frames before it."""
        at = self._world.now_us + self._world.random.randrange(*self.delay_us)
        self._arrivals[way] = at = max(at, self._arrivals[way])
        self._world.schedule_at(at, act)
