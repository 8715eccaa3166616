"""Leagues for tests: written down as lines, or played by simulated bots of known strength."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arena.competition.league.model import Block, BlockResult, TableResult


def table(line: str, *, forfeits: str = "", strikes: Mapping[str, Mapping[str, int]] | None = None) -> TableResult:
    """Return a table's result: names by seat with their places, as in ``"ann 1 | bob 2 | cid 2"``."""
    seats, places = zip(*(part.split() for part in line.split("|")), strict=True)
    by_seat = tuple((strikes or {}).get(name, {}) for name in seats)
    return TableResult("m", seats, tuple(map(int, places)), "cards out", frozenset(forfeits.split()), by_seat)


def block(number: int, *tables: str | TableResult, label: str = "") -> BlockResult:
    """Return the result of a block with these tables."""
    results = tuple(table(one) if isinstance(one, str) else one for one in tables)
    return BlockResult(Block(number, 1, tuple(result.seats for result in results), label), results)


def play_league(
    source: np.random.Generator,
    strengths: Sequence[float],
    block_count: int,
    *,
    tables: int = 2,
    seats: int = 4,
    seat_terms: Sequence[float] = (),
    luck: float = 0.0,
    gain: Callable[[NDArray[np.intp], float], NDArray[np.float64]] | None = None,
    coarseness: float = 0.0,
) -> list[BlockResult]:
    """Play a league by the Plackett-Luce model, at tables drawn by lot.

    The order of strengths with standard Gumbel noise added follows the model (J. I. Yellott, Journal of Mathematical
    Psychology 15, 1977). ``luck`` is the standard deviation of what a deal gives to a seat, at all tables of a block.
    ``gain`` returns what bots gain in strength by who sits where, and by the moment: 0 at the start of the league, 1 at
    its end. Where strengths with noise are in the same step of ``coarseness``, places are shared.
    """
    theta, gamma = np.array(strengths), np.array(seat_terms or [0.0] * seats)
    results = []
    for number in range(1, block_count + 1):
        who = source.permutation(len(theta))[: tables * seats].reshape(tables, seats)
        deal = gamma + luck * source.normal(size=seats)
        strength = theta[who] + deal + source.gumbel(size=who.shape)
        strength += gain(who, number / block_count) if gain else 0
        results.append(_result(number, who, np.floor(strength / coarseness) if coarseness else strength))
    return results


def where_only_the_winner_is_found(results: Sequence[BlockResult]) -> list[BlockResult]:
    """Let all but the winner share the last place, as in the presets folk, rank_lock and ascending."""
    return [
        replace(each, tables=tuple(replace(one, places=tuple(min(2, it) for it in one.places)) for one in each.tables))
        for each in results
    ]


def _result(number: int, who: NDArray[np.intp], strength: NDArray[np.float64]) -> BlockResult:
    seats = tuple(tuple(f"bot{index}" for index in row) for row in who.tolist())
    places = 1 + (strength[:, None, :] > strength[:, :, None]).sum(axis=2)
    tables = zip(seats, places.tolist(), strict=True)
    return BlockResult(Block(number, 1, seats), tuple(TableResult("m", who, tuple(row), "") for who, row in tables))
