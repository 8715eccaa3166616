"""The standings that decide a league: the order, the margins, and whether they are separable from luck.

An entrant's score is its mean over all blocks that count, of its result compared with others who held the same hand and
seat, or of plain points where a block has only one table (`points.py`); or it is its rating. The tie-breaks order equal
scores. Play-off blocks do not count; they decide between their players.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from arena.league.champion import Champion, StandingsInputs, find_champion
from arena.league.estimates import Interval
from arena.league.model import PLAY_OFF, BlockResult
from arena.league.points import block_scores, can_compare
from arena.league.ranking_measure import measure_from_ratings, measure_from_scores
from arena.league.rating import Ratings
from arena.league.tally import build_tallies
from arena.league.tie_breaks import TieBreak

DecidedBy = Literal["points", "rating", "bracket"]


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """A row of the standings."""

    place: int | None
    """From 1, unique. None: disqualified, or it has not played."""
    name: str
    games: int
    """Number of games that count."""
    score: float | None
    """None: it has not played."""
    interval: Interval
    """95 % interval of the score."""
    first_places: int
    """Including shared ones."""
    mean_place: float | None
    """From 1; shared places count as their mean."""
    forfeits: int
    strikes: dict[str, int] = field(hash=False)
    """By kind: late, illegal, missing, gone."""
    marked_games: int
    """Games affected by another entrant's forfeit."""
    is_disqualified: bool = False
    is_separable: bool = True
    """Separable from the row below: the interval of the difference excludes 0."""
    tie_break: TieBreak | None = None
    """The criterion that puts it above the row below, if their scores are equal."""


@dataclass(frozen=True, slots=True)
class Standings:
    """The whole standings."""

    rows: tuple[StandingsRow, ...]
    """Best first, then entrants that have not played, then the disqualified."""
    decided_by: DecidedBy
    compares: bool
    """Scores are relative to the mean of those who held the same hand and seat."""
    champion: Champion | None
    """None before the first game."""


def compute_standings(
    names: Sequence[str],
    results: Sequence[BlockResult],
    *,
    seed: bytes,
    ratings: Ratings | None = None,
    disqualified: Collection[str] = (),
    contenders: Collection[str] = (),
    draw_count: int = 1000,
) -> Standings:
    """Return the standings of these entrants, decided by ratings if given, else by points.

    `contenders`: the entrants a play-off decides between; others may fill its tables. The order of names and results
    does not matter. Games against the disqualified count for the others, unless the organizer voids them.

    Raises:
        UnknownNameError: an entrant in the results is not among the names.

    """
    ordered = sorted(results, key=lambda result: result.block.number)
    counting = [result for result in ordered if result.block.label != PLAY_OFF]
    play_off = [result for result in ordered if result.block.label == PLAY_OFF]
    compares = ratings is None and can_compare(counting)
    counted = build_tallies(names, ((result, block_scores(result, compares=compares)) for result in counting))
    bounds = (-1.0, 1.0) if compares else (0.0, 1.0)
    measure = (
        measure_from_ratings(ratings)
        if ratings
        else measure_from_scores(counted, len(counting), bounds, seed, draw_count)
    )
    evidence = StandingsInputs(counting, play_off, contenders, counted, measure, seed)
    order = _rank_names([name for name in names if name not in disqualified], evidence)
    struck = _rank_names([name for name in names if name in disqualified], evidence)
    rows = *_rows(order, evidence), *(replace(row, place=None, is_disqualified=True) for row in _rows(struck, evidence))
    leader = find_champion([name for name, _ in order], evidence)
    return Standings(rows, "rating" if ratings else "points", compares, leader)


RankedNames = Sequence[tuple[str, TieBreak | None]]
"""Names, best first, with the criterion that puts each above the next if their scores are equal."""


def _rank_names(names: Sequence[str], evidence: StandingsInputs) -> RankedNames:
    def rank(name: str) -> tuple[bool, float]:
        score = evidence.measure.score(name)
        return score is None, -round(score or 0, 9)

    order: list[tuple[str, TieBreak | None]] = []
    for _, equals in groupby(sorted(names, key=rank), key=rank):
        settled, reasons = evidence.break_ties(list(equals))
        order += zip(settled, [*reasons, None], strict=True)
    return order


def _rows(order: RankedNames, evidence: StandingsInputs) -> Iterator[StandingsRow]:
    """Yield the rows of these names, in order."""
    following = [name for name, _ in order[1:]]
    for place, (name, tie_break) in enumerate(order, start=1):
        tally, score = evidence.counted[name], evidence.measure.score(name)
        yield StandingsRow(
            place=None if score is None else place,
            name=name,
            games=tally.game_count,
            score=score,
            interval=evidence.measure.interval(name),
            first_places=tally.first_places,
            mean_place=tally.place_sum / tally.game_count if tally.game_count else None,
            forfeits=tally.forfeits,
            strikes=dict(tally.strikes),
            marked_games=tally.marked_games,
            is_separable=place > len(following) or evidence.measure.are_separable(name, following[place - 1]),
            tie_break=None if score is None else tie_break,
        )
