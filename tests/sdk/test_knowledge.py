"""What a seat can know of the cards of others, worked out by hand for each of the four check modes of a call."""

from cheatarena import Rank
from cheatarena.testing import Script
from tests.sdk.stories import table_after, text

HAND = "AS 2S 3S 4S"


def started_story(check: str = "public", hand: str = HAND, seats: int = 3, jokers: int = 0) -> Script:
    """Deal seat 0 a hand; every other seat gets the same number of cards."""
    return Script(seats=seats, seat=0, check=check, jokers=jokers).deal(hand)


# ---- the own seat


def test_own_cards_leave_the_hand_and_are_known_on_the_pile():
    table = table_after(started_story().plays(0, "A", "AS 2S"))

    assert text(table.hand) == "3S 4S"
    assert text(table.known_pile) == "AS 2S"
    assert table.hand_sizes == (2, 4, 4)
    assert table.pile_size == 2
    assert text(table.claims[0].cards or ()) == "AS 2S"


def test_cards_of_others_on_the_pile_are_counted_but_not_known():
    table = table_after(started_story().plays(1, "K", 3))

    assert table.pile_size == 3
    assert table.claims[0].cards is None
    assert table.known_pile == ()


def test_pile_taken_by_the_own_seat_joins_its_hand():
    story = started_story().plays(0, "A", "AS").plays(1, "2", 2)

    table = table_after(story.calls(0, lie=False, shown="2C 2D", taken="AS 2C 2D"))

    assert text(table.hand) == "AS 2C 2D 2S 3S 4S"
    assert table.hand_sizes == (6, 2, 4)
    assert (table.pile_size, table.known_pile) == (0, ())
    assert table.unseen(Rank.TWO) == 1


# ---- each way to check


def test_arbiter_shows_nothing_so_only_own_cards_are_known_in_the_takers_hand():
    story = started_story("arbiter").plays(0, "A", "AS 2S").plays(1, "K", 2)

    table = table_after(story.calls(2, lie=True))

    assert text(table.known_cards(1)) == "AS 2S"
    assert table.hand_sizes == (2, 6, 4)


def test_caller_shows_the_cards_to_the_own_seat_when_it_calls():
    story = started_story("caller").plays(0, "A", "AS").plays(1, "K", 2)

    table = table_after(story.calls(0, lie=True, shown="7C 8C"))

    assert text(table.known_cards(1)) == "AS 7C 8C"


def test_caller_shows_nothing_when_another_seat_calls():
    story = started_story("caller").plays(0, "A", "AS").plays(1, "K", 2)

    table = table_after(story.calls(2, lie=True))

    assert text(table.known_cards(1)) == "AS"


def test_public_shows_the_called_cards_wherever_they_go():
    story = started_story("public").plays(0, "A", "AS").plays(1, "K", 1).plays(2, "K", 2)

    liar = table_after(story.calls(1, lie=True, shown="7C 8C"))

    assert text(liar.known_cards(2)) == "AS 7C 8C"
    assert liar.unseen(Rank.SEVEN) == 3


def test_public_shows_true_cards_in_the_hand_of_the_wrong_caller():
    table = table_after(started_story("public").plays(1, "K", 2).calls(2, lie=False, shown="KC KD"))

    assert text(table.known_cards(2)) == "KC KD"
    assert table.known_cards(1) == ()


def test_public_plus_shows_the_rest_of_the_pile_too():
    story = started_story("public_plus").plays(0, "A", "AS").plays(1, "K", 2).plays(2, "K", 1)

    table = table_after(story.calls(1, lie=True, shown="9D", rest="AS 5C 6C"))

    assert text(table.known_cards(2)) == "AS 5C 6C 9D"


# ---- where known cards may go


def test_known_card_is_no_longer_certain_once_its_holder_has_laid_a_card():
    story = started_story("public").plays(1, "K", 2).calls(2, lie=True, shown="7C 8C")

    table = table_after(story.plays(1, "K", 1))

    assert table.known_cards(1) == ()
    assert text(table.seen_cards(1)) == "7C 8C"
    assert table.unseen(Rank.SEVEN) == 3


def test_known_cards_are_certain_again_when_the_laid_cards_prove_to_be_others():
    story = started_story("public").plays(1, "K", 2).calls(2, lie=True, shown="7C 8C").plays(1, "K", 1)

    table = table_after(story.calls(2, lie=False, shown="KD"))

    assert text(table.known_cards(1)) == "7C 8C"
    assert text(table.known_cards(2)) == "KD"


