"""The sample `counter` computes with thousands of cards as it does with few, without exact but huge numbers."""

import itertools
import random
from typing import Any

import pytest

from arena.practice import play
from tests.sample_bots.plain_counter import PlainChoice, exact_chance
from tests.sample_bots.samples import load_module

COUNTER: Any = load_module("counter")


def test_chances_are_those_of_an_urn():
    """All urns of up to seven cards, at every bound."""
    for pool in range(8):
        for fitting, drawn in itertools.product(range(pool + 1), repeat=2):
            for wanted in range(-1, pool + 2):
                expected = exact_chance(wanted, fitting, pool, drawn)
                assert COUNTER.chance(wanted, fitting, pool, drawn) == pytest.approx(expected, abs=1e-12)


def test_chances_are_right_for_thousands_of_cards():
    """Near the expected number and far from it, in urns that are drawn at random."""
    rng = random.Random(5)
    for fitting in (1, 8, 30, 60, 300):
        pool = rng.randint(5_000, 13_554)
        drawn = rng.randint(1_000, pool - 1_000)
        middle = fitting * drawn // pool
        for wanted in (middle - 20, middle - 3, middle, middle + 1, middle + 4, middle + 25):
            expected = exact_chance(wanted, fitting, pool, drawn)
            assert COUNTER.chance(wanted, fitting, pool, drawn) == pytest.approx(expected, abs=1e-9)


def test_certain_chances_are_exact():
    """Plays are compared, so rounding must not decide between two plays that nobody can see through."""
    assert COUNTER.chance(0, 4, 50, 10) == 1
    assert COUNTER.chance(5, 4, 50, 10) == 0
    assert COUNTER.chance(4, 4, 50, 3) == 0
    assert COUNTER.chance(2, 9, 10, 3) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"decks": 3, "jokers_per_deck": 0},
        {"decks": 4, "check": "arbiter"},
        {"opening_face_up": True, "sizes_visible": False},
        {"count_lies": True, "min_count": 3, "any_caller": False},
    ],
    ids=str,
)
def test_with_few_packs_every_play_is_that_of_the_plain_counter(options):
    plain = PlainChoice(COUNTER)
    chosen: list[object] = []

    class Compared(COUNTER.Counter):  # type: ignore[misc]  # a class that is only known when it runs
        def turn(self, table, options):
            state = table.random.getstate()
            answer = super().turn(table, options)
            table.random.setstate(state)  # both choose the same random rank
            expected = plain.choose(self, table, options)
            assert expected in (answer, None)
            chosen.append(answer)
            return answer

    play([Compared] * 3, options={"max_turns": 120, **options}, games=2, seed=6)

    assert len(chosen) > 60


def test_large_counts_are_compared_in_steps():
    """The number of plays to compare does not grow with the number of packs, but the largest is always compared."""
    some = COUNTER.spread(range(1, 1507), 1300)

    assert some[:24] == list(range(1, 25))
    assert some[-1] == 1300
    assert len(some) < 60
    assert all(b <= a * 1.25 + 1 for a, b in itertools.pairwise(some))
    assert COUNTER.spread((3, 7), 5) == [3]
    assert COUNTER.spread((3, 7), 2) == []
