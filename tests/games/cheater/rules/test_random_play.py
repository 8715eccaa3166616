"""Random games keep the promises of the rules, whatever the seats do."""

import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.cheater.rules.random_game import random_game


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_random_game_keeps_the_rules(seed: int) -> None:
    """Each step is checked, with 2 to 10 seats, in both styles, with seats that leave at any time.

    Cards are conserved, hands are seven between turns, some seat can always act, the game ends, no view depends on
    a card that its viewer may not know or misses one that it may; the same inputs produce the same events.
    """
    random_game(seed, longest=300)


def play_many(count: int, first: int = 0) -> None:
    """Play a number of whole games: `python -m tests.games.cheater.rules.test_random_play COUNT [FIRST_SEED]`."""
    for seed in range(first, first + count):
        random_game(seed)
    print(f"{count} random games of CHEATER played to their ends")


if __name__ == "__main__":
    play_many(*map(int, sys.argv[1:]))
