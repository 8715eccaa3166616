"""A league that lasts a week, on a virtual clock: tables wait for their bots, and absent bots forfeit at the close."""

import asyncio
from datetime import UTC, datetime
from itertools import pairwise
from random import Random

import pytest

from arena.errors import EnvironmentFaultError, OptionError, UnknownNameError
from tests.organizer.virtual_week import GAME_S, HOUR, MONDAY, STEP_S, Week

DAYS = [(24 * day + 18, 24 * day + 22) for day in range(7)]
"""Seven evenings, from 18 to 22 o'clock."""
NAMES = "ann bob cid dot"


def always(name: str, at: float) -> bool:
    return True


def hour_of(at: float) -> float:
    return at / HOUR % 24


def never_eve(name: str, at: float) -> bool:
    return name != "eve"


@pytest.mark.slow
async def test_tables_of_a_week_are_played_when_their_bots_are_there(tmp_path):
    """Each bot comes for another part of each evening, and any two meet for some minutes."""
    hours = {"ann": (17, 20.5), "bob": (18.5, 21.75), "cid": (20.25, 23), "dot": (19, 21)}

    def is_there(name: str, at: float) -> bool:
        return hours[name][0] <= hour_of(at) < hours[name][1]

    week = Week(tmp_path, NAMES, DAYS, is_there, "format = 'season'\ngames = 42")
    await week.play()

    assert len(week.results) == 42
    assert not week.forfeits
    assert not week.absences
    for began, number in week.began:
        assert all(is_there(name, began * HOUR) for name in week.names_of(number))
        assert 18 <= began % 24 < 22
    assert {int(began // 24) for began, _ in week.began} == set(range(7)), "three rounds each evening"
    assert week.clock.steady < 7 * 24 * HOUR


async def test_bot_that_never_comes_holds_up_nobody_and_forfeits_at_the_close(tmp_path):
    week = Week(tmp_path, "ann bob cid eve", [(18, 22)], never_eve, "format = 'season'\ngames = 200")
    await week.play()

    with_eve = {number for number in range(1, 201) if "eve" in week.names_of(number)}
    assert len(with_eve) == 100, "more than the tables that the dispatcher looks ahead"
    for began, number in week.began:
        assert (began >= 22) is (number in with_eve)
    assert week.forfeits == {"eve": 100}
    assert len(week.absences) == 100
    assert {values["block"] for values in week.absences} == with_eve
    assert max(awaited.get("eve", 0) for awaited in week.awaited) == 100
    assert week.awaited[-1] == {}


async def test_waiting_tables_begin_in_the_order_of_the_plan(tmp_path):
    def is_there(name: str, at: float) -> bool:
        return name != "eve" or at >= 20 * HOUR

    week = Week(tmp_path, "ann eve", [(18, 22)], is_there, "format = 'season'\ngames = 6")
    await week.play()

    assert [number for _, number in week.began] == [1, 2, 3, 4, 5, 6]
    assert week.began[0][0] == pytest.approx(20, abs=0.1)
    assert not week.forfeits


async def test_nothing_begins_before_the_opening_and_rounds_keep_their_dates(tmp_path):
    week = Week(tmp_path, NAMES, [(10, 11), (30, 31)], always, "format = 'swiss'\nrounds = 2\ngames = 1")
    await week.play()

    rounds = {number: week.store.rows[number, 0].round for _, number in week.began}
    assert {rounds[number] for began, number in week.began if 10 <= began < 11} == {1}
    assert {rounds[number] for began, number in week.began if 30 <= began < 31} == {2}


async def test_nobody_comes(tmp_path):
    week = Week(tmp_path, "ann bob", [(18, 19)], lambda name, at: False, "format = 'season'\ngames = 3")
    await week.play()

    assert week.forfeits == {"ann": 3, "bob": 3}
    assert [values["names"] for values in week.absences] == [["ann", "bob"]] * 3


async def test_late_round_is_drawn_although_somebody_never_came(tmp_path):
    """The forfeits of round 1 are results from which round 2 is drawn."""
    form = "format = 'swiss'\nrounds = 3\ngames = 1"
    week = Week(tmp_path, "ann bob cid eve", [(18, 19), (42, 43), (66, 67)], never_eve, form)
    await week.play()

    assert week.forfeits == {"eve": 3}
    assert max(row.round for row in week.store.rows.values()) == 3


# ---- interruptions


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
async def test_killed_league_loses_and_doubles_nothing(tmp_path, seed):
    chance = Random(seed)
    dates = [(18, 22), (42, 46)]

    def is_there(name: str, at: float) -> bool:
        return name == "ann" or (name != "eve" and int(at / 600 + len(name)) % 3 > 0)

    kills = sorted(chance.uniform(17, 23) + 24 * (number % 2) for number in range(12))
    week = Week(tmp_path, "ann bob cid eve", dates, is_there, "format = 'season'\ngames = 30")
    await week.play_through_kills(kills, pause_s=chance.choice([0.0, 30.0, 600.0]))

    assert sorted(row.number for row in week.store.rows.values()) == list(range(1, 31))
    assert len(week.results) == 30
    recorded = [(values["block"], name) for values in week.absences for name in values["names"]]
    assert len(recorded) == len(set(recorded))
    forfeited = [
        (result.block.number, name)
        for result in week.ledger.history
        for table in result.tables
        for name in table.forfeits
    ]
    assert sorted(recorded) == sorted(forfeited)
    assert all(began % 24 >= 22 for began, number in week.began if (number, "eve") in recorded)


@pytest.mark.parametrize("killed_at", [17.9, 18.01], ids=["before-the-opening", "during-games"])
async def test_league_that_starts_after_the_close_lets_bots_come_back_first(tmp_path, killed_at):
    """The bots dial in again some seconds after the league is back."""
    back_at = 23 * HOUR

    def is_there(name: str, at: float) -> bool:
        return at < 18.02 * HOUR or (name != "eve" and at >= back_at + 30)

    week = Week(tmp_path, "ann bob cid eve", [(18, 22)], is_there, "format = 'season'\ngames = 30")
    await week.play_through_kills([killed_at], pause_s=back_at - killed_at * HOUR - STEP_S)

    assert week.forfeits["eve"] > 0
    assert set(week.forfeits) == {"eve"}
    assert len(week.results) == 30


@pytest.mark.parametrize("sleeps_at", [17.0, 18.05], ids=["before-the-opening", "during-games"])
async def test_machine_that_slept_over_the_close_lets_bots_come_back_first(tmp_path, sleeps_at):
    """The steady clock stands still while the machine sleeps, and all connections are dead afterwards."""

    def is_there(name: str, at: float) -> bool:
        return not sleeps_at * HOUR <= at < sleeps_at * HOUR + 30

    week = Week(tmp_path, "ann bob cid", [(18, 22)], is_there, "format = 'season'\ngames = 30")
    week.clock.plan.append((sleeps_at * HOUR, lambda: setattr(week.clock, "ahead", 9 * HOUR)))
    await week.play()

    assert len(week.results) == 30
    assert not week.forfeits


async def test_connection_that_is_lost_for_a_moment_after_the_sleep_costs_nothing(tmp_path):
    """Also if the date had closed before: games that still wait for their turn keep their bots."""
    slept_at = 22.1

    def is_there(name: str, at: float) -> bool:
        return name != "eve" and not slept_at * HOUR <= at < slept_at * HOUR + 30

    week = Week(tmp_path, "ann bob eve", [(18, 22)], is_there, "format = 'season'\ngames = 60")
    week.clock.plan.append((slept_at * HOUR, lambda: setattr(week.clock, "ahead", 2 * HOUR)))
    await week.play()

    assert set(week.forfeits) == {"eve"}
    assert len(week.results) == 60


async def test_clock_that_is_wrong_for_a_moment_closes_nothing(tmp_path):
    def is_there(name: str, at: float) -> bool:
        return name != "eve" or at >= 20 * HOUR

    week = Week(tmp_path, "ann bob eve", [(18, 22)], is_there, "format = 'season'\ngames = 30")
    week.clock.plan += [
        (19 * HOUR, lambda: setattr(week.clock, "ahead", 365 * 24 * HOUR)),
        (19 * HOUR + 2 * STEP_S, lambda: setattr(week.clock, "ahead", 0.0)),
    ]
    await week.play()

    assert not week.forfeits


@pytest.mark.parametrize("hour", [18.1, 22.05])
async def test_clock_that_is_set_back_opens_and_closes_nothing_twice(tmp_path, hour):
    """By a day: nothing that has opened waits for its opening again, and what was forfeited stays so."""
    week = Week(tmp_path, "ann bob cid eve", [(18, 22)], never_eve, "format = 'season'\ngames = 300")
    week.clock.plan += [
        (hour * HOUR, lambda: setattr(week.clock, "ahead", -24 * HOUR)),
        (hour * HOUR + HOUR / 2, lambda: setattr(week.clock, "ahead", 0.0)),
    ]
    await week.play()

    assert len(week.results) == 300
    assert week.forfeits == {"eve": 150}
    times = sorted(began for began, number in week.began if "eve" not in week.names_of(number))
    assert all(later - earlier < 0.1 for earlier, later in pairwise(times))


async def test_clock_that_is_set_back_before_a_restart_opens_nothing_twice(tmp_path):
    def set_back_and_kill() -> None:
        week.clock.ahead = -20 * HOUR
        week.kill()

    week = Week(tmp_path, "ann bob cid", [(18, 22)], always, "format = 'season'\ngames = 60")
    week.clock.plan.append((18.3 * HOUR, set_back_and_kill))
    await asyncio.gather(week.play(), return_exceptions=True)
    assert 0 < len(week.results) < 60
    await week.play()

    assert max(began for began, _ in week.began) < 22


async def test_league_without_a_node_ends_instead_of_waiting(tmp_path):
    week = Week(tmp_path, "ann bob", [(18, 22)], lambda name, at: False, "format = 'season'\ngames = 2")
    week.clock.plan.append((19 * HOUR, lambda: setattr(week, "has_node", False)))

    with pytest.raises(EnvironmentFaultError, match="no node is left"):
        await week.play()
    assert week.clock.steady == pytest.approx(19 * HOUR, abs=2 * STEP_S)


# ---- connections that only seem to be there


async def test_bot_that_takes_no_seat_is_asked_again_and_holds_up_nobody(tmp_path):
    """Its machine went to sleep: the server still believes that it is connected."""
    week = Week(tmp_path, "ann bob cid eve", [(18, 22)], always, "format = 'season'\ngames = 30")
    week.refusing.add("eve")
    week.clock.plan.append((20 * HOUR, week.refusing.clear))
    await week.play()

    assert not week.forfeits
    assert len(week.results) == 30
    others = [began for began, number in week.began if "eve" not in week.names_of(number)]
    assert max(others) < 18.6, "as fast as without eve"
    assert sum(week.store.opened.values()) < 30 + 2 * 3600 / 30 + 10, "one offer in half a minute"
    assert all(began >= 20 for began, number in week.began if "eve" in week.names_of(number))


async def test_games_that_began_before_the_close_end_after_it(tmp_path):
    week = Week(tmp_path, "ann bob", [(18, 18 + GAME_S / HOUR)], always, "format = 'season'\ngames = 2")
    await week.play()

    assert len(week.results) == 2
    assert not week.forfeits


# ---- amendments


def monday(hours: float) -> datetime:
    return datetime.fromtimestamp(MONDAY + hours * HOUR, UTC)


async def test_extended_round_waits_again_for_games_that_were_made_void(tmp_path):
    """The arena was out of reach for eve until 23 o'clock, and the organizer gives it another evening."""

    def is_there(name: str, at: float) -> bool:
        return name != "eve" or at >= 44 * HOUR

    week = Week(tmp_path, "ann eve", [(18, 22)], is_there, "format = 'season'\ngames = 2")
    await week.play()
    assert week.forfeits == {"eve": 2}

    await week.amend("extend", "1", monday(46))
    await week.amend("void", week.results[0].match_id)
    await week.play()

    assert week.forfeits == {"eve": 1}
    assert week.began[-1][0] == pytest.approx(44, abs=0.1)


async def test_extension_names_a_round_and_a_later_close(tmp_path):
    week = Week(tmp_path, "ann bob", [(18, 22)], always, "format = 'season'\ngames = 2")
    await week.play()

    with pytest.raises(UnknownNameError, match="round with a date"):
        await week.amend("extend", "3", monday(46))
    with pytest.raises(UnknownNameError, match="round with a date"):
        await week.amend("extend", "one", monday(46))
    with pytest.raises(OptionError, match="say when the round closes instead"):
        await week.amend("extend", "1")
    with pytest.raises(OptionError, match="closes at 2026-11-30 22:00 UTC already"):
        await week.amend("extend", "2", monday(20))
    with pytest.raises(OptionError, match="is the year right"):
        await week.amend("extend", "2", monday(20 + 24 * 365))
