"""A league without dates, on a virtual clock: blocks of absent bots are played later, and not for ever."""

from pathlib import Path

import pytest

from arena.competition.league.model import Block
from arena.organizer.play.attendance import PATIENCE_S, Attendance
from tests.organizer.virtual_week import GAME_S, HOUR, STEP_S, IsThere, VirtualClock, Week

PATIENCE_H = PATIENCE_S / HOUR


def season(folder: Path, names: str, games: int, is_there: IsThere) -> Week:
    return Week(folder, names, (), is_there, f"format = 'season'\ngames = {games}\ntables = 1")


def split(week: Week, name: str) -> tuple[list[float], list[float]]:
    """Return when the blocks without and with a bot began, in hours."""
    began = sorted(week.began)
    return (
        [at for at, number in began if name not in week.names_of(number)],
        [at for at, number in began if name in week.names_of(number)],
    )


def away_until(hour: float) -> IsThere:
    return lambda name, at: name != "eve" or at >= hour * HOUR


async def test_absent_bot_holds_up_nobody_and_forfeits_when_nothing_else_is_left(tmp_path):
    week = season(tmp_path, "ann bob cid eve", 60, away_until(1e6))
    await week.play()

    others, hers = split(week, "eve")
    assert (len(others), len(hers)) == (30, 30)
    assert hers[0] >= others[-1] + GAME_S / HOUR + PATIENCE_H
    assert week.forfeits == {"eve": 30}
    assert {values["block"] for values in week.absences} == {n for _, n in week.began if "eve" in week.names_of(n)}
    assert {values["waited_s"] for values in week.absences} == {PATIENCE_S}
    assert max(awaited.get("eve", 0) for awaited in week.awaited) == 30
    assert week.awaited[-1] == {}


async def test_bot_that_comes_while_the_league_waits_for_it_forfeits_nothing(tmp_path):
    week = season(tmp_path, "ann bob eve", 12, away_until(1))
    alone = season(tmp_path / "alone", "ann bob eve", 12, away_until(1e6))
    await alone.play()
    ready = split(alone, "eve")[0][-1] + GAME_S / HOUR
    week.is_there = away_until(ready + PATIENCE_H - 3 * STEP_S / HOUR)

    await week.play()

    assert not week.forfeits
    assert len(week.results) == 12


async def test_bot_that_comes_too_late_still_plays_its_remaining_blocks(tmp_path):
    alone = season(tmp_path / "alone", "ann bob eve", 30, away_until(1e6))
    await alone.play()
    _, hers = split(alone, "eve")
    came = hers[len(hers) // 2] * HOUR + STEP_S
    week = season(tmp_path, "ann bob eve", 30, away_until(came / HOUR))
    await week.play()

    assert 0 < week.forfeits["eve"] < len(hers)
    assert len(week.absences) == week.forfeits["eve"]
    assert all(
        ("eve" in table.forfeits) is (at * HOUR < came)
        for at, number in week.began
        for result in week.ledger.history
        if result.block.number == number and "eve" in result.block.names
        for table in result.tables
    )


async def test_bot_that_played_again_is_waited_for_again(tmp_path):
    """It goes a second time: the whole patience begins anew."""
    alone = season(tmp_path / "alone", "ann eve", 30, away_until(1e6))
    await alone.play()
    back = alone.began[5][0] * HOUR
    gone = back + 2 * GAME_S

    def is_there(name: str, at: float) -> bool:
        return name != "eve" or back <= at < gone

    week = season(tmp_path, "ann eve", 30, is_there)
    await week.play()

    later = [at for at, _ in sorted(week.began) if at * HOUR >= gone]
    assert later[0] * HOUR >= gone + PATIENCE_S
    assert week.forfeits["ann"] == 0


async def test_round_that_is_drawn_from_results_waits_for_the_patience_alone(tmp_path):
    week = Week(tmp_path, "ann bob cid eve", (), away_until(1e6), "format = 'swiss'\nrounds = 3\ngames = 1\ntables = 1")
    await week.play()

    assert max(row.round for row in week.store.rows.values()) == 3
    assert week.forfeits == {"eve": 3}
    assert week.clock.steady < 3 * (PATIENCE_S + 2 * GAME_S) + 20 * STEP_S


async def test_bot_that_is_connected_and_takes_no_seat_ends_the_patience_too(tmp_path):
    week = season(tmp_path, "ann bob eve", 12, lambda name, at: True)
    week.refusing.add("eve")
    await week.play()

    assert week.forfeits == {"eve": 8}


async def test_resumed_league_waits_anew_and_remembers_what_was_forfeited(tmp_path):
    alone = season(tmp_path / "alone", "ann bob eve", 30, away_until(1e6))
    await alone.play()
    _, hers = split(alone, "eve")
    killed = hers[4] + GAME_S / HOUR / 2
    week = season(tmp_path, "ann bob eve", 30, away_until(killed + PATIENCE_H / 2))

    await week.play_through_kills([killed])

    recorded = {values["block"] for values in week.absences}
    assert 0 < len(recorded) < len(hers)
    assert week.forfeits == {"eve": len(recorded)}
    assert len(week.results) == 30


async def test_nobody_comes_and_nobody_wins(tmp_path):
    week = season(tmp_path, "ann bob", 4, lambda name, at: False)
    await week.play()

    assert week.forfeits == {"ann": 4, "bob": 4}


@pytest.mark.parametrize(("tables", "needs"), [(1, True), (2, False)])
def test_block_whose_tables_share_a_deal_is_not_offered_again(tables, needs):
    """Otherwise a bot could leave its table waiting until it knows the cards from another table."""
    names = [("ann", "bob"), ("cid", "dot")]
    attendance = Attendance((), {"ann"}, (), _EmptyLedger(), VirtualClock())  # type: ignore[arg-type]  # all that it asks
    block = Block(1, 1, tuple(names[:tables]))
    assert not attendance.may_begin(block)

    attendance.update(["ann"])

    assert attendance.may_begin(block)
    assert attendance.needs_everybody(block) is needs


class _EmptyLedger:
    acts = rows = ()
