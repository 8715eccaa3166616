"""Computes the standings that decide a league: the order, the margins, and whether the margins may be luck.

An entrant's score is its rating, or the mean of its points over all blocks that count. In a format that draws opponents
evenly, points are adjusted for opponents, seat and luck of the deal (`adjustment.py`). What accomplices give is left
out (`accomplices.py`), and for the title what doubts are about (`doubts.py`). Only equal scores are ordered by
tie-breaks. Play-off blocks do not count. They only decide among the contenders.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from arena.competition.league.accomplices import find_accomplices, leave_out_help
from arena.competition.league.adjustment import (
    EVEN_DRAW,
    Adjustment,
    Draw,
    Feature,
    PlainReason,
    adjust_scores,
    compared_scores,
    plain_reason,
    plain_scores,
)
from arena.competition.league.champion import Champion, find_champion
from arena.competition.league.doubts import Doubt, add_doubts, find_doubts
from arena.competition.league.estimates import Interval, weights_seed
from arena.competition.league.field import NOBODY, Departed
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import PLAY_OFF, BlockResult
from arena.competition.league.points import block_scores, build_tallies
from arena.competition.league.ranking_measure import measure_from_ratings, measure_from_scores
from arena.competition.league.rating import Ratings, compute_ratings
from arena.competition.league.standings_inputs import PlayOffTerms, StandingsInputs
from arena.competition.league.tie_breaks import TieBreak

DecidedBy = Literal["points", "rating", "bracket"]


@dataclass(frozen=True, slots=True)
class StandingsRow:
    place: int | None
    """From 1, unique; None if the entrant was disqualified, has no rank or has not played."""
    name: str
    games: int
    """Number of games that count."""
    score: float | None
    """None if the entrant has not played."""
    interval: Interval
    """95 % interval of the score."""
    first_places: int
    """Number of first places, including shared ones."""
    mean_place: float | None
    """From 1. Shared places count as their mean."""
    forfeits: int
    strikes: dict[str, int] = field(hash=False)
    """Number of strikes by kind: late, illegal, missing, gone."""
    marked_games: int
    """Number of games affected by another entrant's forfeit."""
    is_disqualified: bool = False
    is_separable: bool = True
    """Whether the interval of the difference to the row below excludes 0."""
    tie_break: TieBreak | None = None
    """The criterion that puts this row above the row below, if their scores are equal."""


@dataclass(frozen=True, slots=True)
class Standings:
    rows: tuple[StandingsRow, ...]
    """The best first, then entrants that have not played, then those without a rank, then disqualified ones."""
    decided_by: DecidedBy
    champion: Champion | None
    """The champion or current leader; None before the first game."""
    doubts: tuple[Doubt, ...] = ()
    """The doubts about all entrants."""
    title_scores: Mapping[str, float | None] = field(default_factory=dict)
    """For each entrant with a doubt, its score without the doubtful games, or with them if this is lower."""
    plain_reason: PlainReason | None = None
    """Why points are not adjusted; None if they are."""
    explained: Mapping[Feature, float] = field(default_factory=dict)
    """The share of the variance of points that each feature of the adjustment explains; empty if none was made."""
    compares: bool = False
    """Whether scores are differences from -1 to 1, as in leagues of release 0.1."""
    draws_evenly: bool = True
    """Whether the format draws opponents evenly."""
    weights_seed: str = ""
    """The seed of the bootstrap's weights, in hex."""


