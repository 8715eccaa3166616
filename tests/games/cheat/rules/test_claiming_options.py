"""Claims and plays by option: rotation, count lies, count bounds, face-up openings (spec A4, A5)."""

from typing import Any

import pytest

from arena.games.cheat.rules.actions import PASS, Action
from arena.games.cheat.rules.game import CHEAT
from arena.match.game import Seat
from tests.games.cheat.rules.game_driver import lay, start_game

FOUR = ("4D KS 5S", "QS 9D", "2C 7C", "AC AD")
COUNTS = ["same", "more", "less"]
KINGS = ["KC", "KD", "KH", "KS", "JK"]


# ---- rotation


def test_required_rank_rotates_with_every_card_move() -> None:
    """Lies, passes and calls do not affect it; only card moves advance it."""
    driver = start_game(*FOUR, rank_mode="rotation", passing="pass_turn")
    asked = [driver.facts["required_rank"]]
    driver.play(0, "4D", "A")
    asked.append(driver.facts["required_rank"])
    driver.act(1, PASS)
    asked.append(driver.facts["required_rank"])
    driver.play(2, "2C", "2")
    driver.call(1)
    asked.append(driver.facts["required_rank"])

    assert asked == ["A", "2", "2", "3"]


def test_new_trick_does_not_restart_the_rotation() -> None:
    """All have passed; the leader plays the next rank, whatever may start a trick otherwise."""
    driver = start_game(*FOUR, rank_mode="rotation", passing="pass_turn", rank_start=["K"], rank_next=[])
    driver.play(0, "4D", "A")
    for seat in (1, 2, 3):
        driver.act(seat, PASS)

    assert driver.facts["trick_start"]
    assert driver.facts["legal"] == {"ranks": ["2"], "counts": [1, 2], "zero": False, "pass": False}


def test_in_a_rotation_any_count_may_follow_any_count() -> None:
    """The options for same, more, less and zero have no effect."""
    driver = start_game("AS AD AC 4D", "2S 9D 3C 4C 5C", rank_mode="rotation", count=["less", "zero"])

    driver.play(0, "AC", "A")

    assert driver.facts["legal"] == {"ranks": ["2"], "counts": [1, 2, 3, 4, 5], "zero": False, "pass": False}


# ---- smallest and largest count

BOUNDS = [
    # options, claimed before (0: a trick starts), the hand, legal positive counts
    ({"min_count": 2}, 0, "QS 9D 8C", [2, 3]),
    ({"min_count": 2}, 0, "QS", [1]),
    ({"min_count": 2}, 3, "QS 9D 8C 7C", [2, 3, 4]),
    ({"min_count": 2, "count": ["less"]}, 3, "QS 9D 8C 7C", [2]),
    ({"min_count": 2, "count": ["less"]}, 3, "QS", [1]),
    ({"max_count": 3}, 0, "QS 9D 8C 7C", [1, 2, 3]),
    ({"max_count": 3, "count": ["more"]}, 2, "QS 9D 8C 7C", [3]),
    ({"min_count": 2, "max_count": 2}, 2, "QS 9D 8C 7C", [2]),
    ({"max_count": 12, "decks": 2}, 0, "QS 9D 8C 7C", [1, 2, 3, 4]),
]


@pytest.mark.parametrize(("options", "before", "hand", "counts"), BOUNDS)
def test_counts_stay_within_their_bounds(options: dict[str, Any], before: int, hand: str, counts: list[int]) -> None:
    """A hand below the smallest count is claimed whole."""
    driver = start_game("KC KD KH KS JK", hand, start=0 if before else 1, **{"count": COUNTS, **options})
    if before:
        assert driver.play(0, " ".join(KINGS[:before]), "K") is None

    assert driver.facts["legal"]["counts"] == counts


@pytest.mark.parametrize(
    ("options", "claimed"), [({"count": ["less"], "min_count": 2}, 2), ({"max_count": 3, "count": ["more"]}, 3)]
)
def test_count_at_its_bound_exhausts_the_trick(options: dict[str, Any], claimed: int) -> None:
    """Nothing legal is below the smallest or above the largest."""
    driver = start_game("KC KD KH KS", "QS 9D 8C 7C", **options)

    driver.play(0, " ".join(KINGS[:claimed]), "K")

    assert driver.facts["trick_start"]


def test_small_last_hand_must_be_followed_by_the_smallest_count() -> None:
    """One card was claimed where two are the minimum; no seat may repeat the count of one."""
    driver = start_game("KC KD 4D", "QS", "7C 8C 9C", min_count=2, count=["same", "more"])
    driver.play(0, "KC KD", "K")
    driver.play(1, "QS", "Q")

    assert driver.facts["legal"]["counts"] == [2, 3]


