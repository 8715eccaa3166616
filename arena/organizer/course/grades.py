"""Grades: how each owner's entrant of a league came out, as rows of a table."""

from collections.abc import Iterator
from typing import NamedTuple

from arena.organizer.seal.open_league import OpenLeague
from arena.organizer.view.league_standings import compute_league_standings


class Grade(NamedTuple):
    """The result of an entrant. The fields are the columns of the table."""

    owner: str
    """As the league's file names the owner; empty if it names none."""
    bot: str
    version: str
    place: int | None
    """None for a disqualified entrant, and before the first game."""
    score: float | None
    """What the standings compare: points, or the rating if the ratings decide the league."""
    low_95: float | None
    high_95: float | None
    games: int


def list_grades(league: OpenLeague) -> Iterator[Grade]:
    """Yield the grades in the order of the standings."""
    entrants = {each.name: each for each in league.file.entrants}
    for row in compute_league_standings(league).rows:
        each, ends = entrants[row.name], row.interval
        yield Grade(each.owner, row.name, each.version, row.place, row.score, ends.low, ends.high, row.games)
