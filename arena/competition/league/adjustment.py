"""Adjusts the points of a game for what neither the entrant nor its play can influence.

The quantity that a score estimates is an entrant's mean points if deals, seats and opponents are drawn evenly: every
seat equally often, and opponents from all other entrants that it may meet, each as often as it plays in this league.
Plain mean points estimate the same quantity. The adjusted points of a game are

    points - b1 * x1 - b2 * x2 - ...

Each feature x has the mean 0 over such draws and does not depend on the entrant's play, so the estimate stays unbiased
whatever the coefficients b are (control variates; A. Deng, Y. Xu, R. Kohavi and T. Walker, WSDM 2013). The features, in
this order:

* opponents: the mean strength of the opponents at the table, less that of all opponents that the entrant may meet;
* seat: for each seat, 1 if the entrant sits there, less 1 / seats;
* hand: the luck of the dealt hand, a measure of the game that is 0 in the mean of a deal;
* mates: the mean points of those with the same hand and seat at other tables, less what is expected of each: its
  strength and what the features above explain.

A strength is the entrant's mean points over other blocks, as if it also had `PRIOR_GAMES` games worth one half. Points
react most in the middle of their range, so each feature is multiplied by 4 * s * (1 - s) with the entrant's strength s.

Blocks form `FOLDS` folds, by their position in the schedule. The coefficients for a fold come from all other folds, and
so do the strengths. (The features of a fold g, when coefficients for a fold f are computed, come from strengths without
f and g.) Coefficients are least squares for one feature after the other. A coefficient b with standard error e is
multiplied by max(0, 1 - 4 * e² / b²), so a feature that explains nothing adds hardly any variance (the idea of W. James
and C. Stein, 1961). With fewer than `MIN_BLOCKS` blocks, all coefficients are 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.competition.league.estimates import Floats
from arena.competition.league.field import Field
from arena.competition.league.head_to_head import HeadToHead
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import BlockResult
from arena.competition.league.points import block_scores, can_compare, place_points
from arena.match.value_class import value_class

Integers = NDArray[np.intp]
Booleans = NDArray[np.bool_]

FOLDS: Final = 10
MIN_BLOCKS: Final = 20
"""With fewer blocks, coefficients are too uncertain to be of use."""
PRIOR_GAMES: Final = 4
"""Each strength counts as if the entrant had this many games more, worth one half each."""
SHRINKAGE: Final = 4.0
"""A coefficient within the square root of this many standard errors of 0 counts as 0."""
EVEN_FORMATS: Final = ("season", "round-robin")
"""The formats that draw opponents evenly. In the others, who meets whom depends on results or on the challenger, so the
features do not have the mean 0."""
_NOTHING: Final = 1e-12
"""A smaller variance is 0 but for rounding."""


class Feature(StrEnum):
    """What may explain points, in the order in which it is fitted."""

    OPPONENTS = "opponents"
    SEAT = "seat"
    HAND = "hand"
    MATES = "mates"


class PlainReason(StrEnum):
    """Why the scores of a league are not adjusted."""

    FORMAT = "format"
    """Opponents are not drawn evenly."""
    RELEASE = "release"
    """The league was sealed by release 0.1."""
    FEW_BLOCKS = "few blocks"
    """There are fewer than `MIN_BLOCKS` blocks."""


@value_class()
class Draw:
    """How a league draws opponents, and is judged."""

    is_even: bool = True
    """Whether each entrant meets all others about equally often, whatever the results are."""
    owners: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The owner of each entrant. Entrants of one owner are kept apart. An entrant that is missing owns itself."""
    judgement: Judgement = Judgement.NEW
    """How the league is judged."""

    @classmethod
    def from_field(cls, format_name: str, entrants: Field) -> "Draw | None":
        """Return how a format draws these entrants, and is judged; None if the league keeps the scores of release 0.1.

        Such leagues are those whose schedules do not keep owners apart: both came with the same release.
        """
        if not entrants.keeps_owners_apart:
            return None
        return cls(format_name in EVEN_FORMATS, entrants.owners(), entrants.judgement)


EVEN_DRAW: Final = Draw()
"""Everybody may meet everybody."""


@value_class()
class Adjustment:
    """The adjusted points of every game, and what the adjustment explains."""

    scores: Sequence[Mapping[str, float]]
    """The score of each entrant in each block, in the order of the results."""
    explained: Mapping[Feature, float]
    """For each feature, by how much it lowers the variance of an entrant's scores, as a share of the variance of plain
    points. Small shares may be noise, and below 0. Empty if scores are plain points or all points are alike."""
    compares: bool = False
    """Whether scores are differences from -1 to 1, as in leagues of release 0.1."""


