"""Messages waiting for one session: staged until the journal is written, then ready for the session's writer."""

from collections.abc import Callable

from arena.match.referee.scalars import Instant

MAX_FRAME_BYTES = 1 << 20
"""The largest frame in either direction."""
FRAME_OVERHEAD_BYTES = 64
"""Room for a frame's own fields."""


class Outbox:
    """A queue that is bounded by its bytes and by the age of its oldest message. Exceeding a bound ends the session."""

    def __init__(
        self,
        wake: Callable[[], None],
        clock: Callable[[], Instant],
        max_bytes: int,
        max_age_us: int,
        frame_messages: int | None = None,
    ) -> None:
        """`wake` notifies the writer that messages are ready; `clock` returns microseconds.

        `frame_messages` limits the number of messages in a frame; None means no limit.
        """
        self._wake = wake
        self._clock = clock
        self._staged: list[bytes] = []
        self._sealed_count: int | None = None
        """The number of staged messages that the next release covers; None for all of them."""
        self._ready: list[bytes] = []
        self._break_count = 0
        """How many ends of frames, as empty messages, are staged or ready."""
        self._size = 0
        self.oldest: int | None = None
        """The instant since which the oldest ready message has waited; None if no message is ready."""
        self._is_closing = False
        self.prompt_count = 0
        """The number of prompts sent. The more prompts the bot gets, the more messages it may send."""
        self.takes_joined_acceptances = False
        """Whether the reader takes a message with only an acceptance joined to the next message of the same seat."""
        self._max_bytes = self._wanted_bytes = max_bytes
        self.max_age_us = max_age_us
        self._frame_messages = frame_messages

    def set_max_bytes(self, max_bytes: int) -> None:
        """Change the byte limit. A lower limit applies only once the queue fits into it, so it ends no session."""
        self._wanted_bytes = max_bytes
        self._max_bytes = max(self._max_bytes, max_bytes)
        self._apply_lower_bound()

    def _apply_lower_bound(self) -> None:
        if self._size <= self._wanted_bytes:
            self._max_bytes = self._wanted_bytes

    def stage(self, message: bytes) -> bool:
        """Stage a message until the gate opens. Return whether the caller must now notify the gate.

        Only the first message that is staged for each release needs this.
        """
        staged = self._staged
        staged.append(message)
        self._size += len(message)
        return len(staged) == (self._sealed_count or 0) + 1

    def end_frame(self) -> None:
        """Let what is staged from now on begin a new frame."""
        self._staged.append(b"")
        self._break_count += 1

    def send_at_once(self, message: bytes) -> None:
        """Make a message ready that tells nothing of any match, so that it need not wait for the journal."""
        if not self._ready:
            self.oldest = self._clock()
        self._ready.append(message)
        self._size += len(message)
        self._wake()

    def seal(self) -> None:
        self._sealed_count = len(self._staged)

    def release(self) -> None:
        """Make the sealed messages ready to be sent. If there is no seal, make all staged messages ready."""
        if not self._staged and not self._is_closing:
            return
        count = len(self._staged) if self._sealed_count is None else self._sealed_count
        if count and not self._ready:
            self.oldest = self._clock()
        self._ready += self._staged[:count]
        self._staged, self._sealed_count = self._staged[count:], None
        self._wake()

    def take_frame(self) -> list[bytes]:
        """Remove and return the ready messages, up to the size of one frame."""
        ready, most = self._ready, self._frame_messages
        most_bytes = MAX_FRAME_BYTES - FRAME_OVERHEAD_BYTES
        if most is None and self._size <= most_bytes and not self._staged and not self._break_count:
            self._ready, self._size, self.oldest = [], 0, None
            self._max_bytes = self._wanted_bytes
            return ready
        count, total = 0, 0
        for message in ready:
            if not message or (count and (count == most or total + len(message) > most_bytes)):
                break
            count, total = count + 1, total + len(message)
        ends_here = count < len(ready) and not ready[count]
        self._break_count -= ends_here
        self._ready = ready[count + ends_here :]
        self._size -= total
        self._apply_lower_bound()
        self.oldest = self._clock() if self._ready else None
        return ready[:count]

    def close(self) -> None:
        """Mark that no more messages follow. The next release wakes the writer, whether or not a message is left."""
        self._is_closing = True

    @property
    def is_done(self) -> bool:
        """Whether the outbox is closed and empty."""
        return self._is_closing and not self._staged and not self._ready

    @property
    def has_ready(self) -> bool:
        return bool(self._ready)

    @property
    def is_empty(self) -> bool:
        """Whether no message is staged or ready."""
        return not self._size

    @property
    def is_overfull(self) -> bool:
        """Whether a bound is exceeded, so that the session must end."""
        if self._size > self._max_bytes:
            return True
        return self.oldest is not None and self._clock() - self.oldest > self.max_age_us
