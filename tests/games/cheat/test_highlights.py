"""What stands out in a game of Cheat."""

from arena.games.cheat.highlights import find_cheat_highlights
from arena.games.cheat.rules.cards import RANKS, hand_from_cards, read_cards


def play(seat, rank, *cards):
    laid = [*read_cards(cards)]
    return (0, "Played", {"seat": seat, "rank": RANKS.index(rank), "count": len(laid), "cards": laid})


def call(taker, *cards):
    return (0, "Called", {"taker": taker, "taken": hand_from_cards(read_cards(cards))})


END: tuple[int, str, dict[str, object]] = (0, "GameEnded", {})


def test_largest_lie_that_nobody_called_is_found_with_its_turn():
    events = [play(0, "K", "KS"), play(1, "K", "2C", "KD"), play(2, "A", "2D", "3D", "JK"), play(0, "A", "AC"), END]

    (lie,) = find_cheat_highlights(events)

    assert (lie.title, lie.size, lie.turn) == ("largest lie that held", 2, 2)
    assert lie.text == "seat 2 claims 3 x A with 2D 3D JK, and nobody calls"


def test_called_lie_did_not_hold_but_its_pile_counts():
    (pile,) = find_cheat_highlights([play(0, "K", "2C", "3C"), call(0, "2C", "3C"), play(1, "A", "AC"), END])

    assert (pile.title, pile.size, pile.text, pile.turn) == ("largest pile", 2, "seat 0 takes 2 cards", 0)


def test_lie_of_the_last_move_held():
    assert find_cheat_highlights([play(0, "K", "2C"), END])[0].turn == 0
    assert find_cheat_highlights([play(0, "K", "2C")]) == []
