"""Claims that cannot be true, each worked out by hand, with one pack: four cards of each rank."""

import pytest

from cheatarena import Rank
from cheatarena.testing import Script
from tests.sdk.stories import last_claim, table_after


def is_impossible(story: Script) -> bool:
    """Judge the claim on top of the pile."""
    table = table_after(story)
    return table.is_impossible(last_claim(table))


@pytest.mark.parametrize(
    ("hand", "claimed", "jokers", "expected"),
    [
        ("KC KD KH 2C", 1, 0, False),
        ("KC KD KH 2C", 2, 0, True),
        ("KC KD KH 2C", 2, 2, False),
        ("KC KD KH 2C", 3, 2, False),
        ("KC KD KH 2C", 4, 2, True),
        ("KC KD KH JK", 3, 2, True),
        ("KC KD KH KS", 0, 0, False),
        ("KC KD JK JK", 2, 2, False),
        ("KC KD JK JK", 3, 2, True),
    ],
)
def test_own_cards_count_against_a_claim_and_jokers_for_it(hand, claimed, jokers, expected):
    assert is_impossible(Script(seats=3, jokers=jokers).deal(hand).plays(1, "K", claimed)) is expected


def test_own_cards_on_the_pile_count_too():
    story = Script(seats=3, jokers=0).deal("KC KD KH 2C").plays(0, "K", "KC KD KH")

    assert is_impossible(story.plays(1, "K", 2))


def test_cards_known_in_a_third_hand_cannot_have_been_laid():
    story = Script(seats=3, jokers=0).deal("KC 2C 3C 4C").plays(2, "K", 2).calls(1, lie=False, shown="KD KH")

    assert not is_impossible(story.plays(1, "K", 3))


def test_cards_known_in_the_takers_hand_count_against_other_seats():
    """Seat 1 took KD and KH and seat 0 has KC, so seat 2 has KS at most."""
    story = Script(seats=3, jokers=0).deal("KC 2C 3C 4C").plays(2, "K", 2).calls(1, lie=False, shown="KD KH")

    assert not is_impossible(story.plays(2, "K", 1))
    assert is_impossible(story.plays(2, "K", 2))


def test_known_cards_that_may_have_been_laid_since_still_belong_to_no_other_seat():
    """Whatever seat 1 laid as a queen, KD and KH are in its hand or on the pile, but not in the hand of seat 2."""
    story = Script(seats=3, jokers=0).deal("KC 2C 3C 4C").plays(2, "K", 2).calls(1, lie=False, shown="KD KH")

    assert is_impossible(story.plays(1, "Q", 1).plays(2, "K", 2))


def test_fully_known_hand_cannot_lay_another_card():
    """Seat 1 took its own lie back, and all its cards are known."""
    story = Script(seats=3, jokers=0).deal("AS 2S 3S", sizes=(3, 2, 47))
    story.plays(1, "K", 2).calls(2, lie=True, shown="7C 8C")

    assert is_impossible(story.plays(1, "K", 1))


def test_hand_with_too_few_unknown_cards_cannot_lay_the_claimed_number():
    """Seat 1 holds 7C, 8C and one unknown card, so a claim of two kings would include a seven or an eight."""
    story = Script(seats=3, jokers=0).deal("AS 2S 3S", sizes=(3, 3, 46))
    story.plays(1, "K", 2).calls(2, lie=True, shown="7C 8C")

    assert not is_impossible(story.plays(1, "K", 1))
    story = Script(seats=3, jokers=0).deal("AS 2S 3S", sizes=(3, 3, 46))
    assert is_impossible(story.plays(1, "K", 2).calls(2, lie=True, shown="7C 8C").plays(1, "K", 2))


def test_known_cards_forced_into_an_earlier_move_free_unknown_ones_for_a_later_move():
    """Seat 1 holds 7C 8C and two unknown cards. It lays two, then two: either pair can be the kings."""
    story = Script(seats=3, jokers=0).deal("AS 2S 3S", sizes=(3, 4, 45))
    story.plays(1, "K", 2).calls(2, lie=True, shown="7C 8C")

    table = table_after(story.plays(1, "K", 2).plays(2, "K", 1).plays(1, "K", 2))

    assert [table.is_impossible(claim) for claim in table.claims] == [False, False, False]


def test_own_claim_is_impossible_when_it_was_a_lie():
    assert is_impossible(Script(seats=3).deal("KC KD 2C").plays(0, "K", "KC 2C"))
    assert not is_impossible(Script(seats=3).deal("KC KD 2C").plays(0, "K", "KC KD"))


def test_taken_claim_is_not_impossible():
    story = Script(seats=3, jokers=0).deal("KC KD KH 2C").plays(1, "K", 2)
    claim = last_claim(table_after(story))
    after = table_after(story.calls(0, lie=True, shown="7C 8C"))

    assert not after.is_impossible(claim)


def test_several_packs_have_more_of_each_rank():
    assert not is_impossible(Script(seats=3, decks=2, jokers=0).deal("KC KD KH KS").plays(1, "K", 4))
    assert is_impossible(Script(seats=3, decks=2, jokers=0).deal("KC KD KH KS").plays(1, "K", 5))


def test_unseen_counts_cards_that_may_be_anywhere():
    table = table_after(Script(seats=3).deal("KC KD 2C").plays(0, "K", "KC"))

    assert table.unseen(Rank.KING) == 2
    assert table.unseen(Rank.TWO) == 3
    assert table.unseen(Rank.ACE) == 4
