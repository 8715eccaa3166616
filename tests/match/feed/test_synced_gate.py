"""Release after the disk sync: messages that a sync covers leave at its end, and the next sync starts at once."""

from collections.abc import Callable

import pytest

from arena.errors import JournalError
from arena.match.feed.outbox import Outbox
from arena.match.feed.synced_gate import SyncedGate
from arena.match.referee.scalars import Instant
from tests.support.feed_harness import FaultyJournal


class SlowDisk:
    """A disk whose syncs end when the test says so."""

    def __init__(self, journal: FaultyJournal) -> None:
        self._journal = journal
        self._then: Callable[[JournalError | None], None] | None = None
        self._covered: list[bytes] = []
        self.count = 0
        """Syncs that have begun."""
        self.has: list[bytes] = []
        """What would be there after a power cut."""

    @property
    def is_busy(self) -> bool:
        return self._then is not None

    def sync(self, then: Callable[[JournalError | None], None]) -> None:
        assert self._then is None, "one sync at a time"
        self._then, self._covered = then, self._journal.kept.copy()
        self.count += 1

    def end(self, fault: JournalError | None = None) -> None:
        then, self._then = self._then, None
        assert then is not None
        if fault is None:
            self.has = self._covered
        then(fault)


class Arena:
    """A gate with its surroundings, and bots that note what the disk had when they got a message."""

    def __init__(self) -> None:
        self.now = 0
        self.journal = FaultyJournal()
        self.disk = SlowDisk(self.journal)
        self.scheduled: list[Callable[[], None]] = []
        self.faults: list[JournalError | None] = []
        self.told_at_reopening: list[str] = []
        self.synced: list[tuple[int, int]] = []
        self.gate = SyncedGate(
            self.journal,
            self.scheduled.append,
            self.disk.sync,
            lambda: Instant(self.now),
            on_fault=lambda: self.faults.append(self.gate.fault),
            on_reopened=lambda: self.told_at_reopening.append(self.names),
            on_synced=lambda since, waited_us: self.synced.append((since, waited_us)),
        )
        self.told: list[tuple[str, list[bytes]]] = []

    def decide(self, name: str, ends_pass: bool = True) -> None:
        """Record a decision and stage its answer."""
        self.now += 1_000
        self.journal.append(name.encode())
        self.gate.release_after_flush(Answer(self, name))
        if ends_pass:
            self.end_pass()

    def end_pass(self) -> None:
        while self.scheduled:
            self.scheduled.pop(0)()

    @property
    def names(self) -> str:
        """Return the bots that received a message, in order."""
        return "".join(name for name, _ in self.told)


class Answer:
    def __init__(self, arena: Arena, name: str) -> None:
        self._arena, self._name = arena, name

    def seal(self) -> None:
        pass

    def release(self) -> None:
        self._arena.told.append((self._name, self._arena.disk.has))


@pytest.fixture
def arena() -> Arena:
    return Arena()


def test_nothing_is_released_before_the_sync_has_ended(arena: Arena):
    arena.decide("a")
    assert arena.journal.kept == [b"a"]
    assert arena.told == []

    arena.disk.end()

    assert arena.told == [("a", [b"a"])]


def test_messages_during_a_sync_wait_for_the_next_which_covers_them_all(arena):
    """Group commit: however slow the disk is, two syncs suffice for any number of decisions."""
    arena.decide("a")
    for name in "bcdefgh":
        arena.decide(name)
    assert arena.disk.count == 1

    arena.disk.end()
    assert arena.names == "a"
    assert arena.disk.is_busy, "the next sync begins when the last ends"
    arena.decide("i")
    arena.disk.end()

    assert arena.names == "abcdefgh"
    assert arena.disk.count == 3
    arena.disk.end()
    assert arena.names == "abcdefghi"
    assert not arena.disk.is_busy, "nothing is left to bring to the disk"
    assert all(name.encode() in had for name, had in arena.told)