def compute_standings(
    names: Sequence[str],
    results: Sequence[BlockResult],
    *,
    seed: bytes,
    ratings: Ratings | None = None,
    departed: Departed = NOBODY,
    play_off: PlayOffTerms | None = None,
    draw: Draw | None = EVEN_DRAW,
    draw_count: int = 1000,
) -> Standings:
    """Return the standings of these entrants, decided by ratings if they are given, otherwise by points.

    `play_off` says among whom a play-off decides, if there is one. Other entrants may fill its tables. The results have
    only finished rounds of the play-off. `draw` says whether points may be adjusted; None stands for the scores of
    release 0.1. The order of names and results does not matter. Games against a disqualified entrant count, unless the
    organizer makes them void. Entrants whose ratings are too uncertain for a rank stand below and cannot lead.
    Ratings with a prior, those of pools, leave help out in a way of their own, so nothing is doubted there.

    Raises:
        UnknownNameError: an entrant in the results is not among the names.
    """
    ordered = sorted(results, key=lambda result: result.block.number)
    counting = [result for result in ordered if result.block.label != PLAY_OFF]
    played_off = [result for result in ordered if result.block.label == PLAY_OFF]
    adjustment = _score_blocks(counting, draw, by_rating=ratings is not None)
    counted = build_tallies(
        names, ((result, block_scores(result, compares=adjustment.compares)) for result in counting)
    )
    judgement = ratings.judgement if ratings else draw.judgement if draw else Judgement.OLD
    accomplices, bounds = find_accomplices(counting, judgement), (-1.0 if adjustment.compares else 0.0, 1.0)
    scores = leave_out_help(adjustment.scores, counting, accomplices)
    measure = measure_from_ratings(ratings) if ratings else measure_from_scores(scores, seed, draw_count, bounds)
    evidence = StandingsInputs(
        counting, played_off, play_off, counted, scores, measure, draw, seed, draw_count, judgement, accomplices
    )
    doubts = find_doubts(counting) if judgement.has_doubts and not (ratings and ratings.has_prior) else ()
    title = _leave_out_doubts(evidence, adjustment.scores, doubts)
    unranked = ratings.unranked if ratings else ()
    barred = departed.disqualified
    order = _rank_names([name for name in names if name not in barred and name not in unranked], evidence)
    below = _rank_names([name for name in names if name in unranked and name not in barred], evidence)
    struck = _rank_names([name for name in names if name in barred], evidence)
    rows = (
        *_rows(order, evidence),
        *(replace(row, place=None) for row in _rows(below, evidence)),
        *(replace(row, place=None, is_disqualified=True) for row in _rows(struck, evidence)),
    )
    leader = _find_leader([name for name, _ in order], evidence, title, departed)
    return Standings(
        rows=rows,
        decided_by="rating" if ratings else "points",
        champion=leader,
        doubts=doubts,
        title_scores={each.entrant: title.measure.score(each.entrant) for each in doubts},
        plain_reason=plain_reason(len(counting), draw),
        explained=adjustment.explained,
        compares=adjustment.compares,
        draws_evenly=draw is not None and draw.is_even,
        weights_seed=weights_seed(seed).hex(),
    )


def _leave_out_doubts(
    evidence: StandingsInputs, scores: Sequence[Mapping[str, float]], doubts: Sequence[Doubt]
) -> StandingsInputs:
    """Return the evidence with the figures that decide the title. `scores` are those of all games."""
    if not doubts:
        return evidence
    accomplices = add_doubts(evidence.accomplices, doubts)
    draws, bounds = len(evidence.measure.estimates.draws), evidence.measure.estimates.bounds
    scores = leave_out_help(scores, evidence.results, accomplices)
    if bounds is not None:
        measure = measure_from_scores(scores, evidence.seed, draws, bounds)
    else:
        rated = compute_ratings(
            evidence.results,
            seed=evidence.seed,
            draw_count=draws,
            judgement=evidence.judgement,
            accomplices=accomplices,
        )
        measure = measure_from_ratings(rated)
    return replace(evidence, scores=scores, measure=measure, accomplices=accomplices)


def _find_leader(
    order: Sequence[str], evidence: StandingsInputs, title: StandingsInputs, departed: Departed
) -> Champion | None:
    """Return the champion by the figures of `title`. `order` has the names in the order of the standings."""
    leader = find_champion([name for name, _ in _rank_names(order, title)], title, departed.withdrawn)
    if leader is None:
        return None
    above = order[: order.index(leader.name) + 1]
    lowered = {name for name in above if title.measure.rank_key(name) > evidence.measure.rank_key(name)}
    return replace(leader, doubted=tuple(name for name in above if name in lowered))


def _score_blocks(results: Sequence[BlockResult], draw: Draw | None, *, by_rating: bool) -> Adjustment:
    if by_rating:
        return plain_scores(results)
    return adjust_scores(results, draw) if draw else compared_scores(results)


RankedNames = Sequence[tuple[str, TieBreak | None]]
"""Names, best first. Each has the criterion that puts it above the next name, if their scores are equal."""


def _rank_names(names: Sequence[str], evidence: StandingsInputs) -> RankedNames:
    order: list[tuple[str, TieBreak | None]] = []
    for _, tied in groupby(sorted(names, key=evidence.measure.rank_key), key=evidence.measure.rank_key):
        ranked, reasons = evidence.break_ties(list(tied))
        order += zip(ranked, [*reasons, None], strict=True)
    return order


def _rows(order: RankedNames, evidence: StandingsInputs) -> Iterator[StandingsRow]:
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