# ---- count lies

LIES: list[tuple[dict[str, Any], str, str, int, str | None]] = [
    # options, hand, cards played, claimed count of queens, refusal
    ({}, "QS 9D 8C", "QS", 3, None),
    ({}, "QS 9D 8C", "QS 9D 8C", 1, None),
    ({}, "QS 9D 8C", "QS", 6, None),
    ({}, "QS 9D 8C", "QS", 7, "illegal_count"),
    ({}, "QS 9D 8C", "", 0, None),
    ({}, "QS 9D 8C", "QS", 0, "illegal_count"),
    ({}, "QS 9D 8C", "", 1, "illegal_count"),
    ({"count": COUNTS}, "QS 9D 8C", "", 0, "illegal_count"),
    ({"count": ["same"]}, "QS 9D 8C", "QS", 2, None),
    ({"count": ["same"]}, "QS 9D 8C", "QS 9D", 1, "illegal_count"),
    ({"count": ["same"]}, "QS", "QS", 2, None),
    ({"min_count": 2}, "QS 9D 8C", "QS", 2, "illegal_count"),
    ({"min_count": 2}, "QS 9D 8C", "QS 9D", 1, "illegal_count"),
    ({"min_count": 2}, "QS 9D 8C", "QS 9D 8C", 2, None),
    ({"min_count": 2}, "QS", "QS", 1, None),
    ({"min_count": 2}, "QS", "QS", 3, None),
    ({"min_count": 3, "count": ["same", "more"]}, "QS 9D", "QS 9D", 2, None),
    ({"min_count": 3, "count": ["same", "more"]}, "QS 9D", "QS", 3, "illegal_count"),
    ({"min_count": 3, "count": ["same", "more"]}, "QS 9D", "QS 9D", 1, "illegal_count"),
]


@pytest.mark.parametrize(("options", "hand", "cards", "count", "refusal"), LIES)
def test_cards_that_may_be_played_under_a_claim(
    options: dict[str, Any], hand: str, cards: str, count: int, refusal: str | None
) -> None:
    """The claim obeys the counts whatever the hand; zero is zero; at least the smallest count is played."""
    before = max(2, options.get("min_count", 1))
    driver = start_game("KC KD KH KS 4D", hand, "7C 8C 9C", count_lies=True, **options)
    driver.play(0, " ".join(KINGS[:before]), "K")

    assert driver.play(1, cards, "Q", count) == refusal


def test_count_that_differs_from_the_claim_is_a_lie() -> None:
    """More cards count as a lie as well as fewer, though every card is of the rank."""
    for cards, count in (("QS QD", 1), ("QS", 2)):
        driver = start_game("KS 4D", "QS QD 9D", "7C 8C", count_lies=True)
        driver.play(0, "KS", "K")
        driver.play(1, cards, "Q", count)

        driver.call(2)

        assert driver.facts["result"] == {"kind": "call", "success": True, "taker": 1}


# ---- face-up openings

OPENINGS: list[tuple[dict[str, Any], str, str, str, int, str | None]] = [
    # options, hand, cards played, rank, claimed count, refusal
    ({}, "KS KD 4D", "KS KD", "K", 2, None),
    ({}, "KS KD 4D", "KS", "K", 1, None),
    ({}, "KS KD 4D", "KS 4D", "K", 2, "opening_must_match"),
    ({}, "KS KD 4D", "KS", "9", 1, "opening_must_match"),
    ({}, "KS KD 4D", "KS KD", "K", 1, "opening_must_match"),
    ({}, "KS KD 4D", "", "K", 1, "opening_must_match"),
    ({}, "KS KD 4D", "", "K", 0, "illegal_count"),
    ({}, "KS KD 4D", "QS", "Q", 1, "not_in_hand"),
    ({}, "KS JK 4D", "KS JK", "K", 2, None),
    ({}, "KS JK 4D", "JK", "K", 1, "opening_must_match"),
    ({}, "JK JK", "JK", "7", 1, None),
    ({}, "JK JK", "JK JK", "7", 2, None),
    ({"min_count": 2}, "KS KD 4D", "KS", "K", 1, "illegal_count"),
    ({"min_count": 2}, "KS 4D", "KS", "K", 1, None),
    ({"min_count": 2}, "KS JK 4D", "KS", "K", 1, "illegal_count"),
    ({"min_count": 3}, "KS KD 4D", "KS KD", "K", 2, None),
    ({"min_count": 3}, "KS KD 4D", "4D", "4", 1, None),
    ({"max_count": 1}, "KS KD 4D", "KS KD", "K", 2, "illegal_count"),
    ({"count_lies": True}, "KS KD 4D", "KS", "K", 2, "opening_must_match"),
    ({"count_lies": True}, "KS KD 4D", "KS KD", "K", 2, None),
]


