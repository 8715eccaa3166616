"""Insight into games of CHEATER: attacks, their results and their targets."""

import pytest

from arena.games.cheater.analysis import CheaterFigures, cheater_figures, cheater_luck
from arena.games.cheater.rules.game import CHEATER
from arena.replays.analytics.bot_figures import Ratio
from tests.games.cheater.rules.game_driver import GameDriver, cards, start_game
from tests.replays.analytics.reading import read, terms_of


@pytest.fixture
def evening() -> GameDriver:
    """Seat 0 attacks seat 1, which hides; then seat 1 becomes the CHEATER and busts two cards of seat 0."""
    return start_game().acts(
        *("0 play TAKE 1", "1 hide HIDE", "roll 4 4", "1 play BUST 0", "0 allow", "die 3", "1 bust RC RH", "roll 1 2")
    )


def figures(sitting: GameDriver, seat: int) -> CheaterFigures:
    return cheater_figures(read(CHEATER, sitting.events, terms_of(CHEATER, 3))[seat].counts)


def test_attacks_and_their_results(evening: GameDriver):
    zero, one, two = (figures(evening, seat) for seat in range(3))

    assert (zero.attacks_by_kind["take"], zero.hidden_by_kind["take"]) == (Ratio(1, 1), Ratio(1, 1))
    assert (one.attacks_by_kind["bust"], one.hidden_by_kind["bust"]) == (Ratio(1, 1), Ratio(0, 1))
    assert (zero.hides, one.hides, two.hides) == (Ratio(0, 1), Ratio(1, 1), Ratio(0, 0))
    assert (one.cards_an_attack, zero.cards_lost) == (Ratio(2, 1), Ratio(2, 1))


def test_turns_and_markers(evening: GameDriver):
    assert [figures(evening, seat).attacks for seat in range(3)] == [Ratio(1, 1), Ratio(1, 1), Ratio(0, 1)]
    assert [figures(evening, seat).markers.amount for seat in range(3)] == [0, 1, 0]


def test_attack_is_a_choice_among_all_others(evening: GameDriver):
    """Seat 0 had seats 1 and 2 to choose from, so each expects half an attack."""
    own, one, two = read(CHEATER, evening.events, terms_of(CHEATER, 3))[0].dealings

    assert (one.chances, one.taken, one.expected, one.variance) == (1, 1, 0.5, 0.25)
    assert (two.chances, two.taken, two.expected, two.variance) == (1, 0, 0.5, 0.25)
    assert own.chances == 0


def test_departed_seat_is_no_choice():
    """With one opponent there is no choice."""
    game = start_game()
    game.leave(2)
    game.acts("0 play TAKE 1", "1 allow", "0 take YC")

    assert all(not each.chances for each in read(CHEATER, game.events, terms_of(CHEATER, 3))[0].dealings)


def test_luck_is_letters_of_the_best_colour():
    """Six letters, two E of three, and none: the mean of 6, 3 and 0 is 3."""
    hands = ["RC RH RE RE RA RT YR", "PE PE PE PC TAKE HIDE SHOW", "TAKE TAKE SHOW SHOW HIDE HIDE BUST"]

    assert cheater_luck([cards(hand) for hand in hands]) == [3, 0, -3]
