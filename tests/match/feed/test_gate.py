"""Recording before release: no message leaves before the journal has its input."""

from typing import Any

import pytest

from arena.errors import JournalError
from arena.match.feed.gate import Gate
from tests.support.feed_harness import FaultyJournal


class Box:
    """Something that is held back."""

    def __init__(self, journal: FaultyJournal) -> None:
        self._journal = journal
        self.kept_at_release: list[int] = []

    def seal(self) -> None:
        pass

    def release(self) -> None:
        self.kept_at_release.append(len(self._journal.kept))


@pytest.fixture
def journal() -> FaultyJournal:
    return FaultyJournal()


def test_released_messages_are_journalled_first(journal: FaultyJournal):
    """One loop pass makes one flush, and each box is released once, after it."""
    scheduled: list[Any] = []
    gate = Gate(journal, scheduled.append)
    ann, bob = Box(journal), Box(journal)

    for box in (ann, bob, ann):
        journal.append(b"input")
        gate.release_after_flush(box)
    assert ann.kept_at_release == bob.kept_at_release == []
    assert len(scheduled) == 1
    scheduled.pop()()

    assert ann.kept_at_release == bob.kept_at_release == [3]


def test_gate_is_shut_while_the_journal_cannot_be_written(journal: FaultyJournal):
    """It reports the error and may be retried; then everything leaves, including what arrived meanwhile."""
    scheduled: list[Any] = []
    faults: list[Any] = []
    gate = Gate(journal, scheduled.append, on_fault=lambda: faults.append(gate.fault))
    first, second = Box(journal), Box(journal)
    journal.fault = JournalError("no space left")

    journal.append(b"1")
    gate.release_after_flush(first)
    scheduled.pop()()
    journal.append(b"2")
    gate.release_after_flush(second)
    scheduled.pop()()

    assert first.kept_at_release == second.kept_at_release == []
    assert faults == [journal.fault] * 2
    journal.fault = None
    gate.open()
    assert gate.fault is None
    assert first.kept_at_release == second.kept_at_release == [2]


def test_what_a_short_turn_stages_leaves_at_its_end(journal: FaultyJournal):
    """It needs no further pass of the loop, but still one flush, and that comes first."""
    scheduled: list[Any] = []
    gate = Gate(journal, scheduled.append)
    box = Box(journal)

    gate.begin_turn()
    for _ in range(2):
        journal.append(b"input")
        gate.release_after_flush(box)
    assert box.kept_at_release == []
    gate.end_turn(is_short=True)

    assert box.kept_at_release == [2]
    assert not scheduled


def test_what_a_long_turn_stages_waits_for_the_end_of_the_pass(journal: FaultyJournal):
    """Frames that have arrived meanwhile may add to it."""
    scheduled: list[Any] = []
    gate = Gate(journal, scheduled.append)
    box = Box(journal)

    for _ in range(2):
        gate.begin_turn()
        journal.append(b"input")
        gate.release_after_flush(box)
        gate.end_turn(is_short=False)
    assert box.kept_at_release == []
    assert len(scheduled) == 1
    scheduled.pop()()

    assert box.kept_at_release == [2]


def test_a_short_turn_does_not_overtake_what_is_scheduled(journal: FaultyJournal):
    """There is one flush for both."""
    scheduled: list[Any] = []
    gate = Gate(journal, scheduled.append)
    early, late = Box(journal), Box(journal)

    gate.release_after_flush(early)
    gate.begin_turn()
    gate.release_after_flush(late)
    gate.end_turn(is_short=True)
    assert early.kept_at_release == late.kept_at_release == []
    scheduled.pop()()

    assert early.kept_at_release == late.kept_at_release == [0]
    assert not scheduled


def test_a_turn_that_stages_nothing_writes_nothing(journal: FaultyJournal):
    scheduled: list[Any] = []
    gate = Gate(journal, scheduled.append)

    gate.begin_turn()
    journal.append(b"input")
    gate.end_turn(is_short=True)

    assert not journal.kept
    assert not scheduled


def test_gate_shuts_at_the_end_of_a_short_turn_too(journal: FaultyJournal):
    """A journal that cannot be written holds everything back, and the next opening releases it."""
    faults: list[Any] = []
    gate = Gate(journal, lambda _: None, on_fault=lambda: faults.append(gate.fault))
    box = Box(journal)
    journal.fault = JournalError("no space left")

    gate.begin_turn()
    journal.append(b"1")
    gate.release_after_flush(box)
    gate.end_turn(is_short=True)

    assert faults == [journal.fault]
    assert box.kept_at_release == []
    journal.fault = None
    gate.open()
    assert box.kept_at_release == [1]


def test_messages_held_while_the_gate_opens_wait_for_the_next_time(journal: FaultyJournal):
    """Their input may not be recorded yet."""
    scheduled: list[Any] = []
    gate = Gate(journal, scheduled.append)
    late = Box(journal)

    class Chain:
        def seal(self) -> None:
            pass

        def release(self) -> None:
            journal.append(b"late")
            gate.release_after_flush(late)

    gate.release_after_flush(Chain())
    scheduled.pop()()
    assert late.kept_at_release == []
    scheduled.pop()()

    assert late.kept_at_release == [1]
