"""Every row of the table in spec B3: final hand sizes, and the order of draws."""

from typing import Any

import pytest

from tests.games.cheater.rules.game_driver import BLUE, RED, YELLOW, start_game

ROWS: dict[str, tuple[dict[str, Any], str, list[tuple[int, str]], str]] = {
    "a plain turn": ({}, "0 draw, 0 discard YT", [(0, "PE")], "BT YT"),
    "a drawn card discarded again": ({}, "0 draw, 0 discard PE", [(0, "PE")], "BT PE"),
    "power 1": ({"cheater": 0}, "0 draw2, 0 discard YT PA", [(0, "PE PA")], "BT YT PA"),
    "power 2": ({"cheater": 0}, "0 top, 0 discard YT", [], "YT"),
    "power 2, the same card": ({"cheater": 0}, "0 top, 0 discard BT", [], "BT"),
    "TAKE": ({}, "0 play TAKE 1, 1 allow, 0 take RT", [(1, "PE")], "BT TAKE"),
    "SHOW": ({}, "0 play SHOW 1, 1 allow", [(0, "PE")], "BT SHOW"),
    "BUST for three": (
        {"start": 1},
        "1 play BUST 0, 0 allow, die 3, 1 bust YT RC SHOW",
        [(1, "PE"), (0, "PA PR PC")],
        "BT BUST YT RC SHOW",
    ),
    "BUST for six": (
        {"start": 1},
        "1 play BUST 0, 0 allow, die 6, 1 bust YT RC SHOW RA RE RH",
        [(1, "PE"), (0, "PA PR PC PH YR YE")],
        "BT BUST YT RC SHOW RA RE RH",
    ),
    "BUST for less than the die": (
        {"start": 1},
        "1 play BUST 0, 0 allow, die 6, 1 bust RC",
        [(1, "PE"), (0, "PA")],
        "BT BUST RC",
    ),
    "BUST for nothing": ({"start": 1}, "1 play BUST 0, 0 allow, die 2, 1 bust", [(1, "PE")], "BT BUST"),
    "power 3": ({"cheater": 0}, "0 demand 1, 1 allow, 0 take RT YT", [(1, "PE")], "BT YT"),
    "power 3, the taken card discarded": ({"cheater": 0}, "0 demand 1, 1 allow, 0 take RT RT", [(1, "PE")], "BT RT"),
    "TAKE hidden": ({}, "0 play TAKE 1, 1 hide HIDE", [(1, "PE"), (0, "PA")], "BT TAKE HIDE"),
    "SHOW hidden": ({}, "0 play SHOW 1, 1 hide HIDE", [(1, "PE"), (0, "PA")], "BT SHOW HIDE"),
    "BUST hidden": ({"start": 1}, "1 play BUST 2, 2 hide WILD", [(2, "PE"), (1, "PA")], "BT BUST WILD"),
    "power 3 hidden": ({"cheater": 0}, "0 demand 1, 1 hide HIDE", [(1, "PE")], "BT HIDE"),
    "WILD as TAKE": ({"start": 2}, "2 play WILD 1 take, 1 allow, 2 take RT", [(1, "PE")], "BT WILD"),
    "WILD as SHOW": ({"start": 2}, "2 play WILD 1 show, 1 allow", [(2, "PE")], "BT WILD"),
    "WILD as BUST": (
        {"start": 2},
        "2 play WILD 1 bust, 1 allow, die 1, 2 bust RT",
        [(2, "PE"), (1, "PA")],
        "BT WILD RT",
    ),
    "WILD hidden": ({"start": 2}, "2 play WILD 1 bust, 1 hide HIDE", [(1, "PE"), (2, "PA")], "BT WILD HIDE"),
    "an action card discarded has no effect": ({}, "0 draw, 0 discard TAKE", [(0, "PE")], "BT TAKE"),
    "a CHEATER takes a plain turn": ({"cheater": 0}, "0 draw, 0 discard YT", [(0, "PE")], "BT YT"),
    "a CHEATER plays a card": ({"cheater": 0}, "0 play SHOW 1, 1 allow", [(0, "PE")], "BT SHOW"),
}


@pytest.mark.parametrize("name", ROWS)
def test_every_hand_returns_to_seven_and_draws_come_in_order(name: str) -> None:
    """The case lists draws, discards bottom first, and the rest of the draw pile; then the next seat rolls."""
    setup, moves, drawn, discards = ROWS[name]
    driver = start_game(**setup)

    driver.acts(*moves.split(", "))

    assert driver.draws == drawn
    assert driver.sizes == [7, 7, 7]
    assert driver.facts["discard"] == discards.split()
    assert driver.facts["draw_size"] == 10 - sum(len(cards.split()) for _, cards in drawn)
    assert driver.facts["to_move"] == (setup.get("start", 0) + 1) % 3
    assert driver.facts["phase"] == "roll"


def test_taken_card_changes_hands() -> None:
    driver = start_game().acts("0 play TAKE 1", "1 allow", "0 take YC")

    assert driver.hand(0) == {*RED.split(), "YC"} - {"TAKE"}
    assert driver.hand(1) == {*YELLOW.split(), "PE"} - {"YC"}
    assert driver.hand(2) == set(BLUE.split())


def test_hidden_hand_is_not_shown_and_the_victim_keeps_its_turn() -> None:
    driver = start_game().acts("0 play TAKE 1", "1 hide HIDE")

    assert driver.facts["shown_hand"] is None
    assert driver.facts["to_move"] == 1


def test_freshly_drawn_hide_can_hide() -> None:
    """Seat 1 is busted, draws a HIDE, and has it when seat 2 attacks next."""
    driver = start_game(BLUE, RED, start=0, draw="PE HIDE PR PC")
    driver.acts("0 play WILD 1 bust", "1 allow", "die 1", "0 bust YT", "roll 1 2", "1 draw", "1 discard RC")

    driver.acts("roll 1 2", "0 play TAKE 1", "1 hide HIDE")

    assert driver.facts["discard"][-2:] == ["TAKE", "HIDE"]


def test_own_cards_are_laid_in_the_given_order() -> None:
    driver = start_game(cheater=0).acts("0 draw2", "0 discard PA RC")

    assert driver.facts["discard_top"] == "RC"


# ---- the marker


@pytest.mark.parametrize(
    ("before", "dice", "after", "to_move"),
    [
        (None, (3, 3), 0, 0),
        (1, (3, 3), 0, 0),
        (0, (3, 3), None, 1),
        (None, (3, 4), None, 0),
        (1, (3, 4), 1, 0),
        (0, (3, 4), 0, 0),
    ],
    ids=["from the centre", "from its owner", "lost with the turn", "nobody's", "another's", "kept"],
)
def test_double_moves_the_marker(before: Any, dice: tuple[int, int], after: Any, to_move: int) -> None:
    """A double as CHEATER costs marker and turn; no other seat's hand or pile changes."""
    driver = start_game(roll=dice, cheater=before)

    assert driver.facts["cheater"] == after
    assert driver.facts["to_move"] == to_move
    assert driver.facts["phase"] == ("roll" if to_move else "act")
    assert driver.state.turns == (1 if to_move else 0)


def test_marker_stays_during_turns_of_others() -> None:
    driver = start_game(roll=(2, 2)).acts("0 draw", "0 discard PE", "roll 1 2", "1 draw", "1 discard PA")

    assert driver.acts("roll 1 2", "2 draw", "2 discard PR", "roll 1 2").options.powers == (1, 2, 3)
