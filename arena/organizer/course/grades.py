"""Grades: how each owner's entrant of a league came out, as rows of a table, with a row for each person of a roster."""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from arena.competition.league.standings import StandingsRow
from arena.organizer.course.roster import Enrolment
from arena.organizer.seal.open_league import OpenLeague
from arena.organizer.view.league_standings import compute_league_standings

DIGITS: Final = 6
"""Digits after the point of scores and their intervals."""


class Grade(NamedTuple):
    """The result of an entrant, for a person. The fields are the columns of the table."""

    mail: str
    """The mail of a person of the roster; empty without one."""
    owner: str
    """As the league's file names the owner; empty if it names none."""
    bot: str = ""
    """Empty for an owner who has no entrant."""
    version: str = ""
    place: int | None = None
    """Shared by entrants with equal scores; None for a disqualified entrant, and before the first game."""
    score: float | None = None
    """What the standings compare: points, or the rating if the ratings decide the league."""
    low_95: float | None = None
    high_95: float | None = None
    games: int = 0


def list_grades(league: OpenLeague, roster: Sequence[Enrolment] = ()) -> Iterator[Grade]:
    """Yield the grades in the order of the standings, and then, without a place, owners of the roster with no entrant.

    An entrant has a row for each person of its owner.
    """
    mails = {unicodedata.normalize("NFKC", each.owner): each.mails for each in roster}  # as the store keeps names
    entrants = {each.name: each for each in league.file.entrants}
    for place, row in _share_places(compute_league_standings(league).rows):
        each, ends = entrants[row.name], row.interval
        score, low, high = (_round(value) for value in (row.score, ends.low, ends.high))
        for mail in mails.get(each.owner, ("",)):
            yield Grade(mail, each.owner, row.name, each.version, place, score, low, high, row.games)
    playing = {each.owner for each in entrants.values()}
    yield from (Grade(mail, owner) for owner, each in mails.items() if owner not in playing for mail in each)


def _share_places(rows: Sequence[StandingsRow]) -> Iterator[tuple[int | None, StandingsRow]]:
    """Yield the place of each row. Equal scores, which the standings order by a tie-break, share the best place."""
    place, is_tied = None, False
    for row in rows:
        place = place if is_tied else row.place
        is_tied = row.tie_break is not None
        yield place, row


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
