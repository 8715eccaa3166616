"""Chooses who sits together. A pure function of what is recorded, so that anybody can check that nobody was favoured.

The bot that has waited longest chooses first, by a cost for each other bot that waits:

    cost = |a - b| / sqrt(SCALE^2 + sa^2 + sb^2)  +  MEETING_COST * meetings  -  wait / PATIENCE_S

a and b are the ratings, sa and sb their standard deviations: an uncertain rating is no reason to keep two bots apart.
`meetings` is the number of recent matches that both played in. Of several bots with the same strength, the one that has
waited longer is preferred. An opponent is acceptable if the first two terms are at most a limit. The limit grows with
the time for which the first bot has waited. From `house_after_s` on, every opponent is acceptable, and house bots take
the seats that stay free. So opponents are well matched if many bots wait, and the match begins soon if few do.

A program has one seat at a table, and so has an owner, except that house bots have no owner. Two bots that have met in
half of the recent matches of one of them do not sit together while house bots can fill the table: so nobody can choose
an opponent by connecting when nobody else waits.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from math import inf, sqrt
from typing import Any, Final

from arena.match.referee.scalars import SessionKey
from arena.match.value_class import value_class
from arena.plain_data import from_plain, to_plain

SCALE: Final = 120.0
"""Difference of two certain ratings, in points, that costs 1: the stronger one finishes ahead in 2 of 3 games."""
MEETING_COST: Final = 0.2
PATIENCE_S: Final = 4.0
"""Seconds of waiting that make up for a cost of 1."""
FIRST_LIMIT: Final = 1.0
"""The highest cost that is acceptable at once."""
LIMIT_A_SECOND: Final = 1.0
"""By how much the limit grows in a second."""
MAX_MEETINGS: Final = 10
"""Two bots that have met so often in recent matches sit together only if house bots cannot fill the table."""
VERSION: Final = 1
"""The version of this function. A stored round can only be checked by the version that played it."""


@value_class()
class Seeker:
    """A bot that waits for a seat, or a house bot."""

    bot: str
    instance: str
    owner: str
    """Its owner; empty if it has none, and for house bots."""
    version: str
    rating: float
    spread: float
    """Standard deviation of the rating, in points."""
    waited_s: float = 0.0

    @property
    def key(self) -> SessionKey:
        return self.bot, self.instance


@value_class()
class MatchmakingInput:
    """Everything that the tables of a round depend on."""

    round_id: str
    seats: int
    seekers: tuple[Seeker, ...]
    """The bots that wait. A bot that waits for several seats is here once, with its longest wait."""
    house: tuple[Seeker, ...]
    """The house bots that are connected."""
    house_after_s: float
    meetings: Mapping[frozenset[str], int] = field(default_factory=dict)
    """How often two of these bots have met in recent matches; pairs that have not met are left out."""


@value_class()
class Table:
    """A table of a round, by entrant."""

    seated: tuple[Seeker, ...]
    house: frozenset[str]
    """Those who are house bots."""
    first: str
    """The bot that chose the others."""
    costs: Mapping[str, float]
    """The cost of each other bot for `first`, rounded to three decimals."""

    def describe_reason(self) -> Mapping[str, Any]:
        """Return why these sit together, as plain values."""
        return {"first": self.first, "costs": dict(self.costs)}


def seat_tables(given: MatchmakingInput) -> list[Table]:
    """Return the tables of a round, in the order in which they were chosen. Bots without a table wait on."""
    if _count_owners(given.seekers) + len(given.house) < given.seats:
        return []  # no table can be filled, and to look at all pairs of many bots takes long
    waiting = sorted(given.seekers, key=lambda seeker: (-seeker.waited_s, _lot(given, seeker)))
    tables = []
    while waiting:
        first, *others = waiting
        table = _choose_table(given, first, others)
        if table is None:
            waiting = others
            continue
        tables.append(table)
        seated = {seeker.bot for seeker in table.seated}
        waiting = [seeker for seeker in others if seeker.bot not in seated]
    return tables


def describe_inputs(inputs: MatchmakingInput) -> Mapping[str, Any]:
    """Return the inputs of a round as plain values; `inputs_from_plain` reads them back."""
    return {
        "version": VERSION,
        "round_id": inputs.round_id,
        "seats": inputs.seats,
        "seekers": to_plain(inputs.seekers),
        "house": to_plain(inputs.house),
        "house_after_s": inputs.house_after_s,
        "meetings": sorted([*sorted(pair), count] for pair, count in inputs.meetings.items()),
    }


def inputs_from_plain(values: Mapping[str, Any]) -> MatchmakingInput:
    """Return the inputs of a stored round.

    Raises ValueError if another version of the matchmaker has stored them, and ValueError or KeyError if they are
    damaged.
    """
    if values["version"] != VERSION:
        raise ValueError(f"version {values['version']} of the matchmaker stored them, and this is version {VERSION}")
    return MatchmakingInput(
        round_id=values["round_id"],
        seats=values["seats"],
        seekers=tuple(from_plain(each, Seeker) for each in values["seekers"]),
        house=tuple(from_plain(each, Seeker) for each in values["house"]),
        house_after_s=values["house_after_s"],
        meetings={frozenset((one, other)): count for one, other, count in values["meetings"]},
    )


def _count_owners(seekers: Sequence[Seeker]) -> int:
    """Return how many of these can sit at one table at most: one of each owner, and all without an owner."""
    owners = {seeker.owner for seeker in seekers if seeker.owner}
    return len(owners) + sum(not seeker.owner for seeker in seekers)


def _choose_table(given: MatchmakingInput, first: Seeker, others: Sequence[Seeker]) -> Table | None:
    """Return the table that `first` chooses; None if it has to wait on."""
    is_open_to_all = first.waited_s >= given.house_after_s
    limit = inf if is_open_to_all else FIRST_LIMIT + LIMIT_A_SECOND * first.waited_s
    ranked = sorted((_total_cost(given, first, other), _lot(given, other), other) for other in others)
    acceptable = [other for _, _, other in ranked if _mismatch(given, first, other) <= limit]
    chosen = [first]
    for other in acceptable:
        if len(chosen) < given.seats and _may_join(given, chosen, other):
            chosen.append(other)
    missing = given.seats - len(chosen)
    house = _choose_house_bots(given, first, missing) if missing and is_open_to_all else []
    if len(chosen) + len(house) < given.seats:
        return None
    seated = sorted([*chosen, *house], key=lambda seeker: _lot(given, seeker))
    costs = {seeker.bot: round(_total_cost(given, first, seeker), 3) for seeker in seated if seeker is not first}
    return Table(tuple(seated), frozenset(seeker.bot for seeker in house), first.bot, costs)


def _choose_house_bots(given: MatchmakingInput, first: Seeker, missing: int) -> list[Seeker]:
    ranked = sorted((_total_cost(given, first, each), _lot(given, each), each) for each in given.house)
    return [each for _, _, each in ranked[:missing]]


def _may_join(given: MatchmakingInput, chosen: Iterable[Seeker], other: Seeker) -> bool:
    has_house = len(given.house) >= given.seats - 1
    return all(
        other.bot != each.bot
        and (not other.owner or other.owner != each.owner)
        and not (has_house and _count_meetings(given, each, other) >= MAX_MEETINGS)
        for each in chosen
    )


def _mismatch(given: MatchmakingInput, one: Seeker, other: Seeker) -> float:
    gap = abs(one.rating - other.rating) / sqrt(SCALE**2 + one.spread**2 + other.spread**2)
    return gap + MEETING_COST * _count_meetings(given, one, other)


def _count_meetings(given: MatchmakingInput, one: Seeker, other: Seeker) -> int:
    return given.meetings.get(frozenset((one.bot, other.bot)), 0)


def _total_cost(given: MatchmakingInput, one: Seeker, other: Seeker) -> float:
    return _mismatch(given, one, other) - other.waited_s / PATIENCE_S


def _lot(given: MatchmakingInput, seeker: Seeker) -> bytes:
    """Return a hash that no bot can choose. It breaks ties and orders the seats."""
    return sha256(f"{given.round_id}:{seeker.bot}".encode()).digest()
