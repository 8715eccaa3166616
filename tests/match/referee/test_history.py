"""What a new game learns about the earlier games."""

import pytest

from arena.match.game import Outcome
from arena.match.referee.history import History

OUTCOMES = [Outcome((1, 2, 3), "first"), Outcome((3, 1, 2), "second")]
"""With places by entrant."""


def test_places_are_in_the_order_of_the_new_seats():
    history = History(OUTCOMES, seats=(2, 0, 1))

    assert list(history) == [Outcome((3, 1, 2), "first"), Outcome((2, 3, 1), "second")]
    assert history[-1] == history[1:][0] == Outcome((2, 3, 1), "second")


def test_later_games_do_not_count():
    outcomes = OUTCOMES.copy()
    history = History(outcomes, seats=(0, 1, 2))

    outcomes.append(Outcome((1, 1, 1), "third"))

    assert len(history) == 2
    assert history[-1].termination == "second"
    with pytest.raises(IndexError):
        history[2]
