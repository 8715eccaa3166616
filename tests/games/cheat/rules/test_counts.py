"""Counts that may be claimed (spec A5). The tables are worked out on paper from the spec's wording."""

import pytest

from tests.games.cheat.rules.game_driver import start_game

SIX_KINGS = "KC KD KH KS JK JK"
NINE = "2C 3C 4C 5C 6C 7C 8C 9C TC"

AFTER = [
    # counts switched on, claimed before, the next hand, legal positive counts, zero
    (["same"], 2, "QS 9D 8C", [2], False),
    (["same"], 3, "QS 9D", [2], False),
    (["more"], 2, "QS 9D 8C 3H", [3, 4], False),
    (["more"], 4, "QS 9D", [2], False),
    (["more"], 5, NINE, [6], False),
    (["less"], 3, "QS 9D 8C 3H", [1, 2], False),
    (["less"], 3, "QS", [1], False),
    (["less"], 2, "QS 9D 8C 3H", [1], False),
    (["same", "more"], 2, NINE, [2, 3, 4, 5, 6], False),
    (["same", "less"], 3, NINE, [1, 2, 3], False),
    (["more", "less"], 3, NINE, [1, 2, 4, 5, 6], False),
    (["more", "less"], 3, "QS 9D 8C", [1, 2], False),
    (["same", "more", "less"], 3, NINE, [1, 2, 3, 4, 5, 6], False),
    (["same", "more", "less", "zero"], 3, "QS", [1], True),
    (["same", "zero"], 3, "QS 9D", [2], True),
    ([], 3, "QS 9D 8C 3H", [1, 2, 3, 4], False),
    (["zero"], 3, "QS 9D 8C 3H", [1, 2, 3, 4], True),
]


@pytest.mark.parametrize(("count", "claimed", "hand", "positive", "zero"), AFTER)
def test_counts_after_a_claim(count: list[str], claimed: int, hand: str, positive: list[int], zero: bool) -> None:
    """The enabled steps apply, cut to the hand; where none fits, the whole hand is played."""
    driver = start_game(SIX_KINGS + " 2D", hand, "2D 7D", count=count)

    driver.play(0, " ".join(SIX_KINGS.split()[:claimed]), "K")

    assert driver.facts["to_move"] == 1
    assert driver.facts["legal"]["counts"] == positive
    assert driver.facts["legal"]["zero"] is zero


@pytest.mark.parametrize(
    ("count", "claimed"),
    [(["more"], 6), (["less"], 1), (["more", "zero"], 6), (["less", "zero"], 1)],
)
def test_claim_without_successor_ends_the_trick(count: list[str], claimed: int) -> None:
    """Nothing is above the maximum or below one; zero alone keeps no trick alive."""
    driver = start_game(SIX_KINGS + " 2D", NINE, "2D 7D", count=count)

    driver.play(0, " ".join(SIX_KINGS.split()[:claimed]), "K")

    assert driver.facts["trick_start"]
    assert driver.facts["to_move"] == 0


@pytest.mark.parametrize(
    ("count", "ends"),
    [
        (["same", "zero"], True),
        (["less", "zero"], True),
        (["same", "less", "zero"], True),
        (["more", "zero"], False),
    ],
)
def test_only_more_can_follow_zero(count: list[str], ends: bool) -> None:
    """No positive count is the same as zero or less than it."""
    driver = start_game("KC KD 4D", "QS 9D 8C", "2D 7D", count=count)
    driver.play(0, "KC KD", "K")

    assert driver.play(1, "", "K") is None

    assert driver.facts["trick_start"] is ends


@pytest.mark.parametrize(
    ("decks", "jokers", "most"),
    [(1, 2, 6), (1, 0, 4), (2, 2, 12), (3, 0, 12), (251, 2, 1506)],
)
def test_claim_covers_at_most_a_whole_rank_and_all_jokers(decks: int, jokers: int, most: int) -> None:
    """The limit is (4 + jokers) for each deck, at the start of a trick too."""
    hand = " ".join(["2C"] * (most + 1))
    driver = start_game(hand, "QS 9D", decks=decks, jokers_per_deck=jokers)

    assert driver.facts["legal"]["counts"] == list(range(1, most + 1))
    assert driver.play(0, hand, "2") == "illegal_count"


def test_last_cards_may_be_fewer_than_required_if_all_are_played() -> None:
    """Three were claimed, two are left: playing one is refused, playing two is accepted."""
    driver = start_game("KS KD KC 4D", "QS 9D", "2C 7C 8H", count=["same"])
    driver.play(0, "KC KD KS", "K")

    assert driver.play(1, "QS", "Q") == "illegal_count"
    assert driver.play(1, "9D QS", "Q") is None
    assert driver.facts["prev"] == {"rank": "Q", "count": 2, "seat": 1}


def test_claimed_count_must_match_the_number_of_cards() -> None:
    """A mismatch is refused before the count itself is checked."""
    driver = start_game("KS 4D", "QS 9D")

    assert driver.play(0, "KS", "K", count=2) == "count_mismatch"
    assert driver.play(0, "KS 4D", "K", count=7) == "count_mismatch"
    assert driver.play(0, "KS", "K", count=-1) == "count_mismatch"
    assert driver.play(0, "", "K", count=0) == "illegal_count"
