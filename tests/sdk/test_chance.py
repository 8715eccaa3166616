"""The chance that a mover had the cards that it claims, each worked out by hand as a fraction."""

from fractions import Fraction
from typing import Any

import pytest

from cheatarena import Rank
from cheatarena.testing import Script
from tests.sdk.stories import last_claim, table_after

HAND = "KC KD 2C 3C"
"""Two kings are left among 48 cards that this bot has not seen."""


def story_of(hand: str = HAND, sizes: tuple[int, ...] = (4, 3, 45), jokers: int = 0) -> Script:
    return Script(seats=3, jokers=jokers).deal(hand, sizes=sizes)


def chance(story: Script) -> float:
    """Judge the claim on top of the pile."""
    table = table_after(story)
    return table.chance(last_claim(table))


def near(numerator: int, denominator: int) -> Any:
    return pytest.approx(float(Fraction(numerator, denominator)), rel=1e-12)


def test_one_of_two_kings_among_three_cards_of_48():
    """1 - C(46, 3) / C(48, 3) = 1 - 15,180 / 17,296."""
    assert chance(story_of().plays(1, "K", 1)) == near(2116, 17296)


def test_both_kings_among_three_cards_of_48():
    """C(2, 2) C(46, 1) / C(48, 3)."""
    assert chance(story_of().plays(1, "K", 2)) == near(46, 17296)


def test_joker_fits_every_claim():
    """With two jokers, four of 50 cards fit: 1 - C(46, 3) / C(50, 3) = 1 - 15,180 / 19,600."""
    assert chance(story_of(sizes=(4, 3, 47), jokers=2).plays(1, "K", 1)) == near(4420, 19600)


def test_card_that_the_mover_has_shown_counts_as_held():
    """Seat 1 took 7C and KS back. It needs one of one king among its one other card of 46: 1 / 46."""
    story = story_of().plays(1, "Q", 2).calls(2, lie=True, shown="7C KS")

    assert chance(story.plays(1, "K", 1)) == 1.0
    assert chance(story_of().plays(1, "Q", 2).calls(2, lie=True, shown="7C KS").plays(1, "K", 2)) == near(1, 46)


def test_card_that_is_surely_in_another_hand_is_not_drawn():
    """Seat 2 has 7C and KS, so one of 46 cards fits, and seat 1 has three of them: 3 / 46."""
    story = story_of().plays(2, "Q", 2).calls(1, lie=True, shown="7C KS").plays(1, "K", 1)

    assert chance(story) == near(3, 46)


def test_hand_is_the_one_before_the_move_although_more_was_laid_since():
    """Seat 1 had three cards before its first claim, and two before its second."""
    table = table_after(story_of().plays(1, "K", 1).plays(2, "A", 1).plays(1, "K", 1))

    first, _, second = table.claims
    assert table.chance(first) == near(2116, 17296)
    assert table.chance(second) == near(93, 1128), "1 - C(46, 2) / C(48, 2)"


def test_share_of_a_hand_whose_size_is_hidden():
    """Each of two seats counts as holding 24 of 48 cards: 1 - C(46, 24) / C(48, 24) = 1 - 24 * 23 / (48 * 47)."""
    story = Script(seats=3, jokers=0, rules={"sizes_visible": False}).deal(HAND, sizes=(4, 3, 45)).plays(1, "K", 1)

    assert chance(story) == near(48 * 47 - 24 * 23, 48 * 47)


def test_hand_whose_size_is_hidden_was_no_smaller_than_the_claim_needs():
    """The share is 4 of 50 cards. Five aces need five of the six that fit: C(6, 5) / C(50, 5)."""
    script = Script(seats=13, jokers=2, rules={"sizes_visible": False})

    assert chance(script.deal(HAND, sizes=(4,) * 13).plays(1, "A", 5)) == near(6, 2118760)


def test_impossible_and_known_claims_have_no_chance_or_are_certain():
    assert chance(story_of().plays(1, "K", 3)) == 0.0
    assert chance(story_of().plays(1, "K", 0)) == 1.0
    assert chance(story_of().plays(0, "K", "KC 2C")) == 0.0
    assert chance(story_of().plays(0, "K", "KC KD")) == 1.0


def test_number_of_cards_never_seen_says_nothing_about_other_hands():
    """All four kings were seen, and two of them are in the mover's hand."""
    story = story_of().plays(1, "Q", 2).calls(2, lie=True, shown="KH KS").plays(1, "K", 2)
    table = table_after(story)

    assert table.never_seen(Rank.KING) == table.unseen(Rank.KING) == 0
    assert not table.is_impossible(last_claim(table))
    assert table.chance(last_claim(table)) == 1.0
