"""Statistics for readers."""

from collections import Counter

from arena.games.cheat.rules.actions import BELIEVE, PASS
from arena.games.cheat.rules.game import CHEAT
from tests.games.cheat.rules.game_driver import start_game


def test_short_game_adds_up() -> None:
    """Four turns, two lies of which one is caught, a right call and a wrong one."""
    driver = start_game("4D KS 5C", "QS 9D 8C", "2C 7C 3H", passing="pass_turn")
    driver.play(0, "4D", "K")
    driver.call(2)
    driver.play(1, "9D", "Q")
    driver.act(2, PASS)
    driver.play(0, "KS", "K")
    driver.call(1)

    figures = Counter(figure for event in driver.events for figure in CHEAT.event_statistics(event))

    assert figures == {
        (0, "turns"): 2,
        (0, "plays"): 2,
        (0, "lies"): 1,
        (0, "lies_caught"): 1,
        (1, "turns"): 1,
        (1, "plays"): 1,
        (1, "lies"): 1,
        (1, "calls_wrong"): 1,
        (2, "turns"): 1,
        (2, "calls_right"): 1,
    }


def test_beliefs_and_checked_hands_are_counted() -> None:
    """A right belief, a wrong one, and a lie found by the check of an emptied hand."""
    driver = start_game("KS 4D", "QS 9D", "7C", believe=True, honest_win=True)
    driver.play(0, "KS", "K")
    driver.act(2, BELIEVE)
    driver.play(1, "9D", "Q")
    driver.act(0, BELIEVE)
    driver.play(2, "7C", "J")

    figures = Counter(figure for event in driver.events for figure in CHEAT.event_statistics(event))

    assert figures == {
        (0, "turns"): 1,
        (0, "plays"): 1,
        (0, "beliefs_wrong"): 1,
        (1, "turns"): 1,
        (1, "plays"): 1,
        (1, "lies"): 1,
        (2, "turns"): 1,
        (2, "plays"): 1,
        (2, "lies"): 1,
        (2, "lies_caught"): 1,
        (2, "beliefs_right"): 1,
    }
