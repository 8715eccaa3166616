"""Messages that wait for a reader: bounded in bytes and age, handed over in frames of limited size."""

import pytest

from arena.match.feed.outbox import MAX_FRAME_BYTES, Outbox
from arena.match.referee.scalars import Instant


class Watch:
    """A clock, and a count of wake-ups."""

    def __init__(self) -> None:
        self.now = 0
        self.woken = 0

    def wake(self) -> None:
        self.woken += 1


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def outbox(watch: Watch) -> Outbox:
    return Outbox(watch.wake, lambda: Instant(watch.now), max_bytes=10_000_000, max_age_us=5_000_000)


def test_nothing_leaves_before_its_release(outbox, watch):
    outbox.stage(b"a")

    assert outbox.take_frame() == []
    assert not outbox.has_ready
    assert watch.woken == 0
    outbox.release()
    assert outbox.has_ready
    assert watch.woken == 1
    assert outbox.take_frame() == [b"a"]
    assert outbox.take_frame() == []


def test_messages_staged_later_stay_behind(outbox: Outbox):
    """Messages keep their order over any number of releases."""
    outbox.stage(b"a")
    outbox.release()
    outbox.stage(b"b")

    assert outbox.take_frame() == [b"a"]
    outbox.stage(b"c")
    outbox.release()
    assert outbox.take_frame() == [b"b", b"c"]


def test_frame_ends_where_it_is_told_to(outbox: Outbox):
    outbox.stage(b"a")
    outbox.end_frame()
    outbox.stage(b"b")
    outbox.release()
    outbox.stage(b"c")

    assert outbox.take_frame() == [b"a"]
    assert outbox.take_frame() == [b"b"]
    outbox.release()
    assert outbox.take_frame() == [b"c"]
    assert outbox.is_empty


def test_frame_stays_below_its_limit(outbox: Outbox):
    """Messages that do not fit wait for the next frame; none is lost or reordered."""
    messages = [bytes([number]) * 300_000 for number in range(8)]
    for message in messages:
        outbox.stage(message)
    outbox.release()

    frames = []
    while outbox.has_ready:
        frames.append(outbox.take_frame())

    assert [message for frame in frames for message in frame] == messages
    assert all(sum(map(len, frame)) < MAX_FRAME_BYTES for frame in frames)
    assert len(frames) == 3


def test_message_above_the_limit_still_leaves(outbox: Outbox):
    """It leaves alone: it must not block the messages after it."""
    outbox.stage(b"a")
    outbox.stage(bytes(MAX_FRAME_BYTES))
    outbox.stage(b"b")
    outbox.release()

    assert [len(outbox.take_frame()), len(outbox.take_frame()), len(outbox.take_frame())] == [1, 1, 1]
    assert not outbox.has_ready


def test_outbox_over_its_byte_bound_is_too_full(watch: Watch):
    """At the bound it is still fine; messages already taken do not count any more."""
    outbox = Outbox(watch.wake, lambda: Instant(watch.now), max_bytes=10, max_age_us=1)
    seen = []
    for message in (b"12345", b"67890", b"x"):
        outbox.stage(message)
        outbox.release()
        seen.append(outbox.is_overfull)
    outbox.take_frame()
    seen.append(outbox.is_overfull)

    assert seen == [False, False, True, False]


def test_bound_grows_at_once_and_shrinks_when_it_is_met(watch: Watch):
    """A reader within the old bound is not cut off by the new one; once it has caught up, the new one counts."""
    outbox = Outbox(watch.wake, lambda: Instant(watch.now), max_bytes=4, max_age_us=1)
    outbox.set_max_bytes(10)
    outbox.stage(b"1234567890")
    assert not outbox.is_overfull

    outbox.set_max_bytes(4)
    assert not outbox.is_overfull
    outbox.release()
    outbox.take_frame()

    outbox.stage(b"1234")
    assert not outbox.is_overfull
    outbox.stage(b"5")
    assert outbox.is_overfull


def test_lower_bound_that_is_already_met_counts_at_once(watch: Watch):
    outbox = Outbox(watch.wake, lambda: Instant(watch.now), max_bytes=10, max_age_us=1)
    outbox.stage(b"1234")

    outbox.set_max_bytes(4)
    outbox.stage(b"5")

    assert outbox.is_overfull


def test_message_that_waits_too_long_is_too_old(outbox, watch):
    """Its age counts from its release: a stalled journal is not the reader's fault."""
    outbox.stage(b"a")
    watch.now += 60_000_000
    assert not outbox.is_overfull
    outbox.release()
    watch.now += 5_000_000
    assert not outbox.is_overfull
    watch.now += 1
    assert outbox.is_overfull

    outbox.take_frame()

    assert not outbox.is_overfull


def test_closed_outbox_is_done_when_everything_has_left(outbox, watch):
    """The reader wakes up at the end even if no message is left to send."""
    outbox.stage(b"a")
    outbox.close()
    assert not outbox.is_done
    outbox.release()
    assert not outbox.is_done
    outbox.take_frame()
    assert outbox.is_done

    woken = watch.woken
    outbox.release()

    assert watch.woken == woken + 1
