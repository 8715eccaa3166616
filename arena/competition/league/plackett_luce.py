"""The Plackett-Luce model of an order of finish, with a term for the seat, fitted to many games by Newton's method.

An order of finish is a series of choices. The winner is chosen among all players, each with odds exp(theta + gamma),
where theta belongs to the entrant and gamma to the seat. The second is chosen among the rest with the same odds, and so
on. The log-likelihood of a game is a sum over these choices (R. D. Luce, Individual Choice Behavior, 1959; R. L.
Plackett, The Analysis of Permutations, Applied Statistics 24, 1975):

    log-likelihood = sum over the choices of (x(chosen) - log sum exp x(left)),   x = theta + gamma.

Here x(left) stands for all players that could still be chosen. The log-likelihood is concave.

**Those who share the last place** tell nothing about each other, because nothing was decided among them: in some games
only the winner is found. So the choices end at the last decided place, and a game that all draw has none. (Leagues with
the old judgement count such a tie like any other. Where only the winner is found, this draws all ratings together: at
three, four and five seats to 57, 38 and 29 % of the true differences.)

**Other ties** leave several orders open, all equally likely. They count as the mean of the log-likelihood over these
orders. For a tie of two, that is half a win for each, as in M. E. Glickman, Applied Statistics 48, 1999. At the fit,
each entrant's expected share of choices equals its actual share. (Breslow's and Efron's forms are made for ties that
come from rounding. They count a tie of two as a win *and* a defeat.) In a tie of d players, the k-th choice is made
equally often from each subset of d - k + 1 players. The mean is therefore a sum over subsets, not over d! orders.

**A ghost** of strength 0 keeps all terms finite. Each entrant and each seat has one win and one defeat against the
ghost. Each of these games has the weight `PSEUDO_COUNT` (H. L. Turner and others, Modelling rankings in R,
Computational Statistics 35, 2020). In a bootstrap the ghost games of entrants have random weights, as blocks have.
With fixed weights, an entrant that never won would have almost the same rating in all draws, so its rating would seem
exact.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from itertools import combinations, product
from math import comb, log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.match.value_class import value_class

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

PSEUDO_COUNT = 0.1
"""Weight of a win or a defeat against the ghost."""
MAX_STEPS = 500
"""Limit of Newton steps. No fit needs nearly as many. Without a limit, a bug could make the loop endless."""
CHOICE_CELLS_PER_BATCH = 2**17
"""Choices times seats in one batch, so that a batch stays in a core's cache."""


class Finish(NamedTuple):
    """The order in which one game ended."""

    block: int
    """Index of the game's block, from 0."""
    entrants: tuple[int, ...]
    """The index of the entrant in each seat."""
    places: tuple[int, ...]
    """The place of each seat; 1 is best, and equal numbers are a tie."""


@value_class()
class RankingChoices:
    """The choices that make up an order with the given ties."""

    left: Floats
    """Matrix of choices x places: 1 if the entrant at that place could still be chosen, otherwise 0."""
    weight: Floats
    """For each choice, the share of the tie's orders that contain it; 1 without a tie."""
    chosen: Floats
    """For each place, how often the entrant there was chosen: 1, except for the last place or places."""

    @classmethod
    def from_ties(cls, ties: Sequence[int], *, halves_last_tie: bool) -> "RankingChoices":
        """Return the choices for ties of these sizes, best place first: (1, 1, 1) is an order of three without ties.

        If `halves_last_tie`, those who share the last place count as half winners against each other.
        """
        ends = np.cumsum(ties)
        size, rows, weights = int(ends[-1]), [], []
        decided = ties if halves_last_tie else ties[:-1]
        for end, tie in zip(ends.tolist(), decided, strict=False):
            for count in range(tie, 0, -1):
                for subset in combinations(range(end - tie, end), count):
                    rows.append([place in subset or place >= end for place in range(size)])
                    weights.append(1 / comb(tie, count))
        left, weight = np.array(rows, dtype=float).reshape(-1, size), np.array(weights, dtype=float)
        real = left.sum(axis=1) > 1
        chosen = np.ones(size)
        chosen[size - ties[-1] :] = 1 - 1 / ties[-1] if halves_last_tie else 0
        return cls(left[real], weight[real], chosen)


