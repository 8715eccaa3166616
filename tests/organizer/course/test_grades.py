"""Grades are the standings, with owner and version of each entrant."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena.competition.league.tie_breaks import TieBreak
from arena.organizer.course import grades
from arena.organizer.course.grades import list_grades
from arena.organizer.course.roster import Enrolment
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.view.league_standings import compute_league_standings
from tests.organizer.leagues import write_league
from tests.organizer.simulated_league import SimulatedLeague


async def test_every_entrant_gets_what_the_standings_say(tmp_path: Path):
    made_up = SimulatedLeague(read_league_file(write_league(tmp_path, bots=4, games=12)))
    await made_up.play(blocks=4)
    league = made_up.open_league()

    listed = list(list_grades(league))

    rows = compute_league_standings(league).rows
    assert [(each.bot, each.score, each.low_95, each.high_95, each.games) for each in listed] == [
        (row.name, *(round(value or 0, 6) for value in (row.score, row.interval.low, row.interval.high)), row.games)
        for row in rows
    ]
    entrants = {each.name: (each.owner, each.version) for each in league.file.entrants}
    assert all((each.owner, each.version) == entrants[each.bot] for each in listed)


async def test_equal_scores_share_the_best_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made_up = SimulatedLeague(read_league_file(write_league(tmp_path, bots=4, games=12)))
    await made_up.play(blocks=4)
    league = made_up.open_league()
    standings = compute_league_standings(league)
    breaks = None, TieBreak.HEAD_TO_HEAD, TieBreak.LOTS, None
    rows = tuple(replace(row, tie_break=each) for row, each in zip(standings.rows, breaks, strict=True))
    monkeypatch.setattr(grades, "compute_league_standings", lambda _: replace(standings, rows=rows))

    assert [each.place for each in list_grades(league)] == [1, 2, 2, 2]


def test_each_person_has_a_row_even_without_a_bot(tmp_path: Path):
    file = write_league(tmp_path, bots=2, games=12, seats=2)
    file.write_text(file.read_text() + '\nowner = "Zo\u00eb"\n')
    league = SimulatedLeague(read_league_file(file)).open_league()
    roster = [
        Enrolment("nobody", ("a@x.org", "b@x.org"), 2, is_group=True),
        Enrolment("Zoe\u0308", ("zoe@x.org", "z@x.org"), 4, is_group=True),
    ]

    rows = sorted((each.mail, each.owner, each.bot) for each in list_grades(league, roster))

    assert rows == [
        ("", "", "bot0"), ("a@x.org", "nobody", ""), ("b@x.org", "nobody", ""),
        ("z@x.org", "Zo\u00eb", "bot1"), ("zoe@x.org", "Zo\u00eb", "bot1"),
    ]  # fmt: skip
