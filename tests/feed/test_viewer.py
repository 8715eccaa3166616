"""One viewer's messages: gapless, and kept as long as is promised."""

import pytest

from arena.feed.viewer import KEPT_BYTES, KEPT_MESSAGES, ViewerStream


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
    """Sixteen kibibytes at most; one that is larger alone is not kept at all."""
    for _ in range(100):
        stream.keep(bytes(1000))

        missed = stream.after(oldest_known(stream))
        assert sum(len(body) for _, body in missed) <= KEPT_BYTES
    stream.keep(bytes(KEPT_BYTES + 1))

    assert stream.after(stream.sequence - 1) is None
    assert stream.after(stream.sequence) == []


def oldest_known(stream: ViewerStream) -> int:
    """Find the smallest sequence after which everything is still there."""
    sequence = stream.sequence
    while sequence and stream.after(sequence - 1) is not None:
        sequence -= 1
    return sequence
