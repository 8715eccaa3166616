"""In which order the workers of pytest-xdist get the tests."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.worker_shares import share_out, starts_programs

WAITING = [(f"tests/e2e/test_{file}.py", number) for file in "abcde" for number in range(3)]
QUICK = [(f"tests/match/test_{file}.py", number) for file in "fghij" for number in range(7)]


def path_of(test: tuple[str, int]) -> Path:
    return Path(test[0])


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_each_share_begins_with_whole_files_that_start_programs(workers):
    order = share_out([*QUICK, *WAITING], workers, path_of)

    assert sorted(order) == sorted([*QUICK, *WAITING])
    left = order
    for worker in range(workers):
        size = len(left) // (workers - worker)  # as pytest-xdist splits what is left
        kinds = [starts_programs(path_of(each)) for each in left[:size]]
        left = left[size:]
        assert kinds[0]
        assert kinds == sorted(kinds, reverse=True)
    places = [order.index(test) for test in WAITING]
    assert all(after == before + 1 for number, (before, after) in enumerate(pairwise(places)) if number % 3 != 2)


@pytest.mark.parametrize("tests", [[], QUICK, WAITING], ids=["none", "quick", "waiting"])
def test_no_test_is_lost_if_all_are_of_a_kind(tests):
    assert sorted(share_out(tests, 4, path_of)) == sorted(tests)
