"""Lost time is credited: waits for a core within bounds, on the record, and without telling who answered.

Stalls of the event loop are credited at once, and logged in one line a minute.
"""

import asyncio

import pytest
from structlog.testing import capture_logs

from arena.bots.launch.cpu_times import RunQueueWaits
from arena.match.game import Seat
from arena.match.referee.inputs import Answer, Credit, Tick, read_record
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.server.node.time_credits import REPORT_INTERVAL_S, CoreWaits, MatchCredits, StallCredit
from arena.server.node.timers import READ_MARGIN_US
from tests.match.referee.driver import MS, RAID, DecisionStatus, MatchDriver, S, start_match
from tests.simulation.virtual_time import VirtualLoop, World
from tests.support.prepared_cheat import live_cheat, sealed_cheat
from tests.support.server import LocalServer, slow_pace

DEADLINE = 2 * S
"""Of a turn in the sealed pace."""


class Machine:
    """A clock and a run queue that a test moves, and the match that waits for them."""

    def __init__(self, game: MatchDriver) -> None:
        self.now = 0
        self.waited = 0
        self.game = game
        self.backdated = 0
        """By how much arrival stamps lie before the arrival."""
        self.waits = CoreWaits(
            lambda: Instant(self.now), lambda: Instant(self.now - self.backdated), lambda: self.waited
        )
        self.credits = MatchCredits(game.table)

    @property
    def due(self) -> int:
        """When the match closes its questions."""
        assert self.game.due is not None
        return self.game.due

    def reach(self, deadline: int) -> None:
        """Take the samples that the timer takes before a deadline."""
        for lead in (25 * MS, 5 * MS):
            self.now = deadline - lead
            self.waits.sample()

    def wait(self, us: int) -> None:
        """Let the process wait for a core."""
        self.now += us
        self.waited += us

    def answer(self, text: str, at: int, now: int | None = None) -> DecisionStatus:
        """Let entrant 0 answer its first prompt, as the node does, and return the status."""
        self.now = at if now is None else now
        self.credits.credit_late_answer(self.waits, Instant(at), Instant(self.now))
        self.game.put_answer(0, 1, 1, self.game.game.read_action(text), at, self.now)
        (answer,) = [answer for status in DecisionStatus for answer in self.game.answers(0, status)]
        return answer.status

    def run_until_closed(self, deadline: int) -> int:
        """Look at a deadline every tenth of a millisecond, as the node does, until it takes effect; return when."""
        self.now = max(self.now, deadline + READ_MARGIN_US)
        while self.due + READ_MARGIN_US > self.now or self.credits.credit_deadline(self.waits, Instant(self.now)):
            self.now += 100
        return self.now


def raid_with_waits(us: int, since: int = DEADLINE - 4 * MS) -> Machine:
    """Return a match whose server waits for a core from an instant on."""
    machine = Machine(start_match(RAID))
    machine.reach(DEADLINE)
    machine.now = since
    machine.wait(us)
    return machine


def test_answer_that_waited_with_the_server_counts_and_the_replay_agrees():
    machine = raid_with_waits(7 * MS)

    assert machine.answer("aim 2", DEADLINE + 3 * MS) is DecisionStatus.ACCEPTED

    records = map(read_record, machine.game.paper.records)
    assert [entry.us for entry in records if isinstance(entry, Credit)] == [7 * MS]
    machine.game.check_replay()


@pytest.mark.parametrize(("waited", "at"), [(0, 1), (2 * MS, 2 * MS + 1), (100 * MS, 11_501)])
def test_answer_later_than_the_waits_explain_is_late(waited, at):
    """Never more than 11.5 ms are credited."""
    machine = raid_with_waits(waited)

    assert machine.answer("aim 2", DEADLINE + at, DEADLINE + 13 * MS) is DecisionStatus.REFUSED
    assert machine.game.strikes(0) == {"late": 1}


def test_answer_that_may_have_come_20_ms_late_gets_no_credit():
    """Its stamp may lie before its arrival, so what counts here is when it is handled."""
    handled_at = DEADLINE + 20 * MS

    assert raid_with_waits(12 * MS).answer("aim 2", DEADLINE + 8 * MS, handled_at - 1) is DecisionStatus.ACCEPTED
    assert raid_with_waits(12 * MS).answer("aim 2", DEADLINE + 8 * MS, handled_at) is DecisionStatus.REFUSED


def test_waits_that_ended_5_ms_before_the_deadline_are_not_credited():
    machine = Machine(start_match(RAID))
    machine.now = DEADLINE - 25 * MS
    machine.waits.sample()
    machine.wait(20 * MS)
    machine.waits.sample()

    assert machine.answer("aim 2", DEADLINE + 1) is DecisionStatus.REFUSED


def test_late_sample_still_finds_the_waits():
    """The loop was late for the second sample, because the process waited."""
    machine = Machine(start_match(RAID))
    machine.now = DEADLINE - 25 * MS
    machine.waits.sample()
    machine.now = DEADLINE - 6 * MS
    machine.wait(8 * MS)

    assert machine.answer("aim 2", DEADLINE + 2 * MS) is DecisionStatus.ACCEPTED


def test_what_was_credited_as_a_stall_is_not_credited_again():
    machine = raid_with_waits(7 * MS)
    machine.waits.on_stall(60 * MS)

    assert machine.answer("aim 2", DEADLINE + 3 * MS) is DecisionStatus.REFUSED


def test_deadline_takes_effect_later_by_the_waits():
    assert raid_with_waits(0).run_until_closed(DEADLINE) == DEADLINE + READ_MARGIN_US
    assert raid_with_waits(6 * MS).run_until_closed(DEADLINE) == DEADLINE + 6 * MS + READ_MARGIN_US


