"""Orders tests for the workers of pytest-xdist, which splits a list of tests into equal shares, one for each worker."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

STARTING_PROGRAMS: Final = frozenset(
    {"check", "e2e", "faults", "guides", "organizer", "supply_chain", "trouble", "web"}
)
"""Folders of tests that start programs, and wait for them."""


def starts_programs(path: Path) -> bool:
    return not STARTING_PROGRAMS.isdisjoint(path.parts)


def share_out(tests: Sequence[T], workers: int, path_of: Callable[[T], Path]) -> list[T]:
    """Return the tests in an order in which each worker's share begins with whole files of tests that start programs.

    Those wait for long: at the end, no others would run meanwhile. What a file's tests share is made once.
    """
    files = groupby(filter(lambda each: starts_programs(path_of(each)), tests), path_of)
    shares: list[list[T]] = [[] for _ in range(workers)]
    for number, (_, waiting) in enumerate(files):
        shares[number % workers] += waiting
    others = filter(lambda each: not starts_programs(path_of(each)), tests)
    return [*chain.from_iterable(_fill(shares, others, len(tests))), *others]


def _fill(shares: list[list[T]], others: Iterator[T], total: int) -> Iterator[list[T]]:
    """Yield the shares, filled up to the sizes that pytest-xdist gives them."""
    left = total
    for number, share in enumerate(shares):
        size = left // (len(shares) - number)
        yield share + list(islice(others, max(0, size - len(share))))
        left -= max(size, len(share))
