"""What a seat could have done instead: every true play that the rules allow is offered."""

import pytest

from arena.games.cheat.lessons.policy import find_alternatives
from arena.games.cheat.rules.actions import Play
from arena.games.cheat.rules.call_judging import is_truthful
from arena.games.cheat.rules.cards import RANKS, read_cards
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.legality import why_illegal
from arena.games.cheat.rules.scenario_adapter import position_from_text
from arena.match.game import Seat, Style


def true_plays(state, decided):
    """Return the true plays among the alternatives as text, each as rank and number of cards."""
    found = find_alternatives(state, Seat(0), "turn", decided)
    plays = [each for each in found if isinstance(each, Play) and each.cards]
    assert [why_illegal(state, Seat(0), each, "turn") for each in found] == [None] * len(found)
    return {f"{each.count}{RANKS[each.rank]}" for each in plays if is_truthful(each.cards, each.count, each.rank)}


def opening(hand, **options):
    return position_from_text(hand, "QC QD", style=Style.SEALED, **options)


def lie(text, rank):
    cards = read_cards(text.split())
    return Play(cards, len(cards), RANKS.index(rank))


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("KC", {"1K"}),
        ("KC KD KH", {"1K", "2K", "3K"}),
        ("KC KD 5C 5D 5H 9S", {"1K", "2K", "15", "25", "35", "19"}),
        ("KC KD KH KS JK", {"1K", "2K", "3K", "4K", "5K"}),
    ],
)
def test_every_number_of_true_cards_is_offered(hand, expected):
    """At the opening of a game without restrictions of rank; with a joker, the other ranks are true with it too."""
    state = opening(f"{hand} 2C 2D 2H 2S", max_count=6)

    found = true_plays(state, lie("2C 2D", "7"))

    assert expected <= found


def test_all_true_cards_of_the_rank_to_follow_are_offered():
    """After a king, only the ranks of the ruleset may be claimed, and the bot has three of them."""
    start = position_from_text("KC KD KH 3C 4C", "KS 2D 5D", style=Style.SEALED, start=1, rank_next=["same"])
    state = CHEAT.resolve(start, "turn", {Seat(1): Play(read_cards(["KS"]), 1, 12)}).state
    while state.phase.name == "WINDOW":
        state = CHEAT.resolve(state, "window", {}).state

    assert {"1K", "2K", "3K"} & true_plays(state, lie("3C", "K")) >= {"1K"}


def test_largest_true_play_of_every_rank_is_offered_at_a_full_opening():
    """Thirteen ranks of four cards: too many plays for all of them, but all cards of each rank are there."""
    state = opening(" ".join(f"{rank}{suit}" for rank in RANKS for suit in "CDHS"), max_count=4)

    found = true_plays(state, lie("2C", "7"))

    assert {f"4{rank}" for rank in RANKS} <= found
    assert len(found) <= 24


def test_what_was_done_is_no_alternative():
    state = opening("KC KD 2C")

    assert "2K" not in true_plays(state, lie("KC KD", "K"))


def test_many_packs_offer_few_of_many_numbers():
    """A bot with a hundred kings does not get a hundred alternatives."""
    state = opening(" ".join(["KC"] * 40), decks=50, max_count=100)

    found = true_plays(state, lie("KC", "2"))

    assert {"40K", "39K", "1K"} <= found
    assert len(found) <= 8
