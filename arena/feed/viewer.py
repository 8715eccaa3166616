"""One viewer's messages of one match: a gapless sequence, the last ones kept for a bot that comes back."""

from collections import deque

from arena.feed.outbox import Outbox

KEPT_MESSAGES = 256
KEPT_BYTES = 16 * 1024


class ViewerStream:
    """Numbers bodies from 1 and keeps the last 256 or 16 KiB of them; equal bodies are shared between viewers."""

    __slots__ = ("_kept", "_kept_bytes", "asked", "header", "outbox", "sequence")

    def __init__(self, header: bytes) -> None:
        self.header = header
        self.sequence = 0
        self.outbox: Outbox | None = None
        """Where messages go; None: nobody is connected."""
        self.asked = 0
        """The highest id of a prompt that the viewer was given."""
        self._kept: deque[bytes] = deque()
        self._kept_bytes = 0

    def keep(self, body: bytes) -> int:
        """Number a body and keep it; gives its sequence."""
        self.sequence += 1
        kept = self._kept
        kept.append(body)
        self._kept_bytes += len(body)
        if self._kept_bytes > KEPT_BYTES or len(kept) > KEPT_MESSAGES:
            self._forget_oldest()
        return self.sequence

    def count_asked(self, prompt_id: int) -> None:
        """A prompt makes room for an answer once, however often it is shown."""
        if self.outbox is not None and prompt_id > self.asked:
            self.asked = prompt_id
            self.outbox.asked_count += 1

    def _forget_oldest(self) -> None:
        """Make room for the next quarter, so that this runs seldom."""
        kept = self._kept
        while self._kept_bytes > 3 * KEPT_BYTES // 4 or len(kept) > 3 * KEPT_MESSAGES // 4:
            self._kept_bytes -= len(kept.popleft())

    def after(self, sequence: int) -> list[tuple[int, bytes]] | None:
        """The messages after a sequence, oldest first; None when they are no longer all kept, or never existed."""
        missing = self.sequence - sequence
        if not 0 <= missing <= len(self._kept):
            return None
        first = self.sequence - missing + 1
        return [(first + i, body) for i, body in enumerate(list(self._kept)[len(self._kept) - missing :])]