@value_class()
class GameBatch:
    """Games whose orders have ties of the same sizes."""

    choices: RankingChoices
    block: Indices
    """The block index of each game."""
    cells: Indices
    """Matrix of games x places: the entrant and the seat at each place, as entrant * seats + seat."""

    def first_blocks(self, block_count: int) -> "GameBatch":
        """Return the games of the first `block_count` blocks."""
        count = int(np.searchsorted(self.block, block_count))
        return GameBatch(self.choices, self.block[:count], self.cells[:count])

    def without_pairs(self, pairs: Sequence[tuple[int, int]], seat_count: int) -> "GameBatch":
        """Return the games at which no pair of these entrants sat together."""
        who, kept = self.cells // seat_count, np.ones(len(self.block), dtype=bool)
        for one, other in pairs:
            kept &= ~((who == one).any(axis=1) & (who == other).any(axis=1))
        return GameBatch(self.choices, self.block[kept], self.cells[kept])


@value_class()
class PlackettLuceModel:
    """The likelihood of many games as a function of the terms: theta of each entrant, then gamma of each seat.

    The weights come in this order: one for each block, one for each entrant's win against the ghost, one for each
    entrant's defeat by the ghost.
    """

    entrant_count: int
    seat_count: int
    block_count: int
    pieces: tuple[GameBatch, ...] = field(repr=False)
    ghost_weight: float = PSEUDO_COUNT
    """By which the weights of the entrants' games against the ghost are multiplied."""

    @classmethod
    def from_finishes(
        cls, finishes: Iterable[Finish], entrant_count: int, seat_count: int, *, halves_last_tie: bool = False
    ) -> "PlackettLuceModel":
        """Return the model of the games that ended in these orders. The option is that of `RankingChoices`."""
        alike: dict[tuple[int, ...], list[tuple[int, list[int]]]] = {}
        block_count = 0
        for finish in finishes:
            block_count = max(block_count, finish.block + 1)
            order = sorted(range(len(finish.places)), key=finish.places.__getitem__)
            places = [finish.places[seat] for seat in order]
            ties = tuple(places.count(place) for place in sorted(set(places)))
            cells = [finish.entrants[seat] * seat_count + seat for seat in order]
            alike.setdefault(ties, []).append((finish.block, cells))
        choices = {ties: RankingChoices.from_ties(ties, halves_last_tie=halves_last_tie) for ties in alike}
        pieces = (piece for ties, games in alike.items() for piece in _batches(choices[ties], games))
        return cls(entrant_count, seat_count, block_count, tuple(pieces))

    def first_blocks(self, block_count: int) -> "PlackettLuceModel":
        """Return the model of the first `block_count` blocks. The games must have been given in block order."""
        pieces = (piece.first_blocks(block_count) for piece in self.pieces if piece.block[0] < block_count)
        return replace(self, block_count=block_count, pieces=tuple(pieces))

    def without_pairs(self, pairs: Sequence[tuple[int, int]]) -> "PlackettLuceModel":
        """Return the model of the games at which no pair of these entrants sat together. All weights remain."""
        pieces = (piece.without_pairs(pairs, self.seat_count) for piece in self.pieces)
        return replace(self, pieces=tuple(piece for piece in pieces if len(piece.block)))

    @property
    def term_count(self) -> int:
        """Number of terms: entrants plus seats."""
        return self.entrant_count + self.seat_count

    @property
    def weight_count(self) -> int:
        """Number of weights: blocks plus two per entrant."""
        return self.block_count + 2 * self.entrant_count

    def gradient(self, terms: Floats, weights: Floats) -> Floats:
        """Return the first derivatives of the log-likelihood by the terms."""
        odds, cells = self._odds(terms), np.zeros(self.entrant_count * self.seat_count)
        for piece in self.pieces:
            mine = odds[piece.cells]
            left = mine @ piece.choices.left.T
            expected = mine * ((piece.choices.weight / left) @ piece.choices.left)
            surplus = weights[piece.block, None] * (piece.choices.chosen - expected)
            cells += np.bincount(piece.cells.ravel(), surplus.ravel(), len(cells))
        wins, defeats = self._ghost_games(weights)
        return np.asarray(self._by_term(cells) + wins - (wins + defeats) * _logistic(terms))

    def negative_hessian(self, terms: Floats, weights: Floats) -> Floats:
        """Return minus the second derivatives of the log-likelihood: terms x terms, positive definite."""
        odds, size = self._odds(terms), self.term_count
        sums = np.zeros(size**2)
        for piece in self.pieces:
            local = weights[piece.block, None, None] * _local_negative_hessian(odds[piece.cells], piece.choices)
            entrant, seat = np.divmod(piece.cells, self.seat_count)
            for one, other in product((entrant, seat + self.entrant_count), repeat=2):
                pairs = one[:, :, None] * size + other[:, None, :]
                sums += np.bincount(pairs.ravel(), local.ravel(), size**2)
        wins, defeats = self._ghost_games(weights)
        chance = _logistic(terms)
        return np.asarray(sums.reshape(size, size) + np.diag((wins + defeats) * chance * (1 - chance)))

    def _ghost_games(self, weights: Floats) -> Floats:
        """Return the weights of the wins and of the defeats against the ghost, by term."""
        games = np.full((2, self.term_count), PSEUDO_COUNT)
        games[:, : self.entrant_count] = self.ghost_weight * weights[self.block_count :].reshape(2, -1)
        return games

    def _odds(self, terms: Floats) -> Floats:
        """Return exp(theta + gamma) by cell."""
        odds = np.exp(terms)
        return np.asarray(np.outer(odds[: self.entrant_count], odds[self.entrant_count :]).ravel())

    def _by_term(self, cells: Floats) -> Floats:
        """Return the sum of the cells (first axis) of each entrant, then of each seat."""
        table = cells.reshape(self.entrant_count, self.seat_count, *cells.shape[1:])
        return np.concatenate([table.sum(axis=1), table.sum(axis=0)])


