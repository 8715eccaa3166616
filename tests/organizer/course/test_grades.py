"""Grades are the standings, with owner and version of each entrant."""

from pathlib import Path

from arena.organizer.course.grades import list_grades
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.view.league_standings import compute_league_standings
from tests.organizer.leagues import write_league
from tests.organizer.simulated_league import SimulatedLeague


async def test_every_entrant_gets_what_the_standings_say(tmp_path: Path):
    made_up = SimulatedLeague(read_league_file(write_league(tmp_path, bots=4, games=12)))
    await made_up.play(blocks=4)
    league = made_up.open_league()

    grades = list(list_grades(league))

    rows = compute_league_standings(league).rows
    assert [(each.bot, each.place, each.score, each.low_95, each.high_95, each.games) for each in grades] == [
        (row.name, row.place, row.score, row.interval.low, row.interval.high, row.games) for row in rows
    ]
    entrants = {each.name: (each.owner, each.version) for each in league.file.entrants}
    assert all((each.owner, each.version) == entrants[each.bot] for each in grades)