@dataclass(frozen=True, slots=True, eq=False)
class _Games:
    """One row for each seat of each table."""

    points: Floats
    entrants: Integers
    """The number of each row's entrant."""
    blocks: Integers
    tables: Integers
    seats: Integers
    luck: Floats
    """Luck of the hand; 0 if it is unknown."""

    @classmethod
    def from_results(cls, results: Sequence[BlockResult], index: Mapping[str, int]) -> "_Games":
        """Return the rows in the order of the results."""
        numbered = [(block, table) for block, result in enumerate(results) for table in result.tables]
        rows = [
            (points, index[name], block, number, seat, table.luck[seat] if table.luck else 0.0)
            for number, (block, table) in enumerate(numbered)
            for seat, (name, points) in enumerate(zip(table.seats, place_points(table.places), strict=True))
        ]
        points, entrants, blocks, tables, seats, luck = zip(*rows, strict=True)
        whole = [np.array(column, dtype=np.intp) for column in (entrants, blocks, tables, seats)]
        return cls(np.array(points), whole[0], whole[1], whole[2], whole[3], np.array(luck))


def plain_reason(block_count: int, draw: Draw | None) -> PlainReason | None:
    """Return why points are not adjusted after this many blocks, or None if they are."""
    if draw is None:
        return PlainReason.RELEASE
    if not draw.is_even:
        return PlainReason.FORMAT
    return PlainReason.FEW_BLOCKS if block_count < MIN_BLOCKS else None


def compared_scores(results: Sequence[BlockResult]) -> Adjustment:
    """Return the scores of leagues of release 0.1: points less the mean of the others with the same hand and seat.

    If any block has only one table, all scores are plain points.
    """
    compares = can_compare(results)
    blocks = [block_scores(result, compares=compares) for result in results]
    return Adjustment([{name: each.value for name, each in block.items()} for block in blocks], {}, compares)


def plain_scores(results: Sequence[BlockResult]) -> Adjustment:
    """Return the plain points of every game."""
    blocks = [
        {
            name: points
            for table in result.tables
            for name, points in zip(table.seats, place_points(table.places), strict=True)
        }
        for result in results
    ]
    return Adjustment(blocks, {})


def adjust_scores(results: Sequence[BlockResult], draw: Draw) -> Adjustment:
    """Return the adjusted points of every game. The results must be in the order of their blocks' numbers.

    Points are plain if `plain_reason` gives a reason. Entrants of one owner that never met do not count as possible
    opponents. An entrant whose points are the same in all games keeps its plain points, because nothing is left to
    explain.
    """
    if plain_reason(len(results), draw):
        return plain_scores(results)
    names = sorted({name for result in results for name in result.block.names})
    games = _Games.from_results(results, {name: number for number, name in enumerate(names)})
    fit = _CrossFit(games, _possible_opponents(HeadToHead.from_results(names, results), draw.owners))
    parts = fit.explain()
    scores: list[dict[str, float]] = [{} for _ in results]
    adjusted = games.points - np.sum(list(parts.values()), axis=0)
    for block, entrant, value in zip(games.blocks.tolist(), games.entrants.tolist(), adjusted.tolist(), strict=True):
        scores[block][names[entrant]] = value
    return Adjustment(scores, _explained_shares(games, parts))


def _possible_opponents(meetings: HeadToHead, owners: Mapping[str, str]) -> Booleans:
    """Return which entrants (columns) each entrant (rows) may meet."""
    keys = np.array([owners.get(name, f"itself {name}") for name in meetings.names])
    is_self = np.eye(len(keys), dtype=bool)
    return np.asarray(((meetings.games > 0) | (keys[:, None] != keys[None, :])) & ~is_self)