def test_shown_card_moves_with_the_pile_and_the_others_stay():
    story = started_story("public").plays(1, "K", 2).calls(2, lie=True, shown="7C 8C").plays(1, "7", 1)

    table = table_after(story.calls(2, lie=False, shown="7C"))

    assert text(table.known_cards(1)) == "8C"
    assert text(table.known_cards(2)) == "7C"


def test_verdict_alone_rules_out_known_cards_of_other_ranks():
    """Seat 0 gave seat 1 its AS and 2S; seat 1 then truly laid a king, so both are still in its hand."""
    story = started_story("arbiter").plays(0, "A", "AS 2S").plays(1, "K", 2).calls(2, lie=True).plays(1, "K", 1)

    table = table_after(story.calls(2, lie=False))

    assert text(table.known_cards(1)) == "AS 2S"


def test_pile_with_uncertain_cards_leaves_them_between_two_hands():
    """When seat 2 takes the pile, AS may be in it, or still in the hand of seat 1."""
    story = started_story("arbiter").plays(0, "A", "AS").plays(1, "K", 1).calls(2, lie=True).plays(1, "A", 1)

    table = table_after(story.calls(2, lie=False))

    assert table.known_cards(1) == table.known_cards(2) == ()
    assert text(table.seen_cards(1)) == text(table.seen_cards(2)) == "AS"
    assert table.unseen(Rank.ACE) == 3


def test_taking_the_pile_resolves_uncertain_cards():
    story = started_story("arbiter").plays(0, "A", "AS 2S").plays(1, "K", 1).calls(2, lie=True).plays(1, "A", 2)

    table = table_after(story.calls(0, lie=False, taken="AC AS"))

    assert text(table.known_cards(1)) == "2S"
    assert text(table.hand) == "AC AS 3S 4S"


def test_empty_hand_has_laid_all_its_known_cards():
    story = started_story("public", seats=3).plays(1, "K", 2).calls(2, lie=True, shown="7C 8C")

    table = table_after(story.plays(1, "7", 4))

    assert text(table.known_pile) == "7C 8C"
    assert table.seen_cards(1) == ()


def test_cards_of_a_leaving_seat_are_under_the_pile():
    story = started_story("public").plays(1, "K", 2).calls(2, lie=True, shown="7C 8C").plays(2, "K", 1)

    table = table_after(story.leaves(1))

    assert table.hand_sizes == (4, 0, 3)
    assert table.pile_size == 5
    assert text(table.known_pile) == "7C 8C"
    assert table.known_cards(1) == ()
    assert [claim.seat for claim in table.claims] == [2]
    assert table.places == (0, 3, 0)


def test_leavers_cards_move_to_the_seat_that_takes_the_pile():
    story = started_story("public").plays(1, "K", 2).calls(2, lie=True, shown="7C 8C").leaves(1).plays(2, "K", 1)

    table = table_after(story.calls(0, lie=True, shown="9H"))

    assert text(table.known_cards(2)) == "7C 8C 9H"


def test_equal_cards_are_counted_conservatively():
    """Seat 1 surely holds one joker and lays a card. The joker that seat 0 then takes may be the same one."""
    story = started_story("public", hand="AS 2S 3S 4S", jokers=2).plays(1, "K", 2).calls(2, lie=True, shown="JK 8C")

    table = table_after(story.plays(1, "K", 1).calls(0, lie=False, taken="JK", shown="JK"))

    assert text(table.known_cards(1)) == "8C"
    assert table.hand.jokers == 1


# ---- the rest of the table


def test_claim_to_follow_survives_taking_and_ends_with_the_trick():
    story = started_story().plays(1, "K", 2).calls(2, lie=False, shown="KC KD")
    table = table_after(story)
    ended = table_after(story.ends_trick(0))

    assert table.previous is not None
    assert (table.previous.rank, table.previous.count) == (Rank.KING, 2)
    assert table.last_claim is None
    assert ended.previous is None
    assert ended.to_move == 2


def test_turns_are_counted_by_moves_and_passes():
    assert table_after(started_story().plays(0, "A", "AS").passes(1).passes(2)).turn == 3


def test_names_rules_and_seat_are_available_from_the_start():
    table = table_after(started_story("caller", jokers=2))

    assert table.names == ("bot 0", "bot 1", "bot 2")
    assert (table.seat, table.seat_count, table.game) == (0, 3, 0)
    assert (table.ruleset.check, table.ruleset.jokers, table.ruleset.copies) == ("caller", 2, 4)
    assert table.pace.turn_s == 2.0


def test_own_move_that_empties_the_hand_is_recorded_too():
    table = table_after(started_story().plays(0, "A", HAND))

    assert len(table.hand) == 0
    assert text(table.known_pile) == HAND
