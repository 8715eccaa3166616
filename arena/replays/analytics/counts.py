"""Counts that can be added up: the statistics of one seat in one game, small enough to store with the result."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from operator import add as plus
from typing import Any, Final, NamedTuple, Self, TypeAlias

Counts: TypeAlias = dict[str, list[float]]
"""Lists of numbers by name. A single number is a list of one item. A missing name counts as zeros, and so does the
missing end of a list."""

BATCH_SIZE: Final = 64
"""Number of lists that are added up in one batch."""
_DECIMALS: Final = 3
"""Number of stored decimals of a number that is not whole."""


class PairTreatment(NamedTuple):
    """One seat's chances to call or attack another seat in one game, and how the seat used them."""

    chances: float = 0
    taken: float = 0
    """Number of calls or attacks that the seat made."""
    expected: float = 0
    """Expected number of calls or attacks if the seat chooses among equal chances regardless of the opponent."""
    variance: float = 0
    """Variance of the number of calls or attacks under the same assumption."""


@dataclass(frozen=True, slots=True)
class SeatAnalytics:
    """The statistics of one seat in one game."""

    counts: Counts
    dealings: tuple[PairTreatment, ...] = ()
    """How the seat treated every other seat, in order of seats. The entry for the seat itself is empty."""

    def to_plain(self) -> dict[str, Any]:
        """Return plain values, which `AnalyticsTotals.add_plain` reads."""
        return {"counts": self.counts, "dealings": [_round_all(each) if each.chances else [] for each in self.dealings]}


def drop_zeros(counts: Mapping[str, Sequence[float]]) -> Counts:
    """Return the counts without trailing zeros and without lists of only zeros."""
    shortened = {}
    for name, numbers in counts.items():
        length = len(numbers)
        while length and not numbers[length - 1]:
            length -= 1
        if length:
            shortened[name] = _round_all(numbers[:length])
    return shortened


def _round_all(numbers: Iterable[float]) -> list[float]:
    """Return the numbers rounded, with whole numbers as ints."""
    return [int(number) if float(number).is_integer() else round(number, _DECIMALS) for number in numbers]


def add_counts(total: Counts, counts: Mapping[str, Sequence[float]]) -> None:
    """Add counts to a total, in place. The lists in `total` change, so no other object may share them.

    >>> total = {"lies": [1]}
    >>> add_counts(total, {"lies": [1, 5], "games": [1]})
    >>> total
    {'lies': [2, 5], 'games': [1]}
    """
    for name, numbers in counts.items():
        known = total.get(name)
        if known is None:
            total[name] = [*numbers]
            continue
        known += [0] * (len(numbers) - len(known))
        known[: len(numbers)] = map(plus, known, numbers)


class PairSums(NamedTuple):
    """How one entrant treated another, summed over all games. The sums of squares show how much games vary."""

    games: float
    """Number of games with at least one chance."""
    chances: float
    taken: float
    expected: float
    variance: float
    taken_squared: float
    """Sum over games of taken * taken."""
    taken_expected: float
    """Sum over games of taken * expected."""
    expected_squared: float
    """Sum over games of expected * expected."""


class BatchedSums:
    """Sums of lists by key. Adding lists in batches takes a fifth of the time of adding them one by one."""

    def __init__(self) -> None:
        self._lists: defaultdict[tuple[str, str], list[Sequence[float]]] = defaultdict(list)

    def add(self, key: tuple[str, str], numbers: Sequence[float]) -> None:
        """Add a list without changing it. The missing end of a shorter list counts as zeros."""
        lists = self._lists[key]
        lists.append(numbers)
        if len(lists) == BATCH_SIZE:
            lists[:] = [_sum_columns(lists)]

    def totals(self) -> dict[tuple[str, str], list[float]]:
        return {key: _sum_columns(lists) for key, lists in self._lists.items()}


def _sum_columns(lists: Iterable[Sequence[float]]) -> list[float]:
    return [sum(column) for column in zip_longest(*lists, fillvalue=0)]


class AnalyticsTotals:
    """The sums over many games, by entrant. The totals of separate sets of games can be added up."""

    def __init__(self) -> None:
        self._counts, self._pairs = BatchedSums(), BatchedSums()

    @property
    def counts(self) -> dict[str, Counts]:
        """The summed counts of each entrant."""
        by_entrant: dict[str, Counts] = {}
        for (name, what), numbers in self._counts.totals().items():
            by_entrant.setdefault(name, {})[what] = numbers
        return by_entrant

    @property
    def pairs(self) -> dict[tuple[str, str], PairSums]:
        """The sums of each pair of entrants. The first entrant of a pair calls or attacks the second."""
        return {pair: PairSums(*sums) for pair, sums in self._pairs.totals().items()}

    def add_game(self, names: Sequence[str], seats: Sequence[SeatAnalytics]) -> None:
        """Add a game. Names and seats must be in the same order."""
        self.add_plain(names, [seat.to_plain() for seat in seats])

    def add_plain(self, names: Sequence[str], seats: Sequence[Mapping[str, Any]]) -> None:
        """Add a game from the stored plain values of `SeatAnalytics.to_plain`."""
        for name, seat in zip(names, seats, strict=True):
            for what, numbers in seat["counts"].items():
                self._counts.add((name, what), numbers)
            for other, dealings in zip(names, seat["dealings"], strict=False):
                if dealings:
                    chances, taken, expected, variance = dealings
                    squares = (taken * taken, taken * expected, expected * expected)
                    self._pairs.add((name, other), (1, chances, taken, expected, variance, *squares))

    def __iadd__(self, other: "AnalyticsTotals") -> Self:
        for key, numbers in other._counts.totals().items():
            self._counts.add(key, numbers)
        for pair, sums in other._pairs.totals().items():
            self._pairs.add(pair, sums)
        return self
