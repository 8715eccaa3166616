"""One viewer's messages in one match, numbered without gaps. The last ones are kept for a bot that reconnects.

Bodies are packed into one buffer, because an object for each would be larger than most bodies. Public facts are stored
once, in the public stream; an entrant's stream only marks where they belong.
"""

from array import array
from collections.abc import Iterator

from arena.match.feed.outbox import Outbox
from arena.match.referee.scalars import PromptId, StreamSequence

MAX_KEPT_MESSAGES = 256
MAX_KEPT_BYTES = 16 * 1024
"""Bytes kept for a seat: half for its own messages, half for the public ones, which all seats share."""
MAX_JOINED_MESSAGES = 15
"""The most messages that are joined to another one. So a bot that repeats its decisions takes little memory."""
_MAX_STREAM_BYTES = MAX_KEPT_BYTES // 2
"""Bytes kept by one stream, including two for the mark of each message."""

WITHOUT_PUBLIC = 0
"""A body that contains no body of the public stream."""
PUBLIC_FIRST = 1
"""A body that begins with the newest body of the public stream."""
PUBLIC_MIXED = 2
"""A body that mixes the newest public body with private facts, and is therefore kept whole."""


class ViewerStream:
    """Numbers bodies from 1 and keeps the latest: at most 256 of them, and at most 8 KiB."""

    __slots__ = (
        "_bodies",
        "_marks",
        "_public",
        "header",
        "held_back",
        "held_back_count",
        "last_prompt_id",
        "outbox",
        "sequence",
        "watchers",
    )

    def __init__(self, header: bytes, public: "ViewerStream | None" = None) -> None:
        """`public` is the public stream, or None if this is it."""
        self.header = header
        self.sequence = StreamSequence(0)
        self.outbox: Outbox | None = None
        """The outbox of the connected session; None if no session is connected."""
        self.watchers: dict[Outbox, None] = {}
        """The outboxes of watchers, who get the same messages and send nothing."""
        self.last_prompt_id = PromptId(0)
        """The highest prompt id sent to the viewer."""
        self.held_back = b""
        """The newest bodies that the outbox does not have yet, because they will be joined to the next one."""
        self.held_back_count = 0
        self._public = public
        self._bodies = bytearray()
        self._marks = array("H")
        """One mark per body: four times the body's length in `_bodies`, plus its relation to the public stream."""

    def append(self, own: bytes, way: int = WITHOUT_PUBLIC) -> StreamSequence:
        """Number a body, keep it, and return its sequence.

        `own` is the whole body, except with `PUBLIC_FIRST`: then it is only the part after the public body. In that
        case the caller must also append the public body to the public stream.
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

    def hold_back(self, body: bytes) -> bool:
        """Hold back the newest body, to join it to the next one. Return False if that is impossible.

        In a sealed window every answer but the last leads to its acceptance alone: without this, that would be one
        message in seven.
        """
        outbox = self.outbox
        if outbox is None or not outbox.takes_joined_acceptances or self.held_back_count == MAX_JOINED_MESSAGES:
            return False
        self.held_back += body
        self.held_back_count += 1
        return True

    def forget_held_back(self) -> None:
        self.held_back, self.held_back_count = b"", 0

    def restart_after(self, sequence: StreamSequence) -> None:
        """Leave out one sequence, so that a viewer that was sent messages up to `sequence` gets a snapshot."""
        self.sequence = StreamSequence(sequence + 1)

    def count_prompt(self, prompt_id: PromptId) -> None:
        """Count a prompt in the outbox. A prompt that is sent repeatedly counts only once."""
        if self.outbox is not None and prompt_id > self.last_prompt_id:
            self.last_prompt_id = prompt_id
            self.outbox.prompt_count += 1

    def _forget_oldest(self) -> None:
        """Forget the oldest quarter of what is kept. Because it forgets so much at a time, this method rarely runs."""
        marks = self._marks
        count = max(0, len(marks) - 3 * MAX_KEPT_MESSAGES // 4)
        size = sum([mark >> 2 for mark in marks[:count]])
        too_much = len(self._bodies) + 2 * len(marks) - 3 * _MAX_STREAM_BYTES // 4
        while size + 2 * count < too_much:
            size += marks[count] >> 2
            count += 1
        del self._bodies[:size], marks[:count]

    def messages_after(self, sequence: StreamSequence) -> list[tuple[StreamSequence, bytes]] | None:
        """Return the messages after a sequence, oldest first; None if not all are kept or the sequence is too high."""
        missing = self.sequence - sequence
        if not 0 <= missing <= len(self._marks):
            return None
        bodies = [body for _, body in zip(range(missing), self.newest_first(), strict=False)]
        if len(bodies) < missing:
            return None
        return [(StreamSequence(self.sequence - index), bodies[index]) for index in reversed(range(missing))]

    def newest_first(self) -> Iterator[bytes]:
        """Yield the bodies, newest first. Stop at a body that is no longer complete here or in the public stream."""
        public_bodies = iter(()) if self._public is None else self._public.newest_first()
        end = len(self._bodies)
        for mark in reversed(self._marks):
            start = end - (mark >> 2)
            own, way = bytes(self._bodies[start:end]), mark & 3
            public = b"" if way == WITHOUT_PUBLIC else next(public_bodies, None)
            if public is None:
                return
            yield public + own if way == PUBLIC_FIRST else own
            end = start
