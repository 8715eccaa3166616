"""Refused actions and their codes (docs/rules/cases.md)."""

import pytest

from arena.games.cheater.rules.actions import Discard, Hide, Play, Take
from arena.games.cheater.rules.cards import NO_CARD
from arena.games.cheater.rules.game import CHEATER
from arena.match.game import Seat
from tests.games.cheater.rules.game_driver import RED, start_game

ACT = ""
CHEATER_ACT = "cheater"
DISCARD = "0 draw"
TWO = "cheater, 0 draw2"
REACT = "0 play TAKE 1"
PICK = "0 play TAKE 1, 1 allow"
DEMANDED = "cheater, 0 demand 1, 1 allow"
BUSTED = "cheater, 0 draw, 0 discard PE, roll 1 2, 1 play BUST 0, 0 allow, die 2"
ROLL = "0 draw, 0 discard PE"
GONE = "leave 2"
OVER = "leave 2, leave 1"

REFUSED = [
    # before the roll
    (ROLL, 1, "draw", "not_now"),
    (ROLL, 1, "play BUST 0", "not_now"),
    (ROLL, 0, "draw", "not_your_turn"),
    (ROLL, 1, "allow", "not_now"),
    # another seat's turn
    (ACT, 1, "draw", "not_your_turn"),
    (ACT, 1, "draw2", "not_your_turn"),
    (ACT, 1, "top", "not_your_turn"),
    (ACT, 1, "demand 0", "not_your_turn"),
    (ACT, 1, "play BUST 0", "not_your_turn"),
    (ACT, 1, "idle", "not_your_turn"),
    (DISCARD, 1, "discard YC", "not_your_turn"),
    (PICK, 1, "take RC", "not_your_turn"),
    (BUSTED, 0, "bust RC", "not_your_turn"),
    (REACT, 2, "draw", "not_your_turn"),
    # the wrong phase
    (ACT, 0, "discard YT", "not_now"),
    (ACT, 0, "take RT", "not_now"),
    (ACT, 0, "bust RT", "not_now"),
    (ACT, 0, "allow", "not_now"),
    (ACT, 1, "hide HIDE", "not_now"),
    (DISCARD, 0, "draw", "not_now"),
    (DISCARD, 0, "idle", "not_now"),
    (DISCARD, 0, "play TAKE 1", "not_now"),
    (REACT, 0, "draw", "not_now"),
    (REACT, 0, "allow", "not_now"),
    (REACT, 2, "allow", "not_now"),
    (REACT, 0, "take RT", "not_now"),
    (PICK, 1, "allow", "not_now"),
    (PICK, 1, "hide HIDE", "not_now"),
    (PICK, 0, "bust RT", "not_now"),
    (PICK, 0, "discard RC", "not_now"),
    (BUSTED, 1, "take RC", "not_now"),
    # powers
    (ACT, 0, "draw2", "not_cheater"),
    (ACT, 0, "top", "not_cheater"),
    (ACT, 0, "demand 1", "not_cheater"),
    (ACT, 0, "demand 0", "not_cheater"),
    # cards that are not there
    (ACT, 0, "play BUST 1", "not_in_hand"),
    (ACT, 0, "play ?? 1", "not_in_hand"),
    (ACT, 0, "play HIDE 1", "not_in_hand"),
    (DISCARD, 0, "discard YC", "not_in_hand"),
    (DISCARD, 0, "discard ??", "not_in_hand"),
    (TWO, 0, "discard YT YT", "not_in_hand"),
    (TWO, 0, "discard YT YC", "not_in_hand"),
    (REACT, 1, "hide WILD", "not_in_hand"),
    (PICK, 0, "take RC", "not_in_hand"),
    (PICK, 0, "take ??", "not_in_hand"),
    (DEMANDED, 0, "take RC RC", "not_in_hand"),
    (DEMANDED, 0, "take RT YC", "not_in_hand"),
    (BUSTED, 1, "bust YC", "not_in_hand"),
    (BUSTED, 1, "bust RC RC", "not_in_hand"),
    (BUSTED, 1, "bust RC RH YC", "not_in_hand"),
    # cards that do nothing of the kind
    (ACT, 0, "play YT 1", "not_playable"),
    (ACT, 0, "play YT 0", "not_playable"),
    (ACT, 0, "play TAKE 1 show", "not_playable"),
    (ACT, 0, "play TAKE 1 take", "not_playable"),
    (ROLL + ", roll 1 2", 1, "play HIDE 0", "not_playable"),
    (REACT, 1, "hide BUST", "not_playable"),
    (REACT, 1, "hide TAKE", "not_playable"),
    (REACT, 1, "hide ??", "not_playable"),
    # seats that cannot be attacked
    (ACT, 0, "play TAKE 0", "bad_target"),
    (ACT, 0, "play TAKE 3", "bad_target"),
    (ACT, 0, "play SHOW 4294967295", "bad_target"),
    (CHEATER_ACT, 0, "demand 0", "bad_target"),
    (CHEATER_ACT, 0, "demand 3", "bad_target"),
    (GONE, 0, "play TAKE 2", "bad_target"),
    # how many
    (DISCARD, 0, "discard YT RC", "too_many"),
    (DISCARD, 0, "discard", "too_few"),
    (TWO, 0, "discard YT", "too_few"),
    (TWO, 0, "discard YT RC RE", "too_many"),
    (PICK, 0, "take RT YT", "too_many"),
    (DEMANDED, 0, "take RT", "too_few"),
    (BUSTED, 1, "bust RC RH RE", "too_many"),
    # the end
    (OVER, 0, "draw", "game_over"),
    (OVER, 1, "allow", "game_over"),
]


