"""The automatic move for a seat that does not answer (spec A11)."""

from typing import Any

import pytest

from arena.games.cheat.rules.actions import DECLINE, PASS, Action
from arena.games.cheat.rules.game import CHEAT
from arena.match.game import Seat
from tests.games.cheat.rules.game_driver import lay, start_game

COUNTS = ["same", "more", "less"]

TABLE: list[tuple[dict[str, Any], Action]] = [
    ({"passing": "pass_turn"}, PASS),
    ({"passing": "pass_trick"}, PASS),
    ({}, lay("", "K")),
    ({"rank_next": ["down1", "up1_wrap"]}, lay("", "A")),
    ({"rank_next": ["down1"]}, lay("", "Q")),
    ({"count": COUNTS}, lay("6H", "K")),
    ({"count": ["same"]}, lay("6H 9D", "K")),
    ({"count": ["more"]}, lay("6H 9D QS", "K")),
    ({"count": COUNTS, "rank_next": ["down1"]}, lay("6H", "Q")),
    ({"count": COUNTS, "passing": "single_turn"}, lay("6H", "K")),
]


@pytest.mark.parametrize(("options", "action"), TABLE)
def test_automatic_move_within_a_trick(options: dict[str, Any], action: Action) -> None:
    """Pass, else nothing, else the fewest and lowest cards; the previous rank, else the lowest legal one."""
    driver = start_game("KS 4D 5S", "QS 9D 6H", "2C 7C 8H", **options)
    driver.play(0, "4D KS", "K")

    assert CHEAT.automatic_action(driver.state, Seat(1), "turn") == action


@pytest.mark.parametrize(("starts", "rank"), [([], "A"), (["K"], "K"), (["others", "K"], "2")])
def test_automatic_move_at_the_start_of_a_trick(starts: list[str], rank: str) -> None:
    """One card, the lowest, under the lowest rank that may start."""
    driver = start_game("KS JK 4D", "QS 9D", rank_start=starts)

    assert CHEAT.automatic_action(driver.state, Seat(0), "turn") == lay("4D", rank)


def test_hand_below_the_required_count_is_played_whole() -> None:
    """The count must be three and two cards are left."""
    driver = start_game("KS KD KC 4D", "QS 9D", "2C 7C", count=["same"])
    driver.play(0, "KC KD KS", "K")

    assert CHEAT.automatic_action(driver.state, Seat(1), "turn") == lay("9D QS", "K")


def test_window_is_declined() -> None:
    """A silent seat does not call."""
    driver = start_game("KS 4D", "QS 9D")
    driver.play(0, "KS", "K")

    assert CHEAT.automatic_action(driver.state, Seat(1), "window") == DECLINE


def test_missing_turn_answer_becomes_the_automatic_move() -> None:
    """Settling the group has the same effect."""
    driver = start_game("KS 4D", "QS 9D 6H", "2C 7C")
    step = CHEAT.resolve(driver.state, "turn", {})

    assert step.events == CHEAT.resolve(driver.state, "turn", {Seat(0): lay("4D", "A")}).events


def test_automatic_move_ignores_hidden_cards_of_others() -> None:
    """It follows from the seat's own hand and public facts."""
    moves = [
        CHEAT.automatic_action(start_game("KS 4D", hand, "2C 7C", count=COUNTS).state, Seat(0), "turn")
        for hand in ("QS 9D", "AC AD")
    ]

    assert moves[0] == moves[1]
