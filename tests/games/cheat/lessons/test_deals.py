"""Deals of hidden cards: they fit what the seat knew, all that fit are equally likely, and the truth is never used."""

import random
from collections import Counter
from dataclasses import fields

import pytest

from arena.games.cheat.lessons.deals import deal_hidden_cards, hide_cards
from arena.games.cheat.lessons.knowledge import HiddenCards
from arena.games.cheat.lessons.model import CHEAT_LESSONS
from arena.games.cheat.rules.actions import Play
from arena.games.cheat.rules.cards import EMPTY_HAND, card_texts, cards_from_hand, read_cards
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.scenario_adapter import position_from_text
from arena.games.cheat.rules.state import State
from arena.match.game import Seat, Style
from tests.replays.lessons.recorded_bots import CallerOfNothing, play_game


def deal(state: State, hidden: HiddenCards, count: int, is_lie: bool = True) -> list[State]:
    """Deal several times, each with a seed of its own."""
    return [deal_hidden_cards(state, Seat(0), hidden, random.Random(seed), is_lie) for seed in range(count)]


def hand_text(state: State, seat: int) -> str:
    return " ".join(card_texts(cards_from_hand(state.hands[seat])))


def test_all_deals_that_fit_are_equally_likely():
    """Seats 1 and 2 hold two cards each. The kings are with seat 1 or out of the game, the other cards anywhere.

    The kings can be with seat 1 (both), one there and one out, or both out: 1, 4 and 1 assignments of the kings to
    places with room. The rest of the places take the four other cards in any order: 4!/(2! 2!) = 6, 4!/(1! 2! 1!) = 12
    and 6 deals.
    """
    state = position_from_text("AC", "QC QD", "JC JD", style=Style.SEALED)
    hidden = HiddenCards((0, 2, 2, 2), (((1, 3), read_cards(["KC", "KD"])),), read_cards(["2C", "3C", "4C", "5C"]))

    count = 6000
    found = Counter((hand_text(each, 1), hand_text(each, 2)) for each in deal(state, hidden, count))

    assert len(found) == 6 + 2 * 12 + 6
    expected = count / len(found)
    chi_square = sum((number - expected) ** 2 / expected for number in found.values())
    assert chi_square < 66.6  # the 0.999 quantile for 35 degrees of freedom


def test_cards_of_one_place_stay_there():
    state = position_from_text("AC", "QC QD", "JC JD", style=Style.SEALED)
    hidden = HiddenCards((0, 2, 2, 0), (((2,), read_cards(["KC"])),), read_cards(["2C", "3C", "4C"]))

    assert all("KC" in hand_text(each, 2) for each in deal(state, hidden, 50))


@pytest.mark.parametrize("is_lie", [True, False])
def test_claim_that_may_be_called_is_a_lie_as_often_as_wanted(is_lie):
    """A doubtful claim is what the deal wants it to be, whatever uniform deals would make of it."""
    start = position_from_text("AC 2C", "QC QD KC", style=Style.SEALED, start=1)
    state = CHEAT.resolve(start, "turn", {Seat(1): Play(read_cards(["KC"]), 1, 12)}).state
    hidden = HiddenCards((0, 2, 0, 1), (), read_cards(["QC", "QD", "KC"]))

    dealt = deal(state, hidden, 40, is_lie)

    assert {each.last is not None and each.last.cards == read_cards(["KC"]) for each in dealt} == {not is_lie}


def test_impossible_claim_is_always_a_lie():
    start = position_from_text("AC 2C", "QC QD KC", style=Style.SEALED, start=1)
    state = CHEAT.resolve(start, "turn", {Seat(1): Play(read_cards(["QC"]), 1, 12)}).state
    hidden = HiddenCards((0, 2, 0, 1), (), read_cards(["QC", "QD", "3C"]))

    assert all(CHEAT_LESSONS.is_lie(each, Seat(0)) for each in deal(state, hidden, 20, is_lie=False))


def test_hidden_cards_are_erased_from_positions():
    """What a seat does not see is not in a position, so no lesson can depend on it."""
    game, _ = play_game(CallerOfNothing, 4)

    for position in game.positions:
        state = position.state
        assert [hand for seat, hand in enumerate(state.hands) if seat != game.seat and hand != EMPTY_HAND] == []
        assert state.banished == EMPTY_HAND
        assert [bottom.cards for bottom in state.bottom if bottom.cards] == []
        layer = state.pile
        while layer is not None:
            assert layer.claim.seat == game.seat or not layer.cards
            layer = layer.below


def test_games_that_differ_only_in_hidden_cards_have_the_same_positions():
    one = position_from_text("AC", "QC QD", "JC JD", style=Style.SEALED)
    other = position_from_text("AC", "JC QD", "QC JD", style=Style.SEALED)

    first, second = hide_cards(one, Seat(0)), hide_cards(other, Seat(0))

    plain = [each.name for each in fields(State) if each.name not in ("compiled_rules", "options", "groups")]
    assert [getattr(first, name) for name in plain] == [getattr(second, name) for name in plain]
