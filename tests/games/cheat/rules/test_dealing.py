"""The deal and the first mover (spec A3)."""

import pytest

from arena.games.cheat.rules.cards import EMPTY_HAND, cards_from_hand
from arena.games.cheat.rules.events import Dealt
from arena.games.cheat.rules.game import CHEAT
from arena.match.game import ChanceRequest, Game, GameSetup, Style


def test_deck_is_drawn_before_the_first_mover() -> None:
    """No prompt comes before; each card goes to the next seat clockwise from seat 0."""
    game: Game = CHEAT
    state = game.initial_state(CHEAT.build_ruleset("standard", {"jokers_per_deck": 0}), GameSetup(3, 0, Style.LIVE))
    assert game.chance_request(state) == ChanceRequest("deck", 0, 0, count=52)
    assert game.open_groups(state) == ()

    state, nothing = game.apply_chance(state, range(52))
    assert nothing == ()
    assert game.chance_request(state) == ChanceRequest("first_mover", 0, 0, count=1, faces=3)
    assert game.open_groups(state) == ()
    state, (dealt,) = game.apply_chance(state, [2])

    assert game.chance_request(state) is None
    assert isinstance(dealt, Dealt)
    assert dealt.first == 2
    assert [cards_from_hand(hand) for hand in dealt.hands] == [bytes(range(seat, 52, 3)) for seat in range(3)]
    assert state.sizes == (18, 17, 17)
    assert state.to_move == 2
    assert state.step == 2


def test_several_packs_form_one_sorted_pack() -> None:
    """Two decks with jokers: two of each card and four jokers, in canonical order."""
    state = CHEAT.initial_state(CHEAT.build_ruleset("standard", {"decks": 2}), GameSetup(2, 0, Style.SEALED))

    state, _ = CHEAT.apply_chance(CHEAT.apply_chance(state, range(108)).state, [0])

    assert state.hands[0] == state.hands[1] == (*(1,) * 52, 2)


def test_no_seat_can_act_before_the_deal() -> None:
    """No seat is to move, no hand holds a card, and no draw follows the last one."""
    state = CHEAT.initial_state(CHEAT.build_ruleset("standard", {}), GameSetup(2, 0, Style.LIVE))

    assert state.to_move is None
    assert state.hands == (EMPTY_HAND, EMPTY_HAND)
    state, _ = CHEAT.apply_chance(CHEAT.apply_chance(state, range(54)).state, [0])
    with pytest.raises(ValueError, match="no chance"):
        CHEAT.apply_chance(state, [0])
