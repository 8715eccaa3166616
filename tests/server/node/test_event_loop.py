"""When a message arrived, and when the event loop itself stalled."""

import os
import selectors
from collections.abc import Iterator

import pytest

from arena.server.node.event_loop import MAX_TRANSIT_US, STALL_THRESHOLD_US, NodeClock, StampingSelector


class Watch:
    """A clock that a test moves, in microseconds."""

    def __init__(self) -> None:
        self.now = 0
        self.stop = 0
        """So long the process stands still in its next look at what lies there."""
        self.is_ready = False
        """Whether something lies there."""

    def monotonic_ns(self) -> int:
        return self.now * 1000


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def polls(monkeypatch, watch: Watch) -> list[int]:
    """Return the duration of each waiting poll in microseconds; a negative one brings something to read."""
    lengths: list[int] = []

    def select(self, timeout=None):
        if timeout == 0:
            watch.now += watch.stop
            watch.stop = 0
            return [(None, selectors.EVENT_READ)] if watch.is_ready else []
        length = lengths.pop(0)
        watch.now += abs(length)
        return [(None, selectors.EVENT_READ)] if length < 0 else []

    monkeypatch.setattr(selectors.DefaultSelector, "select", select)
    return lengths


@pytest.fixture
def selector(watch: Watch) -> Iterator[StampingSelector]:
    made = StampingSelector(NodeClock(watch.monotonic_ns))
    yield made
    made.close()


def stalls_of(selector: StampingSelector) -> list[int]:
    stalls: list[int] = []
    selector.add_stall_listener(stalls.append)
    return stalls


def test_poll_that_waits_as_requested_is_no_stall(selector: StampingSelector, polls: list[int]):
    stalls = stalls_of(selector)
    polls += [1_000_000, 1_000_000 + STALL_THRESHOLD_US]

    selector.select(1)
    selector.select(1)

    assert stalls == []


@pytest.mark.parametrize("sign", [1, -1], ids=["nothing-came", "something-came"])
def test_overslept_poll_is_a_stall(selector: StampingSelector, polls: list[int], watch: Watch, sign):
    """All of it is credited, whether or not a message arrived, because its start is unknown."""
    stalls = stalls_of(selector)
    polls += [sign * 2_000_000, 100]

    selector.select(0.5)
    selector.select(0.5)

    assert stalls == [2_000_000]


def test_messages_received_during_stall_are_stamped_before_it(
    selector: StampingSelector, polls: list[int], watch: Watch
):
    """They may have arrived at any time during the stall, so the bot gets the earliest stamp."""
    polls += [100, -2_000_000]

    selector.select(0.5)
    selector.select(0.5)
    selector.select(0)

    assert selector.arrival_stamp == 100


def test_message_read_while_loop_never_waits_may_be_stamped_earlier(
    selector: StampingSelector, polls: list[int], watch: Watch
):
    """A stream needs several passes per message, and so do the messages before it; but the allowance is bounded."""
    polls += [100]
    selector.select(0.5)

    for _ in range(8):
        watch.now += 1000
        selector.select(0)
        assert selector.arrival_stamp == 100
    for _ in range(20):
        watch.now += 1000
        selector.select(0)

    assert selector.arrival_stamp == watch.now - MAX_TRANSIT_US


def test_message_read_after_waiting_poll_is_stamped_at_that_poll(
    selector: StampingSelector, polls: list[int], watch: Watch
):
    watch.now += 500_000
    polls += [-700]

    selector.select(0.5)
    watch.now += 300
    selector.select(0)

    assert selector.arrival_stamp == 500_700


def test_long_pass_is_a_stall(selector: StampingSelector, polls: list[int], watch: Watch):
    """Bots do not pay for the loop's work, whatever it was."""
    stalls = stalls_of(selector)
    polls += [100, 100]
    selector.select(0.5)

    watch.now += STALL_THRESHOLD_US + 1
    selector.select(0.5)

    assert stalls == [STALL_THRESHOLD_US + 1]


@pytest.mark.parametrize("is_ready", [True, False])
def test_pause_during_non_waiting_poll_is_a_stall(selector: StampingSelector, polls: list[int], watch: Watch, is_ready):
    """Such a poll takes no time, whether it finds something or not."""
    stalls = stalls_of(selector)
    polls += [100, 100]
    selector.select(0.5)

    watch.stop, watch.is_ready = STALL_THRESHOLD_US + 1, is_ready
    selector.select(0.5)

    assert stalls == [STALL_THRESHOLD_US + 1]


def test_message_received_while_loop_worked_is_stamped_at_previous_poll(watch: Watch):
    """A poll that returns at once shows that a message was waiting, but not since when."""
    selector = StampingSelector(NodeClock(watch.monotonic_ns))
    receiver, sender = os.pipe()
    selector.register(receiver, selectors.EVENT_READ)
    try:
        os.write(sender, b"x")
        watch.now = 10_000
        assert selector.select(1)
        watch.now = 20_000
        assert selector.select(1)

        assert selector.arrival_stamp == 0
    finally:
        selector.close()
        os.close(receiver)
        os.close(sender)