class _CrossFit:
    """Explains the points of each fold with coefficients and strengths from the other folds."""

    def __init__(self, games: _Games, possible: Booleans) -> None:
        self._games = games
        self._entrant_count = len(possible)
        self._seat_count = int(games.seats.max()) + 1
        self._folds = games.blocks % FOLDS
        self._sums, self._counts = np.zeros((2, FOLDS, self._entrant_count))
        np.add.at(self._sums, (self._folds, games.entrants), games.points)
        np.add.at(self._counts, (self._folds, games.entrants), 1)
        weights = possible * self._counts.sum(axis=0)
        self._opponent_weights = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1)
        self._hands = games.blocks * self._seat_count + games.seats
        """A number for each hand and seat of a block."""
        totals = np.bincount(games.entrants, games.points, self._entrant_count)
        squares = np.bincount(games.entrants, games.points**2, self._entrant_count)
        played = np.maximum(self._counts.sum(axis=0), 1)
        self._varies = (squares - totals**2 / played)[games.entrants] > _NOTHING

    def explain(self) -> Mapping[Feature, Floats]:
        """Return, for each feature, the part of each row's points that it explains."""
        parts = {feature: np.zeros(len(self._folds)) for feature in Feature}
        for fold in range(FOLDS):
            here = self._folds == fold
            for feature, part in self._explain_from_others(fold).items():
                parts[feature][here] = part[here] * self._varies[here]
        return parts

    def _explain_from_others(self, fold: int) -> Mapping[Feature, Floats]:
        """Return what each feature explains in each row, with coefficients from all folds except this one."""
        games, training = self._games, self._folds != fold
        strengths, opponents = self._strengths_without(fold)
        steepness = 4 * strengths * (1 - strengths)
        rest = games.points - self._means(training)
        freedom = max(1, int(training.sum()) - len(np.unique(games.entrants[training])))
        parts = {}
        expected = strengths.copy()
        for feature in Feature:
            parts[feature] = np.zeros(len(rest))
            for column in self._columns(feature, opponents, expected):
                x = steepness * column
                part = x * _coefficient(x[training], rest[training], freedom)
                rest, expected = rest - part, expected + part
                parts[feature] += part
        return parts

    def _columns(self, feature: Feature, opponents: Floats, expected: Floats) -> Sequence[Floats]:
        """Return the feature's columns before they are multiplied by the steepness."""
        games = self._games
        match feature:
            case Feature.OPPONENTS:
                return [opponents]
            case Feature.SEAT:
                return [(games.seats == seat) - 1 / self._seat_count for seat in range(self._seat_count)]
            case Feature.HAND:
                return [games.luck]
            case Feature.MATES:
                surprise = games.points - expected
                sums, counts = np.bincount(self._hands, surprise), np.bincount(self._hands)
                others = counts[self._hands] - 1
                return [np.where(others > 0, sums[self._hands] - surprise, 0) / np.maximum(others, 1)]

    def _strengths_without(self, fold: int) -> tuple[Floats, Floats]:
        """Return for each row the entrant's strength, and the feature of its opponents.

        The strengths come from all folds except this one and the row's own.
        """
        games = self._games
        strengths, opponents = np.zeros((2, len(self._folds)))
        for own in range(FOLDS):
            here = self._folds == own
            left_out = sorted({fold, own})
            sums = self._sums.sum(axis=0) - self._sums[left_out].sum(axis=0)
            counts = self._counts.sum(axis=0) - self._counts[left_out].sum(axis=0)
            known = (sums + PRIOR_GAMES / 2) / (counts + PRIOR_GAMES)
            strengths[here] = known[games.entrants[here]]
            at_table = np.bincount(games.tables[here], strengths[here], games.tables[-1] + 1)[games.tables[here]]
            usual = (self._opponent_weights @ known)[games.entrants[here]]
            opponents[here] = (at_table - strengths[here]) / (self._seat_count - 1) - usual
        return strengths, opponents

    def _means(self, rows: Booleans) -> Floats:
        """Return for each row the mean points of its entrant over these rows."""
        sums, counts = (
            np.bincount(self._games.entrants[rows], values, self._entrant_count)
            for values in (self._games.points[rows], None)
        )
        return np.asarray((sums / np.maximum(counts, 1))[self._games.entrants])


def _coefficient(x: Floats, rest: Floats, freedom: int) -> float:
    """Return the shrunk coefficient of least squares; 0 if x is constant or nothing is left to explain."""
    square, left = float(x @ x), float(rest @ rest)
    if square < _NOTHING or left < _NOTHING:
        return 0.0
    coefficient = float(x @ rest) / square
    evidence = coefficient**2 * square * freedom / left
    return coefficient * max(0.0, 1 - SHRINKAGE / evidence) if evidence else 0.0


def _explained_shares(games: _Games, parts: Mapping[Feature, Floats]) -> dict[Feature, float]:
    """Return by how much each feature in turn lowers the sum of squares within the entrants' scores."""

    def spread(values: Floats) -> float:
        counts = np.maximum(np.bincount(games.entrants), 1)
        means = np.bincount(games.entrants, values) / counts
        return float(((values - means[games.entrants]) ** 2).sum())

    whole, rest, shares = spread(games.points), games.points, {}
    if whole < _NOTHING:
        return {}
    for feature, part in parts.items():
        shares[feature] = (spread(rest) - spread(rest - part)) / whole
        rest = rest - part
    return shares