def test_messages_staged_within_one_pass_share_a_sync(arena: Arena):
    """The sync starts at the end of the pass."""
    arena.decide("a")
    arena.decide("b", ends_pass=False)

    arena.disk.end()
    assert not arena.disk.is_busy
    arena.decide("c")

    arena.disk.end()
    assert arena.names == "abc"
    assert arena.disk.count == 2


def test_failed_sync_shuts_the_gate_and_releases_nothing(arena: Arena):
    fault = JournalError("input/output error")
    arena.decide("a")
    arena.decide("b")

    arena.disk.end(fault)

    assert arena.told == []
    assert arena.faults == [fault]
    assert not arena.disk.is_busy, "when to try again is not the gate's to say"


def test_after_an_error_everything_leaves_in_order(arena):
    arena.decide("a")
    arena.decide("b")
    arena.disk.end(JournalError("input/output error"))

    arena.gate.open()
    assert arena.gate.fault is not None, "not over before the sync has ended"
    arena.disk.end()

    assert arena.gate.fault is None
    assert arena.names == "ab"
    assert arena.told_at_reopening == [""]


def test_journal_that_cannot_be_written_is_not_synced(arena: Arena):
    arena.journal.fault = JournalError("no space left")
    arena.decide("a")
    assert arena.disk.count == 0

    arena.journal.fault = None
    arena.gate.open()
    arena.disk.end()

    assert arena.told == [("a", [b"a"])]


def test_gate_reports_up_to_when_everything_has_been_released(arena: Arena):
    """A node that enforces deadlines must skip the deadline of a prompt that has not left."""
    told = [arena.gate.released_upto]
    arena.decide("a")  # flushed at 1 ms
    arena.disk.end()
    arena.decide("b")  # flushed at 2 ms
    arena.decide("c")
    told.append(arena.gate.released_upto)
    arena.disk.end()
    told.append(arena.gate.released_upto)
    arena.disk.end()
    told.append(arena.gate.released_upto)

    assert told == [None, 1_000, 2_000, None]


def test_gate_reports_how_long_the_disk_took(arena: Arena):
    """The time runs from the request of a sync, so that waiting for another sync counts, to its end."""
    arena.decide("a")  # at 1 ms
    arena.now = 11_000
    arena.decide("b")  # at 12 ms
    arena.now = 20_000
    arena.disk.end()
    arena.now = 25_000
    arena.disk.end()

    assert arena.synced == [(0, 19_000), (1_000, 13_000)]


def test_error_lengthens_the_reported_wait_instead_of_restarting_it(arena: Arena):
    arena.decide("a")  # at 1 ms
    arena.disk.end(JournalError("input/output error"))
    arena.now = 50_000
    arena.gate.open()
    arena.disk.end()

    assert arena.synced == [(0, 49_000)]


def test_outbox_waiting_for_a_sync_holds_back_later_messages(arena: Arena):
    """One bot, two decisions within a sync: the second leaves only after a sync that covers it has ended."""
    outbox = Outbox(lambda: None, lambda: Instant(arena.now), 1 << 20, 1 << 40)

    def decide(name: bytes) -> None:
        arena.journal.append(name)
        if outbox.stage(name):
            arena.gate.release_after_flush(outbox)
        arena.end_pass()

    decide(b"a")
    decide(b"b")
    decide(b"c")
    assert outbox.take_frame() == []

    arena.disk.end()
    assert outbox.take_frame() == [b"a"]
    assert arena.disk.is_busy
    arena.disk.end()
    assert outbox.take_frame() == [b"b", b"c"]
    assert arena.disk.has == [b"a", b"b", b"c"]


def test_failed_sync_loses_no_messages_of_an_outbox(arena: Arena):
    outbox = Outbox(lambda: None, lambda: Instant(arena.now), 1 << 20, 1 << 40)
    for name in (b"a", b"b"):
        arena.journal.append(name)
        if outbox.stage(name):
            arena.gate.release_after_flush(outbox)
        arena.end_pass()

    arena.disk.end(JournalError("the disk is gone"))
    assert outbox.take_frame() == []
    arena.gate.open()
    arena.disk.end()

    assert outbox.take_frame() == [b"a", b"b"]
