"""What waits to be sent to one session: staged until the journal has it, then ready for the session's writer."""

from collections.abc import Callable

from arena.match.scalars import Instant

MAX_FRAME_BYTES = 1 << 20
"""The largest frame, both ways."""
FRAME_OVERHEAD_BYTES = 64
"""Room for a frame's own fields."""


class Outbox:
    """Bounded by bytes and by the age of its oldest message; going over a bound ends the session, never the match."""

    def __init__(self, wake: Callable[[], None], clock: Callable[[], Instant], max_bytes: int, max_age_us: int) -> None:
        """`wake` tells the writer that something is ready; `clock` gives microseconds."""
        self._wake = wake
        self._clock = clock
        self._staged: list[bytes] = []
        self._sealed_count: int | None = None
        """So many of these leave with the next release; None: all."""
        self._ready: list[bytes] = []
        self._size = 0
        self.oldest: int | None = None
        """Since when the oldest message that may leave has waited; None: none may."""
        self._is_closing = False
        self.prompt_count = 0
        """How many prompts went in here; what the bot may say depends on it."""
        self._max_bytes = self._wanted_bytes = max_bytes
        self.max_age_us = max_age_us

    def set_max_bytes(self, max_bytes: int) -> None:
        """Change how many bytes may lie here; a lower bound counts from when it is kept, so that it cuts nobody."""
        self._wanted_bytes = max_bytes
        self._max_bytes = max(self._max_bytes, max_bytes)
        self._apply_lower_bound()

    def _apply_lower_bound(self) -> None:
        if self._size <= self._wanted_bytes:
            self._max_bytes = self._wanted_bytes

    def stage(self, message: bytes) -> bool:
        """Add a message that may leave when the gate opens; tells whether the gate has to be told that one waits."""
        staged = self._staged
        staged.append(message)
        self._size += len(message)
        return len(staged) == (self._sealed_count or 0) + 1

    def seal(self) -> None:
        """The gate begins to keep what led to all this: what is staged from now on waits for another release."""
        self._sealed_count = len(self._staged)

    def release(self) -> None:
        """The gate has opened: what was staged, or sealed if anything was, may leave."""
        if not self._staged and not self._is_closing:
            return
        count = len(self._staged) if self._sealed_count is None else self._sealed_count
        if count and not self._ready:
            self.oldest = self._clock()
        self._ready += self._staged[:count]
        self._staged, self._sealed_count = self._staged[count:], None
        self._wake()

    def take_frame(self) -> list[bytes]:
        """Everything that may leave, up to one frame."""
        ready = self._ready
        if self._size <= MAX_FRAME_BYTES - FRAME_OVERHEAD_BYTES and not self._staged:
            self._ready, self._size, self.oldest = [], 0, None
            self._max_bytes = self._wanted_bytes
            return ready
        count, total = 0, 0
        for message in ready:
            if count and total + len(message) > MAX_FRAME_BYTES - FRAME_OVERHEAD_BYTES:
                break
            count, total = count + 1, total + len(message)
        self._ready = ready[count:]
        self._size -= total
        self._apply_lower_bound()
        self.oldest = self._clock() if self._ready else None
        return ready[:count]

    def close(self) -> None:
        """Nothing will be staged any more. The writer is woken at the next release, even where nothing is left."""
        self._is_closing = True

    @property
    def is_done(self) -> bool:
        """Whether it is closed and everything has left."""
        return self._is_closing and not self._staged and not self._ready

    @property
    def has_ready(self) -> bool:
        """Whether something may leave."""
        return bool(self._ready)

    @property
    def is_overfull(self) -> bool:
        """Whether the reader is too slow to be kept."""
        if self._size > self._max_bytes:
            return True
        return self.oldest is not None and self._clock() - self.oldest > self.max_age_us