@pytest.mark.parametrize(("moves", "seat", "action", "code"), REFUSED, ids=[" ".join(map(str, row)) for row in REFUSED])
def test_refused_action_names_the_reason_and_changes_nothing(moves: str, seat: int, action: str, code: str) -> None:
    setup, *steps = moves.removeprefix("cheater").lstrip(", ").split(", ") if moves else [""]
    cheater = 0 if moves.startswith("cheater") else None
    driver = start_game(cheater=cheater).acts(*(step for step in (setup, *steps) if step))
    before = driver.facts

    assert driver.act(seat, action) == code
    assert driver.facts == before


@pytest.mark.parametrize("wild_as", ["", " demand"])
def test_wild_must_stand_for_a_card_that_attacks(wild_as: str) -> None:
    assert start_game(start=2).act(2, f"play WILD 0{wild_as}") == "not_playable"


def test_last_two_of_a_kind_may_both_be_discarded() -> None:
    driver = start_game(RED.replace("RH", "YT"), RED, cheater=0).acts("0 draw2", "0 discard YT YT")

    assert driver.facts["discard"] == ["BT", "YT", "YT"]


def test_answer_to_a_question_that_is_not_open_is_refused() -> None:
    """A prompt that has closed does not accept answers to the open one."""
    state = start_game().acts("0 draw").state

    assert CHEATER.why_illegal(state, Seat(0), Discard(state.gained), "discard") is None
    assert CHEATER.why_illegal(state, Seat(0), Discard(state.gained), "act") == "not_now"


@pytest.mark.parametrize("card", [NO_CARD, 255, 1000, -1])
def test_unknown_card_codes_are_refused_like_cards_not_held(card: int) -> None:
    assert CHEATER.why_illegal(start_game().state, Seat(0), Play(card, Seat(1))) == "not_in_hand"
    picking = start_game().acts("0 play TAKE 1", "1 allow").state
    assert CHEATER.why_illegal(picking, Seat(0), Take(card)) == "not_in_hand"
    reacting = start_game().acts("0 play TAKE 1").state
    assert CHEATER.why_illegal(reacting, Seat(1), Hide(card)) == "not_playable"
