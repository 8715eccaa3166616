"""Frames are processed in order of arrival, a little at a time, and never before an older one."""

from collections.abc import Callable, Iterator

import pytest

from arena.match.referee.scalars import Instant
from arena.server.node.inbox import MAX_LISTEN_US, QUIET_PASSES, TURN_BUDGET_US, Inbox


class Loop:
    """A loop and a clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0
        self.ready: list[Callable[[], None]] = []
        self.dealt: list[str] = []
        self.faults: list[Exception] = []
        self.turns = 0
        self.began = 0
        self.took_us: list[int] = []
        self.sends = True
        self.inbox = Inbox(lambda: Instant(self.now), self.ready.append, self.begin_turn, self.count_turn)

    def begin_turn(self) -> None:
        self.began += 1

    def count_turn(self, took_us: int) -> None:
        self.turns += 1
        self.took_us.append(took_us)
        assert self.began == self.turns
        if not self.sends:
            raise RuntimeError("cannot send")

    def one_pass(self) -> None:
        ready, self.ready[:] = self.ready.copy(), []
        for act in ready:
            act()

    def until_quiet(self) -> None:
        while self.ready:
            self.one_pass()

    def put(self, name: str, parts: int = 1, each_us: int = 0, fails_at: int | None = None) -> None:
        """Put a frame into the inbox, each of whose parts takes this long."""

        def deal() -> Iterator[None]:
            for part in range(parts):
                if part == fails_at:
                    raise RuntimeError(name)
                self.now += each_us
                self.dealt.append(f"{name}{part}")
                yield

        self.inbox.put_frame(Instant(self.now), deal(), self.faults.append)


@pytest.fixture
def loop() -> Loop:
    return Loop()


def test_frame_is_processed_at_once_when_inbox_is_empty(loop: Loop):
    loop.put("a", parts=3)

    assert loop.dealt == ["a0", "a1", "a2"]
    assert loop.inbox.oldest_stamp is None
    assert loop.turns == 1
    assert not loop.ready


def test_turn_says_how_long_it_took(loop: Loop):
    """Each turn is measured by itself. The last turn only finds that the long frame has no further part."""
    loop.put("a", each_us=40)
    loop.put("b", parts=2, each_us=TURN_BUDGET_US)
    loop.until_quiet()

    assert loop.took_us == [40, TURN_BUDGET_US, TURN_BUDGET_US, 0]


def test_long_frame_lets_the_loop_read_on(loop: Loop):
    """No turn exceeds its limit, except for the part that ends it."""
    loop.put("a", parts=10, each_us=TURN_BUDGET_US // 2)

    assert loop.dealt == ["a0", "a1"]
    assert loop.inbox.oldest_stamp == 0
    loop.until_quiet()
    assert loop.dealt == [f"a{part}" for part in range(10)]
    assert loop.inbox.oldest_stamp is None


def test_later_frames_wait_for_rest_of_earlier_ones(loop: Loop):
    loop.put("a", parts=4, each_us=TURN_BUDGET_US)
    loop.put("b", parts=2, each_us=TURN_BUDGET_US)
    loop.put("c")

    loop.until_quiet()

    assert loop.dealt == ["a0", "a1", "a2", "a3", "b0", "b1", "c0"]


def test_next_turn_begins_after_some_quiet_passes(loop: Loop):
    loop.put("a", parts=2, each_us=TURN_BUDGET_US)
    loop.one_pass()
    loop.put("b")

    for _ in range(QUIET_PASSES - 1):
        loop.one_pass()
        assert loop.dealt == ["a0"]
    loop.one_pass()

    assert loop.dealt == ["a0", "a1"]


def test_endless_sender_does_not_block_others(loop: Loop):
    loop.put("a", parts=2, each_us=TURN_BUDGET_US)

    while len(loop.dealt) < 2:
        loop.put("b")
        loop.now += MAX_LISTEN_US // 10
        loop.one_pass()
        assert loop.now < TURN_BUDGET_US + 2 * MAX_LISTEN_US + TURN_BUDGET_US


def test_draining_processes_every_waiting_frame(loop: Loop):
    """It precedes any input that does not come from a frame."""
    loop.put("a", parts=3, each_us=TURN_BUDGET_US)
    loop.put("b", parts=2, each_us=TURN_BUDGET_US)

    loop.inbox.drain()

    assert loop.dealt == ["a0", "a1", "a2", "b0", "b1"]
    loop.until_quiet()
    assert len(loop.dealt) == 5


def test_error_ends_only_its_own_frame(loop: Loop):
    loop.put("a", parts=3, each_us=TURN_BUDGET_US, fails_at=1)
    loop.put("b")

    loop.until_quiet()

    assert loop.dealt == ["a0", "b0"]
    assert [str(fault) for fault in loop.faults] == ["a"]


def test_turn_ends_even_if_a_failure_cannot_be_reported(loop: Loop):
    """What the turn has staged waits for its end."""

    def fail() -> None:
        raise RuntimeError("a")

    def report(error: Exception) -> None:
        raise error

    with pytest.raises(RuntimeError, match="a"):
        loop.inbox.put_action(Instant(0), fail, report)

    assert loop.began == loop.turns == 1


def test_failure_after_a_turn_delays_no_further_frame(loop: Loop):
    """What sends messages at the end of a turn may fail. The frames of all sessions are still handled."""
    loop.put("a", parts=2, each_us=TURN_BUDGET_US)
    loop.sends = False
    with pytest.raises(RuntimeError, match="cannot send"):
        loop.until_quiet()
    loop.sends = True

    loop.put("b")
    loop.until_quiet()

    assert loop.dealt == ["a0", "a1", "b0"]


def test_shut_inbox_processes_nothing(loop: Loop):
    """Frames that arrive meanwhile wait too; afterwards all are processed in order."""
    loop.put("a", parts=2, each_us=TURN_BUDGET_US)
    loop.inbox.is_shut = True
    loop.put("b")
    loop.inbox.drain()
    loop.until_quiet()
    assert loop.dealt == ["a0"]

    loop.inbox.reopen()
    loop.until_quiet()

    assert loop.dealt == ["a0", "a1", "b0"]
