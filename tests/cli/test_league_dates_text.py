"""What an organizer sees of a league's dates: in the progress line, in the status and in the report."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.cli.league.progress import progress_line, waiting_text
from arena.cli.league.status import show_status, status_lines
from arena.competition.league.model import RoundDate
from arena.errors import OptionError
from arena.organizer.file.league_dates import parse_moment
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.report.report_page import render_report
from arena.organizer.seal.ledger_entries import ABSENT, EXTENDED
from arena.organizer.view.league_text import describe_ledger_entry
from arena.organizer.view.league_view import build_dates_view, list_absences, list_awaited
from tests.organizer.leagues import write_league
from tests.organizer.simulated_league import BEGAN_AT, SimulatedLeague
from tests.support.league_views import make_league_view, make_names

HOUR = 3600.0
DATES = (RoundDate(1, 2, BEGAN_AT, BEGAN_AT + HOUR), RoundDate(3, 3, BEGAN_AT + 24 * HOUR, BEGAN_AT + 25 * HOUR))


def simulate(folder: Path, **settings: Any) -> SimulatedLeague:
    usual: dict[str, Any] = {"bots": 4, "seats": 2, "games": 6, "tables": 1}
    return SimulatedLeague(read_league_file(write_league(folder, **{**usual, **settings})))


async def record_absence(made_up: SimulatedLeague, block: int, *names: str) -> None:
    await made_up.ledger.add_entry(ABSENT, {"block": block, "attempt": 0, "round": 1, "names": list(names)})


# ---- the progress line


def test_progress_line_says_who_is_awaited_until_when():
    assert waiting_text(DATES, ["ann", "bob"], BEGAN_AT + 1) == (
        "; waiting for ann and bob to connect until 2023-11-14 23:13:20 UTC"
    )
    assert waiting_text(DATES, [], BEGAN_AT + 1) == ""
    assert waiting_text(DATES, [], BEGAN_AT + HOUR) == "; round 3 from 2023-11-15 22:13:20 UTC on"
    assert waiting_text(DATES, [], BEGAN_AT - 1) == "; rounds 1 to 2 from 2023-11-14 22:13:20 UTC on"
    assert waiting_text(DATES, [], BEGAN_AT + 30 * HOUR) == ""
    assert waiting_text((), ["ann"], BEGAN_AT) == "; waiting for ann to connect"


async def test_progress_line_of_a_league_with_dates_has_no_rate(tmp_path):
    made_up = simulate(tmp_path)
    await made_up.play(blocks=2)

    line = progress_line(made_up.open_league(DATES), [], 10.0, 0, ["bot0"], BEGAN_AT + 1)

    assert line == "2 of 6 games; waiting for bot0 to connect until 2023-11-14 23:13:20 UTC"


# ---- dates, games and absences


async def test_games_of_each_entrant_are_counted_by_date(tmp_path):
    made_up = simulate(tmp_path)
    await made_up.play(blocks=3)
    first = made_up.ledger.history[0].block
    await record_absence(made_up, first.number, first.names[0])

    one, two = build_dates_view(made_up.open_league(DATES), BEGAN_AT + 2 * HOUR)

    assert (one.state, two.state) == ("closed", "to come")
    assert sum(each.games for each in one.entrants) == 8
    assert sum(each.played for each in one.entrants) == 6
    assert {each.name: each.forfeited for each in one.entrants if each.forfeited} == {first.names[0]: 1}
    assert [(each.games, each.played) for each in two.entrants] == [(1, 0)] * 4
    assert one.is_drawn
    assert two.is_drawn


async def test_rounds_that_depend_on_results_are_drawn_when_these_are_there(tmp_path):
    made_up = simulate(tmp_path, format="swiss", games=1, rounds=3)
    await made_up.play(blocks=1)
    before = build_dates_view(made_up.open_league(DATES), BEGAN_AT)
    assert [date.is_drawn for date in before] == [False, False]
    assert "more when the results before are there" in "".join(status_lines(before, []))

    await made_up.play(blocks=3)
    after = build_dates_view(made_up.open_league(DATES), BEGAN_AT)
    assert [date.is_drawn for date in after] == [True, True]
    assert {each.games for each in after[1].entrants} == {1}


async def test_absence_from_a_void_attempt_is_not_listed(tmp_path):
    made_up = simulate(tmp_path)
    await made_up.play(blocks=1)
    await record_absence(made_up, 1, "bot0", "bot1")
    assert [(each.block, each.names) for each in list_absences(made_up.open_league(DATES))] == [(1, ("bot0", "bot1"))]

    await made_up.amend("void", made_up.ledger.history[0].tables[0].match_id)
    assert list_absences(made_up.open_league(DATES)) == []


async def test_status_names_dates_games_and_awaited_bots(tmp_path, capsys):
    made_up = simulate(tmp_path)
    await made_up.play(blocks=2)
    league = made_up.open_league(DATES)

    show_status(league, is_json=False, awaited={"bot1": 1, "bot2": 3})
    told = capsys.readouterr().out
    assert "rounds 1 to 2: 2023-11-14 22:13:20 UTC to 2023-11-14 23:13:20 UTC, closed" in told
    assert "bot0 1 of 2" in told
    assert "awaited now: bot2 (3 tables), bot1 (1 table)" in told

    show_status(league, is_json=True, awaited={"bot1": 1})
    values = json.loads(capsys.readouterr().out)
    assert values["awaited"] == [{"name": "bot1", "tables": 1}]
    assert [date["first"] for date in values["dates"]] == [1, 3]

    show_status(replace(league, dates=()), is_json=True)
    assert "dates" not in json.loads(capsys.readouterr().out)


async def test_ledger_entry_is_told_in_words(tmp_path):
    made_up = simulate(tmp_path)
    await record_absence(made_up, 7, "ann")
    await record_absence(made_up, 8, "ann", "bob")
    without_dates = {"block": 9, "attempt": 0, "round": 1, "names": ["ann"], "waited_s": 240.0}
    await made_up.ledger.add_entry(ABSENT, without_dates)

    told = [describe_ledger_entry(act, {}) for act in made_up.ledger.acts]

    assert told == [
        "ann forfeits block 7, absent at the close of round 1",
        "ann and bob forfeit block 8, absent at the close of round 1",
        "ann forfeits block 9, absent for 4 min in which nothing else could be played",
    ]
    assert EXTENDED not in told


# ---- the page


def test_report_shows_dates_absences_and_awaited_bots():
    names = make_names(4)
    page = render_report(make_league_view(names, game_count=8, is_over=False))

    assert '<a href="#dates">Dates</a>' in page
    assert "Awaited now:" in page
    assert "12 of 12 (2 forfeited)" in page
    assert "drawn when the results before it are there" in page
    assert "Forfeited for absence." in page


def test_report_of_a_league_without_dates_and_absences_has_no_such_section():
    view = replace(make_league_view(make_names(4), game_count=8), dates=(), absences=(), awaited=())

    assert "Awaited now:" not in render_report(view)
    assert 'id="dates"' not in render_report(view)


def test_report_of_a_league_without_dates_lists_absent_bots():
    page = render_report(replace(make_league_view(make_names(4), game_count=8, is_over=False), dates=()))

    assert "<h2>Absent bots</h2>" in page
    assert "Awaited now:" in page
    assert "Forfeited for absence." in page
    assert "When bots have to be online" not in page


def test_bots_for_which_most_tables_wait_come_first():
    assert [bot.name for bot in list_awaited({"ann": 1, "bob": 3, "cid": 3})] == ["bob", "cid", "ann"]


# ---- the new close


@pytest.mark.parametrize("text", ["tomorrow", "2026-12-10 22:00", "2026-12-10", ""])
def test_new_close_needs_its_offset(text):
    with pytest.raises(OptionError, match="a date and time with its offset"):
        parse_moment("until", text)


def test_new_close_is_in_iso_8601():
    assert parse_moment("until", "2026-12-10 22:00+01:00") == parse_moment("until", "2026-12-10T21:00:00Z")
