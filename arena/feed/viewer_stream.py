"""One viewer's messages of one match: a gapless sequence, the last ones kept for a bot that comes back.

Bodies are packed, as an object for each would take more than most of them do, and facts that everyone learns are packed
once: the public stream has them, and an entrant's stream notes only where they belong.
"""

from array import array
from collections.abc import Iterator

from arena.feed.outbox import Outbox
from arena.match.scalars import PromptId, StreamSequence

MAX_KEPT_MESSAGES = 256
MAX_KEPT_BYTES = 16 * 1024
"""Of a seat: half of it for what the seat alone was told, half for what all of them were."""
_MAX_STREAM_BYTES = MAX_KEPT_BYTES // 2
"""Of a stream, two for the length of each message included."""

WITHOUT_PUBLIC = 0
"""A body with nothing in it that the public stream keeps."""
PUBLIC_FIRST = 1
"""A body that begins with the newest one of the public stream."""
PUBLIC_MIXED = 2
"""A body that has the newest one of the public stream in it, with something private in between: it is kept whole."""


class ViewerStream:
    """Numbers bodies from 1 and keeps the last 256 of them, or 8 KiB."""

    __slots__ = ("_bodies", "_marks", "_public", "header", "last_prompt_id", "outbox", "sequence")

    def __init__(self, header: bytes, public: "ViewerStream | None" = None) -> None:
        """`public`: the stream of what everyone learns; None: this is it."""
        self.header = header
        self.sequence = StreamSequence(0)
        self.outbox: Outbox | None = None
        """Where messages go; None: nobody is connected."""
        self.last_prompt_id = PromptId(0)
        """The highest id of a prompt that the viewer was given."""
        self._public = public
        self._bodies = bytearray()
        self._marks = array("H")
        """Of each body: four times the length of what is kept of it here, and how it goes with the public stream."""

    def append(self, own: bytes, way: int = WITHOUT_PUBLIC) -> StreamSequence:
        """Number a body and keep it; gives its sequence.

        `own` is the body, or with `PUBLIC_FIRST` what follows the public one, which has to be kept in the same breath.
        """
        self.sequence = StreamSequence(self.sequence + 1)
        size = len(own)
        if size > _MAX_STREAM_BYTES:
            self._bodies.clear()
            del self._marks[:]
            return self.sequence
        marks, bodies = self._marks, self._bodies
        bodies += own
        marks.append(size << 2 | way)
        if len(bodies) + 2 * len(marks) > _MAX_STREAM_BYTES or len(marks) > MAX_KEPT_MESSAGES:
            self._forget_oldest()
        return self.sequence

    def count_prompt(self, prompt_id: PromptId) -> None:
        """A prompt makes room for an answer once, however often it is shown."""
        if self.outbox is not None and prompt_id > self.last_prompt_id:
            self.last_prompt_id = prompt_id
            self.outbox.prompt_count += 1

    def _forget_oldest(self) -> None:
        """Make room for the next quarter, so that this runs seldom."""
        marks = self._marks
        count = max(0, len(marks) - 3 * MAX_KEPT_MESSAGES // 4)
        size = sum([mark >> 2 for mark in marks[:count]])
        too_much = len(self._bodies) + 2 * len(marks) - 3 * _MAX_STREAM_BYTES // 4
        while size + 2 * count < too_much:
            size += marks[count] >> 2
            count += 1
        del self._bodies[:size], marks[:count]

    def messages_after(self, sequence: StreamSequence) -> list[tuple[StreamSequence, bytes]] | None:
        """The messages after a sequence, oldest first; None when they are no longer all kept, or never existed."""
        missing = self.sequence - sequence
        if not 0 <= missing <= len(self._marks):
            return None
        bodies = [body for _, body in zip(range(missing), self.newest_first(), strict=False)]
        if len(bodies) < missing:
            return None
        return [(StreamSequence(self.sequence - index), bodies[index]) for index in reversed(range(missing))]

    def newest_first(self) -> Iterator[bytes]:
        """The bodies, as far back as both streams keep what is in them."""
        told = iter(()) if self._public is None else self._public.newest_first()
        end = len(self._bodies)
        for mark in reversed(self._marks):
            start = end - (mark >> 2)
            own, way = bytes(self._bodies[start:end]), mark & 3
            public = b"" if way == WITHOUT_PUBLIC else next(told, None)
            if public is None:
                return
            yield public + own if way == PUBLIC_FIRST else own
            end = start