class Fit(NamedTuple):
    """The most likely terms and the inverse curvature. A fit to nearly the same games can start from both."""

    terms: Floats
    inverse: Floats
    """Inverse of the curvature at the terms. If the fit had a start, this is the inverse at a point near the terms."""


def fit_model(model: PlackettLuceModel, weights: Floats, start: Fit | None = None, *, tolerance: float = 1e-8) -> Fit:
    """Return the fit to the weighted games. The steps end when no term moves by more than the tolerance in a step.

    The steps are Newton's. Large steps are damped, so that the fit converges from anywhere (T. Sun and Q. Tran-Dinh,
    Generalized self-concordant functions, Mathematical Programming 178, 2019, nu = 2). Computing the curvature costs as
    much as ten steps. So the curvature is kept as long as each step is at most half as long as the step before.
    """
    terms = start.terms if start else np.zeros(model.term_count)
    inverse = start.inverse if start else _inverse(model.negative_hessian(terms, weights))
    last = np.inf
    for _ in range(MAX_STEPS):
        slope = model.gradient(terms, weights)
        step = inverse @ slope
        if np.abs(step).max() > last / 2:
            inverse = _inverse(model.negative_hessian(terms, weights))
            step = inverse @ slope
        last = float(np.abs(step).max())
        terms = terms + step * _damping(step, model.entrant_count)
        if last < tolerance:
            return Fit(terms, inverse if start else _inverse(model.negative_hessian(terms, weights)))
    raise ArithmeticError(f"no fit within {MAX_STEPS} steps: the last step was {last:.1e}")


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _damping(step: Floats, entrant_count: int) -> float:
    """Return the damping factor log(1 + d) / d. The step changes no difference between two players by more than d."""
    parts = step[:entrant_count], step[entrant_count:]
    change = sum(max(0.0, float(part.max())) - min(0.0, float(part.min())) for part in parts)
    return log1p(change) / change if change else 1.0


def _logistic(terms: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-terms)))


def _local_negative_hessian(odds: Floats, choices: RankingChoices) -> Floats:
    """Return minus the second derivatives of each game by the x of its places: games x places x places."""
    chances = odds[:, None, :] * choices.left / (odds @ choices.left.T)[:, :, None]
    weighted = chances * choices.weight[:, None]
    local = -np.matmul(weighted.transpose(0, 2, 1), chances)
    diagonal = np.arange(odds.shape[1])
    local[:, diagonal, diagonal] += weighted.sum(axis=1)
    return np.asarray(local)


def _batches(choices: RankingChoices, games: Sequence[tuple[int, list[int]]]) -> Iterator[GameBatch]:
    """Yield the games in batches that fit into a core's cache."""
    block = np.array([game[0] for game in games], dtype=np.intp)
    cells = np.array([game[1] for game in games], dtype=np.intp)
    step = max(1, CHOICE_CELLS_PER_BATCH // max(1, choices.left.size))
    for start in range(0, len(games), step):
        yield GameBatch(choices, block[start : start + step], cells[start : start + step])
