"""Additive counts: the statistics of one seat in one game, small enough to store with its result."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from operator import add as plus
from typing import Any, Final, NamedTuple, Self, TypeAlias

Counts: TypeAlias = dict[str, list[float]]
"""Lists of numbers by name; a single number is a list of one. Missing names and missing list ends count as 0."""

BATCH_SIZE: Final = 64
"""Number of lists added up at once."""
_DECIMALS: Final = 3
"""Decimals kept of numbers that are not whole."""


class PairTreatment(NamedTuple):
    """One seat's chances to call or attack another in one game, and their results."""

    chances: float = 0
    taken: float = 0
    """Calls or attacks made."""
    expected: float = 0
    """Expected number if the seat chose among equal chances regardless of the opponent."""
    variance: float = 0
    """Variance of that number."""


@dataclass(frozen=True, slots=True)
class SeatAnalytics:
    """The statistics of one seat in one game."""

    counts: Counts
    dealings: tuple[PairTreatment, ...] = ()
    """By the other seat; the entry for the seat itself is empty."""

    def to_plain(self) -> dict[str, Any]:
        """Return plain values; `parse_seat_analytics` reads them back."""
        return {"counts": self.counts, "dealings": [_round_all(each) if each.chances else [] for each in self.dealings]}


def parse_seat_analytics(plain: Mapping[str, Any]) -> SeatAnalytics:
    """Read the values of `SeatAnalytics.to_plain`."""
    return SeatAnalytics(plain["counts"], tuple(PairTreatment(*each) for each in plain["dealings"]))


def drop_zeros(counts: Mapping[str, Sequence[float]]) -> Counts:
    """Return the counts without trailing zeros and without lists of only zeros."""
    found = {}
    for name, numbers in counts.items():
        kept = len(numbers)
        while kept and not numbers[kept - 1]:
            kept -= 1
        if kept:
            found[name] = _round_all(numbers[:kept])
    return found


def _round_all(numbers: Iterable[float]) -> list[float]:
    """Return the numbers rounded, with whole floats as ints."""
    return [number if isinstance(number, int) else _round_number(number) for number in numbers]


def _round_number(number: float) -> float:
    return int(number) if number.is_integer() else round(number, _DECIMALS)


def add_counts(total: Counts, counts: Mapping[str, Sequence[float]]) -> None:
    """Add counts to a total in place; the total owns its lists. Runs for every seat of every game.

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
    """Sums of one entrant's chances against another over all games, with squares for the variation between games."""

    games: float
    """Games with at least one chance."""
    chances: float
    taken: float
    expected: float
    variance: float
    taken_squared: float
    """Sum over games of the square; the next two are sums of products too."""
    taken_expected: float
    expected_squared: float


class BatchedSums:
    """Sums of lists by key; adding many lists at once takes a fifth of the time of adding them one by one."""

    def __init__(self) -> None:
        self._lists: defaultdict[tuple[str, str], list[Sequence[float]]] = defaultdict(list)

    def add(self, key: tuple[str, str], numbers: Sequence[float]) -> None:
        """Add a list without changing it; missing ends count as 0."""
        lists = self._lists[key]
        lists.append(numbers)
        if len(lists) == BATCH_SIZE:
            lists[:] = [_sum_columns(lists)]

    def totals(self) -> dict[tuple[str, str], list[float]]:
        """Return the sum of each key."""
        return {key: _sum_columns(lists) for key, lists in self._lists.items()}


def _sum_columns(lists: Iterable[Sequence[float]]) -> list[float]:
    return [sum(column) for column in zip_longest(*lists, fillvalue=0)]


class AnalyticsTotals:
    """The sums of many games by entrant; totals of parts can be added to the total of the whole."""

    def __init__(self) -> None:
        self._counts, self._pairs = BatchedSums(), BatchedSums()

    @property
    def counts(self) -> dict[str, Counts]:
        """Summed counts by entrant."""
        found: dict[str, Counts] = {}
        for (name, what), numbers in self._counts.totals().items():
            found.setdefault(name, {})[what] = numbers
        return found

    @property
    def pairs(self) -> dict[tuple[str, str], PairSums]:
        """Sums by pair: the acting entrant and the other one."""
        return {pair: PairSums(*sums) for pair, sums in self._pairs.totals().items()}

    def add_game(self, names: Sequence[str], seats: Sequence[SeatAnalytics]) -> None:
        """Add a game; names and seats are in the same order."""
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
