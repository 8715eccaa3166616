"""When did what we read arrive, and when did the loop itself stand still."""

import os
import selectors
from collections.abc import Iterator

import pytest

from arena.node.event_loop import MAX_TRANSIT_US, STALL_THRESHOLD_US, NodeClock, StampingSelector


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
    """How long each waiting poll is going to take, in microseconds; a negative one brings something to read."""
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


def test_waiting_as_long_as_was_asked_is_no_stall(selector: StampingSelector, polls: list[int]):
    stalls = stalls_of(selector)
    polls += [1_000_000, 1_000_000 + STALL_THRESHOLD_US]

    selector.select(1)
    selector.select(1)

    assert stalls == []


@pytest.mark.parametrize("sign", [1, -1], ids=["nothing-came", "something-came"])
def test_a_poll_that_overslept_is_a_stall(selector: StampingSelector, polls: list[int], watch: Watch, sign):
    """The whole of it is credited, since nobody knows when it began, whether or not something came meanwhile."""
    stalls = stalls_of(selector)
    polls += [sign * 2_000_000, 100]

    selector.select(0.5)
    selector.select(0.5)

    assert stalls == [2_000_000]


def test_what_came_while_the_process_stood_still_is_stamped_before(
    selector: StampingSelector, polls: list[int], watch: Watch
):
    """It may have come at any time of it; the bot gets the best of it."""
    polls += [100, -2_000_000]

    selector.select(0.5)
    selector.select(0.5)
    selector.select(0)

    assert selector.arrival_stamp == 100


def test_what_is_read_while_the_loop_never_waits_may_have_been_on_its_way_for_some_time(
    selector: StampingSelector, polls: list[int], watch: Watch
):
    """One message of a stream takes some passes, and the ones before it too; but nothing takes for ever."""
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


def test_what_is_read_after_a_poll_that_waited_came_then(selector: StampingSelector, polls: list[int], watch: Watch):
    watch.now += 500_000
    polls += [-700]

    selector.select(0.5)
    watch.now += 300
    selector.select(0)

    assert selector.arrival_stamp == 500_700


def test_a_pass_that_took_long_is_a_stall(selector: StampingSelector, polls: list[int], watch: Watch):
    """Whatever the loop did in it, bots do not pay for it."""
    stalls = stalls_of(selector)
    polls += [100, 100]
    selector.select(0.5)

    watch.now += STALL_THRESHOLD_US + 1
    selector.select(0.5)

    assert stalls == [STALL_THRESHOLD_US + 1]


@pytest.mark.parametrize("is_ready", [True, False])
def test_a_stop_while_the_loop_looks_what_lies_there_is_a_stall(
    selector: StampingSelector, polls: list[int], watch: Watch, is_ready
):
    """That look takes no time, whether it finds something or not."""
    stalls = stalls_of(selector)
    polls += [100, 100]
    selector.select(0.5)

    watch.stop, watch.is_ready = STALL_THRESHOLD_US + 1, is_ready
    selector.select(0.5)

    assert stalls == [STALL_THRESHOLD_US + 1]


def test_a_message_that_came_while_the_loop_worked_is_stamped_at_the_poll_before(watch: Watch):
    """A poll that returns at once tells that something lay there, not since when."""
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
