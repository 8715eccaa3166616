"""Hands of more than twenty cards are told by rank, or by what has changed."""

from arena.games.cheat.rules.cards import card_texts
from arena.replays.narration.hand_text import shorten_hand


def hand(codes):
    cards = card_texts(sorted(codes))
    return f"{' '.join(cards)} ({len(cards)})"


def test_small_hand_is_listed_card_by_card():
    small = hand(range(20))

    assert shorten_hand(small, None) == small
    assert shorten_hand(small, hand(range(30))) == small, "nothing else says which cards are left"


def test_large_hand_is_counted_by_rank():
    assert shorten_hand(hand(range(22)), None) == "22 cards: 4*A 4*2 4*3 4*4 4*5 2*6"


def test_change_of_a_large_hand_is_told_alone():
    assert shorten_hand(hand(range(25)), hand(range(22))) == "25 cards, +6H 6S 7C"
    assert shorten_hand(hand(range(1, 24)), hand(range(22))) == "23 cards, +6H 6S -AC"


def test_large_change_of_a_large_hand_is_counted_by_rank():
    assert shorten_hand(hand(range(52)), hand(range(22))).startswith("52 cards: 4*A 4*2 ")


def test_equal_cards_of_many_decks_are_counted():
    assert shorten_hand(hand([0, 0, 0, *range(20)]), hand([0, *range(20)])) == "23 cards, +AC AC"


def test_text_that_is_no_hand_stays():
    for text in ("no cards (0)", "R2 B3 C", "1 2 3", ""):
        assert shorten_hand(text, "x (1)") == text
