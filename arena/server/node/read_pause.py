"""Decides when the next frame of a stream may be read."""

import asyncio

FRAME_OVERHEAD_BYTES = 512
"""Bytes that a waiting frame takes in addition to its content."""
FLOOD_PAUSE_S = 0.05
"""Seconds for which nothing is read from a session after one of its frames exceeded the rate limit."""
MAX_WAITING_BYTES = 256 * 1024
"""The most bytes of a session that may wait to be handled. A bot needs far fewer at a time."""


class ReadPause:
    """Pauses the reading of one stream while many of its bytes wait to be handled, and after a flood."""

    def __init__(self) -> None:
        self.has_flooded = False
        """Whether the session has exceeded its rate limit since the last `wait`."""
        self._waiting_bytes = 0
        """The size of the frames that were read and are not handled yet."""
        self._room: asyncio.Future[None] | None = None

    def add_frame(self, size: int) -> None:
        self._waiting_bytes += size + FRAME_OVERHEAD_BYTES

    def remove_frame(self, size: int) -> None:
        self._waiting_bytes -= size + FRAME_OVERHEAD_BYTES
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    @property
    def is_full(self) -> bool:
        """Whether so much waits to be handled that no frame is read."""
        return self._waiting_bytes > MAX_WAITING_BYTES

    async def wait(self) -> None:
        """Wait until this session has so few unhandled bytes that another frame may be read.

        A session that exceeded its rate limit waits longer, so that a flood stays in the sender's own buffers.
        """
        while self.is_full:
            self._room = asyncio.get_running_loop().create_future()
            await self._room
        if self.has_flooded:
            self.has_flooded = False
            await asyncio.sleep(FLOOD_PAUSE_S)