@pytest.mark.parametrize(("options", "hand", "cards", "rank", "count", "refusal"), OPENINGS)
def test_opening_is_true(
    options: dict[str, Any], hand: str, cards: str, rank: str, count: int, refusal: str | None
) -> None:
    """It lies open and has as many cards as claimed: at least the minimum, if the seat holds a set that large."""
    driver = start_game(hand, "QS 9D", "2C 7C", opening_face_up=True, **options)

    assert driver.play(0, cards, rank, count) == refusal


@pytest.mark.parametrize("sealed", [False, True])
def test_opening_cannot_be_called_and_nothing_waits_for_it(sealed: bool) -> None:
    """The next move may be called again."""
    driver = start_game("KS 4D", "QS 9D", "2C 7C", opening_face_up=True, sealed=sealed)
    driver.play(0, "KS", "K")
    assert [(group.kind, group.lands) for group in driver.groups] == [("turn", None)]

    driver.play(1, "9D", "Q")

    assert driver.seats_asked == [0, 2]


@pytest.mark.parametrize("sealed", [False, True])
def test_opening_that_empties_the_hand_wins_at_once(sealed: bool) -> None:
    """Under the places objective the trick continues."""
    driver = start_game("KS KD", "QS 9D", "2C 7C", opening_face_up=True, sealed=sealed)

    driver.play(0, "KS KD", "K")

    assert driver.facts["places"] == {"0": 1}
    assert driver.facts["to_move"] == 1
    assert not driver.facts["trick_start"]


AUTOMATIC: list[tuple[dict[str, Any], str, Action]] = [
    # options, hand of the leader, its automatic opening
    ({}, "KS 9D 4D", lay("4D", "4")),
    ({}, "JK KS 9D", lay("9D", "9")),
    ({}, "JK JK", lay("JK", "A")),
    ({"min_count": 2}, "4D KS KD KC", lay("KC KD", "K")),
    ({"min_count": 2}, "4D KS JK", lay("4D JK", "4")),
    ({"min_count": 2}, "4D KS 9C", lay("4D", "4")),
    ({"min_count": 2}, "JK JK", lay("JK JK", "A")),
    ({"count_lies": True, "min_count": 2}, "KS KD 4D", lay("KD KS", "K")),
]


@pytest.mark.parametrize(("options", "hand", "action"), AUTOMATIC)
def test_automatic_opening_is_true(options: dict[str, Any], hand: str, action: Action) -> None:
    """It plays the lowest rank with enough cards of its own, and adds jokers only if no rank has enough."""
    driver = start_game(hand, "QS 9D", opening_face_up=True, **options)

    assert CHEAT.automatic_action(driver.state, Seat(0), "turn") == action


LYING: list[tuple[dict[str, Any], str, Action]] = [
    # after two kings: options, hand, automatic move
    ({"count": ["same"]}, "QS 9D 8C", lay("8C 9D", "K")),
    ({"count": ["same"]}, "QS", lay("QS", "K", 2)),
    ({"count": ["more"]}, "QS 9D", lay("9D QS", "K", 3)),
    ({"count": COUNTS, "min_count": 2}, "QS", lay("QS", "K", 1)),
    ({}, "QS 9D", lay("", "K")),
]


@pytest.mark.parametrize(("options", "hand", "action"), LYING)
def test_automatic_move_under_count_lies(options: dict[str, Any], hand: str, action: Action) -> None:
    """It makes the smallest legal claim and plays that many of the lowest cards, as far as the hand allows."""
    driver = start_game("KC KD 4D", hand, "7C 8C", count_lies=True, **options)
    driver.play(0, "KC KD", "K")

    assert CHEAT.automatic_action(driver.state, Seat(1), "turn") == action


def test_automatic_move_in_a_rotation_claims_the_required_rank() -> None:
    """It plays one card, the lowest."""
    driver = start_game("AS 4D", "QS 9D", rank_mode="rotation")
    driver.play(0, "AS", "A")

    assert CHEAT.automatic_action(driver.state, Seat(1), "turn") == lay("9D", "2")
