"""Counts that add up: what one game says of a seat, small enough to be kept beside its result."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from operator import add as plus
from typing import Any, Final, NamedTuple, Self, TypeAlias

Counts: TypeAlias = dict[str, list[float]]
"""Numbers by name, each a list; single ones are lists of one. What is not there is 0, and so is what a list lacks."""

BATCH_SIZE: Final = 64
"""Lists that are added up at once."""
_DECIMALS: Final = 3
"""Decimals that are kept of what is no whole number."""


class PairTreatment(NamedTuple):
    """How one seat treated another in one game: chances to call it or to attack it, and what became of them."""

    chances: float = 0
    taken: float = 0
    """Calls, or attacks."""
    expected: float = 0
    """How many there would have been, had it chosen among like chances without looking whose they were."""
    variance: float = 0
    """Of that number."""


@dataclass(frozen=True, slots=True)
class SeatAnalytics:
    """One game, as one seat played it."""

    counts: Counts
    dealings: tuple[PairTreatment, ...] = ()
    """By seat that it dealt with; those with itself are empty."""

    def to_plain(self) -> dict[str, Any]:
        """Give it as plain values; `parse_seat_analytics` reads them back."""
        return {"counts": self.counts, "dealings": [_round_all(each) if each.chances else [] for each in self.dealings]}


def parse_seat_analytics(plain: Mapping[str, Any]) -> SeatAnalytics:
    """Read `plain`'s values."""
    return SeatAnalytics(plain["counts"], tuple(PairTreatment(*each) for each in plain["dealings"]))


def drop_zeros(counts: Mapping[str, Sequence[float]]) -> Counts:
    """Give counts without zeros at the end of a list and without lists of zeros."""
    found = {}
    for name, numbers in counts.items():
        kept = len(numbers)
        while kept and not numbers[kept - 1]:
            kept -= 1
        if kept:
            found[name] = _round_all(numbers[:kept])
    return found


def _round_all(numbers: Iterable[float]) -> list[float]:
    """Round what is no whole number, and write whole ones as such."""
    return [number if isinstance(number, int) else _round_number(number) for number in numbers]


def _round_number(number: float) -> float:
    return int(number) if number.is_integer() else round(number, _DECIMALS)


def add_counts(total: Counts, counts: Mapping[str, Sequence[float]]) -> None:
    """Add counts to a total, which owns its lists: this runs for every seat of every game.

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
    """How one entrant treated another, over all their games; with the squares that tell how much games differ."""

    games: float
    """In which there was a chance."""
    chances: float
    taken: float
    expected: float
    variance: float
    taken_squared: float
    """Sum over games of the square; so are the next two."""
    taken_expected: float
    expected_squared: float


class BatchedSums:
    """Lists of numbers, added up by key; many lists at once, which takes a fifth of the time of one after the other."""

    def __init__(self) -> None:
        self._lists: defaultdict[tuple[str, str], list[Sequence[float]]] = defaultdict(list)

    def add(self, key: tuple[str, str], numbers: Sequence[float]) -> None:
        """Add a list, which stays as it is; what one lacks is 0."""
        lists = self._lists[key]
        lists.append(numbers)
        if len(lists) == BATCH_SIZE:
            lists[:] = [_sum_columns(lists)]

    def totals(self) -> dict[tuple[str, str], list[float]]:
        """What there is of each key."""
        return {key: _sum_columns(lists) for key, lists in self._lists.items()}


def _sum_columns(lists: Iterable[Sequence[float]]) -> list[float]:
    return [sum(column) for column in zip_longest(*lists, fillvalue=0)]


class AnalyticsTotals:
    """The sums of many games, by name. Sums of parts add up to the sum of the whole."""

    def __init__(self) -> None:
        self._counts, self._pairs = BatchedSums(), BatchedSums()

    @property
    def counts(self) -> dict[str, Counts]:
        """What was counted, by entrant."""
        found: dict[str, Counts] = {}
        for (name, what), numbers in self._counts.totals().items():
            found.setdefault(name, {})[what] = numbers
        return found

    @property
    def pairs(self) -> dict[tuple[str, str], PairSums]:
        """How each treated each other one, by who did and whom."""
        return {pair: PairSums(*sums) for pair, sums in self._pairs.totals().items()}

    def add_game(self, names: Sequence[str], seats: Sequence[SeatAnalytics]) -> None:
        """Add a game; names and insights are in the same order."""
        self.add_plain(names, [seat.to_plain() for seat in seats])

    def add_plain(self, names: Sequence[str], seats: Sequence[Mapping[str, Any]]) -> None:
        """Add a game from what `SeatAnalytics.plain` gave, as it is kept: of very many games that is all there is."""
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