def test_waits_after_the_deadline_move_it_again_up_to_the_bound():
    machine = raid_with_waits(5 * MS)
    machine.now = DEADLINE + READ_MARGIN_US
    assert machine.credits.credit_deadline(machine.waits, Instant(machine.now))
    machine.wait(9 * MS)

    assert machine.run_until_closed(DEADLINE) == DEADLINE + 11_500 + READ_MARGIN_US
    assert machine.game.due == DEADLINE + 11_500
    machine.game.check_replay()


def test_deadline_does_not_move_by_what_stamps_give_anyway():
    machine = raid_with_waits(6 * MS)
    machine.backdated = 8 * MS

    assert machine.run_until_closed(DEADLINE) == DEADLINE + READ_MARGIN_US


def window_closes_at(late_answer: str, backdated: int) -> int:
    """Return when a fixed window closes in which entrant 0 answered too late, or did not."""
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C", start=2), fixed_window=True)
    game.send(2, "1K 2C", 0)
    machine, deadline = Machine(game), S
    machine.backdated = backdated
    machine.reach(deadline)
    machine.now = deadline - 3 * MS
    machine.wait(6 * MS)
    machine.now += 1 * MS
    if late_answer:
        prompt, action = game.prompt(0).id, game.game.read_action(late_answer)
        machine.credits.credit_late_answer(machine.waits, Instant(deadline + 2 * MS), Instant(machine.now))
        now = Instant(machine.now)
        answer = Answer(Instant(deadline + 2 * MS), now, EntrantIndex(0), PromptId(prompt), 1, late_answer, "", action)
        game.apply(answer)
        assert game.answers(0, DecisionStatus.ACCEPTED)
    return machine.run_until_closed(deadline)


@pytest.mark.parametrize("backdated", [0, 3 * MS])
def test_fixed_window_closes_at_the_same_instant_whoever_answered_late(backdated):
    silent = window_closes_at("", backdated)

    assert silent == window_closes_at("decline", backdated) == window_closes_at("call", backdated)


def test_live_tables_with_several_questions_get_no_credit():
    game = start_match(live_cheat("4D KS 5S", "QS 9D 6H", "2C 7C 8H"), style="live")
    game.send(0, "1K 4D", 0)
    machine = Machine(game)
    machine.reach(machine.due)
    machine.wait(10 * MS)

    assert not machine.credits.credit_deadline(machine.waits, Instant(machine.now))


@pytest.mark.replaces_code
async def test_node_credits_answers_and_deadlines(site: LocalServer, monkeypatch):
    """Ann's answer comes 4 ms late by its stamp, and nobody answers afterwards."""
    if RunQueueWaits.open() is None:
        pytest.skip("this system does not report waits for a core")
    monkeypatch.setattr(CoreWaits, "waited_since", lambda *_: 6 * MS)
    match, (ann, _) = await site.seat_bots("ann", "bob", pace=slow_pace())
    _, prompt = await ann.wait_for_prompt("cheat_turn")
    registry = site.node.registry
    hosted = registry.matches[match.match_number]
    game = hosted.table.referee.current_game
    assert game is not None
    assert hosted.due is not None
    action, at = game.game.automatic_action(game.state, Seat(0), "turn"), Instant(hosted.due + 4 * MS)
    text, prompt_id = game.game.write_action(action), PromptId(prompt.id)

    registry.apply_input(hosted, Answer(at, at, EntrantIndex(0), prompt_id, 1, text, action=action))
    window_end = hosted.due
    assert window_end is not None
    now = Instant(window_end + READ_MARGIN_US)
    monkeypatch.setattr(registry._observers.core_waits, "stamp", lambda: now)
    registry.tick(window_end, now)

    assert hosted.table.referee.entrant_records[0].strikes.total() == 0
    assert hosted.due == window_end + 6 * MS, "the window stays open for what may still wait"
    await site.node.journal.wait_until_flushed()
    credited = [each.us for each in site.read_journal() if isinstance(each, Credit)]
    assert credited.count(6 * MS) == 2, "the others are for stalls of this busy machine"
    assert not [each for each in site.read_journal() if isinstance(each, Tick)]


async def stall_for_two_minutes(every_s: float) -> list[int]:
    """Stall for 80 ms again and again, until two minutes have passed. Return what the matches were credited."""
    loop, credited = asyncio.get_running_loop(), list[int]()
    resumed = asyncio.Event()
    resumed.set()
    stalls = StallCredit({1: None}, lambda us, _: credited.append(us), lambda: Instant(int(loop.time() * 1e6)), resumed)
    while loop.time() < 2 * REPORT_INTERVAL_S:
        await asyncio.sleep(every_s)
        stalls.on_stall(80 * MS)
    await asyncio.sleep(REPORT_INTERVAL_S)
    return credited


@pytest.mark.replaces_code
def test_stalls_are_added_up_once_a_minute():
    """On a busy machine, they were most lines of the log."""
    with capture_logs() as logs, asyncio.Runner(loop_factory=lambda: VirtualLoop(World(1))) as runner:
        credited = runner.run(stall_for_two_minutes(1.0))

    first, *others = logs
    assert (first["event"], first["count"], first["longest_ms"], first["total_ms"]) == ("loop stalled", 1, 80, 80)
    assert len(others) == 2
    assert sum(each["count"] for each in logs) == len(credited) > 100
    assert all(each["total_ms"] == 80 * each["count"] for each in logs)


@pytest.mark.replaces_code
def test_rare_stalls_are_logged_at_once():
    with capture_logs() as logs, asyncio.Runner(loop_factory=lambda: VirtualLoop(World(1))) as runner:
        runner.run(stall_for_two_minutes(REPORT_INTERVAL_S + 1))

    assert [each["count"] for each in logs] == [1, 1]
