"""One viewer's messages: gapless, and kept within the stated bounds."""

from random import Random

import pytest

from arena.match.feed.viewer_stream import (
    MAX_KEPT_BYTES,
    MAX_KEPT_MESSAGES,
    PUBLIC_FIRST,
    PUBLIC_MIXED,
    WITHOUT_PUBLIC,
    ViewerStream,
)
from arena.match.referee.scalars import StreamSequence


@pytest.fixture
def stream() -> ViewerStream:
    return ViewerStream(b"")


def test_messages_are_numbered_from_one_without_a_gap(stream: ViewerStream):
    assert [stream.append(b"x") for _ in range(3)] == [1, 2, 3]


def test_missed_messages_are_returned_in_order(stream: ViewerStream):
    for body in (b"a", b"b", b"c"):
        stream.append(body)

    assert stream.messages_after(StreamSequence(1)) == [(2, b"b"), (3, b"c")]
    assert stream.messages_after(StreamSequence(0)) == [(1, b"a"), (2, b"b"), (3, b"c")]
    assert stream.messages_after(StreamSequence(3)) == []


@pytest.mark.parametrize("sequence", [4, 1000, 2**63])
def test_sequence_that_was_never_sent_yields_nothing(stream: ViewerStream, sequence):
    """A viewer that names it needs a snapshot."""
    for _ in range(3):
        stream.append(b"x")

    assert stream.messages_after(sequence) is None


def test_old_messages_are_dropped_by_number(stream: ViewerStream):
    """The stream never keeps more than the bound, and after exceeding it still keeps a good part of it."""
    for number in range(1, 2 * MAX_KEPT_MESSAGES):
        stream.append(b"")

        assert stream.messages_after(StreamSequence(max(0, number - MAX_KEPT_MESSAGES // 2))) is not None
        assert (
            number <= MAX_KEPT_MESSAGES or stream.messages_after(StreamSequence(number - MAX_KEPT_MESSAGES - 1)) is None
        )


def test_old_messages_are_dropped_by_size(stream):
    """It keeps at most half of a seat's limit; a single message above that is not kept at all."""
    for _ in range(100):
        stream.append(bytes(1000))

        missed = stream.messages_after(oldest_known(stream))
        assert sum(len(body) for _, body in missed) <= MAX_KEPT_BYTES // 2
    stream.append(bytes(MAX_KEPT_BYTES // 2 + 1))

    assert stream.messages_after(stream.sequence - 1) is None
    assert stream.messages_after(stream.sequence) == []


def oldest_known(stream: ViewerStream) -> int:
    """Find the smallest sequence after which everything is still there."""
    sequence = stream.sequence
    while sequence and stream.messages_after(StreamSequence(sequence - 1)) is not None:
        sequence = StreamSequence(sequence - 1)
    return sequence


def test_public_messages_are_kept_once_and_returned_to_each_viewer(seat, stream):
    """They come before, after and between private messages, and stay whole where a private one comes between."""
    tell(seat, stream, own=b"answer")
    tell(seat, stream, b"play", b"prompt")
    tell(seat, stream, b"pile")
    tell(seat, stream, b"turn", b"pile, cards, turn", PUBLIC_MIXED)

    assert [body for _, body in seat.messages_after(0)] == [b"answer", b"playprompt", b"pile", b"pile, cards, turn"]
    assert seat.messages_after(2) == [(3, b"pile"), (4, b"pile, cards, turn")]
    assert [body for _, body in stream.messages_after(0)] == [b"play", b"pile", b"turn"]


def test_nothing_is_returned_where_a_public_part_is_dropped(seat: ViewerStream, stream: ViewerStream):
    """A body is returned whole or not at all."""
    tell(seat, stream, bytes(MAX_KEPT_BYTES), b"prompt")
    tell(seat, stream, b"turn", b"prompt")

    assert seat.messages_after(StreamSequence(1)) == [(2, b"turnprompt")]
    assert seat.messages_after(StreamSequence(0)) is None


def test_seat_keeps_its_messages_whatever_others_received(stream: ViewerStream):
    """Long or short, joined or not, the last messages are returned as they were sent."""
    random = Random(7)
    seats = [ViewerStream(b"", stream) for _ in range(3)]
    sent: list[list[bytes]] = [[], [], []]
    for _ in range(3000):
        common = random.choice((b"", random.randbytes(random.randrange(1, 90))))
        for seat, bodies in zip(seats, sent, strict=True):
            own = random.choice((b"", random.randbytes(random.randrange(1, 200))))
            way = WITHOUT_PUBLIC if not common else random.choice((PUBLIC_FIRST, PUBLIC_MIXED)) if own else PUBLIC_FIRST
            if own or common:
                seat.append(own, way)
                bodies.append(common + own if way == PUBLIC_FIRST else own)
        if common:
            stream.append(common)

        for seat, bodies in zip(seats, sent, strict=True):
            missed = seat.messages_after(StreamSequence(max(0, seat.sequence - 30))) or []
            assert [body for _, body in missed] == bodies[-30:]


@pytest.fixture
def seat(stream: ViewerStream) -> ViewerStream:
    return ViewerStream(b"", stream)


def tell(seat: ViewerStream, stream: ViewerStream, common: bytes = b"", own: bytes = b"", way: int | None = None):
    """Send a private message to a seat, and a common one to all."""
    seat.append(own, (PUBLIC_FIRST if common else WITHOUT_PUBLIC) if way is None else way)
    if common:
        stream.append(common)
