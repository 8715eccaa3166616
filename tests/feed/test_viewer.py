"""One viewer's messages: gapless, and kept as long as is promised."""

from random import Random

import pytest

from arena.feed.viewer import ALONE, APART, JOINED, KEPT_BYTES, KEPT_MESSAGES, ViewerStream


@pytest.fixture
def stream() -> ViewerStream:
    return ViewerStream(b"")


def test_messages_are_numbered_from_one_without_a_gap(stream):
    assert [stream.keep(b"x") for _ in range(3)] == [1, 2, 3]


def test_what_was_missed_is_given_in_order(stream):
    for body in (b"a", b"b", b"c"):
        stream.keep(body)

    assert stream.after(1) == [(2, b"b"), (3, b"c")]
    assert stream.after(0) == [(1, b"a"), (2, b"b"), (3, b"c")]
    assert stream.after(3) == []


@pytest.mark.parametrize("sequence", [4, 1000, 2**63])
def test_a_sequence_that_was_never_sent_gives_nothing(stream, sequence):
    """Whoever names it needs a snapshot."""
    for _ in range(3):
        stream.keep(b"x")

    assert stream.after(sequence) is None


def test_old_messages_are_forgotten_by_number(stream):
    """Never more than the bound are kept, and after it is passed still a good part of it."""
    for number in range(1, 2 * KEPT_MESSAGES):
        stream.keep(b"")

        assert stream.after(max(0, number - KEPT_MESSAGES // 2)) is not None
        assert number <= KEPT_MESSAGES or stream.after(number - KEPT_MESSAGES - 1) is None


def test_old_messages_are_forgotten_by_size(stream):
    """Half of what a seat may have, at most; one that is larger alone is not kept at all."""
    for _ in range(100):
        stream.keep(bytes(1000))

        missed = stream.after(oldest_known(stream))
        assert sum(len(body) for _, body in missed) <= KEPT_BYTES // 2
    stream.keep(bytes(KEPT_BYTES // 2 + 1))

    assert stream.after(stream.sequence - 1) is None
    assert stream.after(stream.sequence) == []


def oldest_known(stream: ViewerStream) -> int:
    """Find the smallest sequence after which everything is still there."""
    sequence = stream.sequence
    while sequence and stream.after(sequence - 1) is not None:
        sequence -= 1
    return sequence


def test_what_everyone_learns_is_kept_once_and_given_to_each(seat, stream):
    """Before, after and between what a seat alone was told, and whole where something private stands in between."""
    tell(seat, stream, own=b"answer")
    tell(seat, stream, b"play", b"prompt")
    tell(seat, stream, b"pile")
    tell(seat, stream, b"turn", b"pile, cards, turn", APART)

    assert [body for _, body in seat.after(0)] == [b"answer", b"playprompt", b"pile", b"pile, cards, turn"]
    assert seat.after(2) == [(3, b"pile"), (4, b"pile, cards, turn")]
    assert [body for _, body in stream.after(0)] == [b"play", b"pile", b"turn"]


def test_nothing_is_given_where_a_public_part_is_forgotten(seat, stream):
    """A body is given whole or not at all."""
    tell(seat, stream, bytes(KEPT_BYTES), b"prompt")
    tell(seat, stream, b"turn", b"prompt")

    assert seat.after(1) == [(2, b"turnprompt")]
    assert seat.after(0) is None


def test_a_seat_keeps_what_it_was_told_whatever_others_were_told(stream):
    """Long or short, joined or not, the last messages are given as they were sent."""
    random = Random(7)
    seats = [ViewerStream(b"", stream) for _ in range(3)]
    sent: list[list[bytes]] = [[], [], []]
    for _ in range(3000):
        common = random.choice((b"", random.randbytes(random.randrange(1, 90))))
        for seat, bodies in zip(seats, sent, strict=True):
            own = random.choice((b"", random.randbytes(random.randrange(1, 200))))
            way = ALONE if not common else random.choice((JOINED, APART)) if own else JOINED
            if own or common:
                seat.keep(own, way)
                bodies.append(common + own if way == JOINED else own)
        if common:
            stream.keep(common)

        for seat, bodies in zip(seats, sent, strict=True):
            missed = seat.after(max(0, seat.sequence - 30)) or []
            assert [body for _, body in missed] == bodies[-30:]


@pytest.fixture
def seat(stream: ViewerStream) -> ViewerStream:
    return ViewerStream(b"", stream)


def tell(seat: ViewerStream, stream: ViewerStream, common: bytes = b"", own: bytes = b"", way: int | None = None):
    """Tell a seat something, and everyone what is common."""
    seat.keep(own, (JOINED if common else ALONE) if way is None else way)
    if common:
        stream.keep(common)
