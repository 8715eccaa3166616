"""Prompts, their seats and lengths (spec B6, A12.10), and what happens for a seat that does not answer."""

from typing import Any

import pytest

from arena.games.cheater.rules.actions import ALLOW, IDLE, Attack, Bust, Discard, Take
from arena.games.cheater.rules.cards import BUST, CODES, HIDE, SHOW, TAKE, WILD
from arena.games.cheater.rules.game import CHEATER
from arena.games.cheater.rules.questions import ActOptions, DiscardOptions, PickOptions, ReactionOptions
from arena.match.game import ClosingRule, Seat, TimeLimit
from tests.games.cheater.rules.game_driver import BLUE, RED, YELLOW, cards, start_game

ZERO, ONE, TWO = Seat(0), Seat(1), Seat(2)
RT, YC = CODES["RT"], CODES["YC"]
SHOWN = cards("RT YC YH YE YA HIDE BUST")

ASKED: dict[str, tuple[dict[str, Any], str, str, Seat, Any, Any]] = {
    # setup, moves, kind, seat, options, automatic action
    "act": ({}, "", "act", ZERO, ActOptions((), bytes([TAKE, SHOW]), (ONE, TWO)), IDLE),
    "act as CHEATER": (
        {"start": 1, "cheater": 1},
        "",
        "act",
        ONE,
        ActOptions((1, 2, 3), bytes([BUST]), (TWO, ZERO)),
        IDLE,
    ),
    "act with a WILD": ({"start": 2}, "", "act", TWO, ActOptions((), bytes([TAKE, WILD]), (ZERO, ONE)), IDLE),
    "discard": ({}, "0 draw", "discard", ZERO, DiscardOptions(1), Discard(cards("PE"))),
    "discard two": ({"cheater": 0}, "0 draw2", "discard", ZERO, DiscardOptions(2), Discard(cards("PE PA"))),
    "discard for the top": ({"cheater": 0}, "0 top", "discard", ZERO, DiscardOptions(1), Discard(cards("BT"))),
    "reaction": ({}, "0 play TAKE 1", "reaction", ONE, ReactionOptions(ZERO, Attack.TAKE, bytes([HIDE])), ALLOW),
    "reaction with a WILD": (
        {},
        "0 play SHOW 2",
        "reaction",
        TWO,
        ReactionOptions(ZERO, Attack.SHOW, bytes([WILD])),
        ALLOW,
    ),
    "reaction without a card": (
        {"start": 1},
        "1 play BUST 0",
        "reaction",
        ZERO,
        ReactionOptions(ONE, Attack.BUST, b""),
        ALLOW,
    ),
    "reaction to a WILD": (
        {"start": 2},
        "2 play WILD 0 show",
        "reaction",
        ZERO,
        ReactionOptions(TWO, Attack.SHOW, b""),
        ALLOW,
    ),
    "pick": ({}, "0 play TAKE 1, 1 allow", "pick", ZERO, PickOptions(Attack.TAKE, ONE, SHOWN, 1), Take(RT)),
    "pick of power 3": (
        {"cheater": 0},
        "0 demand 1, 1 allow",
        "pick",
        ZERO,
        PickOptions(Attack.DEMAND, ONE, SHOWN, 1),
        Take(RT, RT),
    ),
    "pick of a BUST": (
        {"start": 1},
        "1 play BUST 0, 0 allow, die 4",
        "pick",
        ONE,
        PickOptions(Attack.BUST, ZERO, cards("RC RH RE RA YT TAKE SHOW"), 4),
        Bust(b""),
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_one_seat_is_prompted_with_its_legal_actions(name: str) -> None:
    """Prompts of the turn have the turn's length, the victim's that of a reaction, each from its own start."""
    setup, moves, kind, seat, options, automatic = ASKED[name]
    game = start_game(**setup).acts(*(move for move in moves.split(", ") if move))

    group = game.group

    assert (group.kind, group.questions[0].seat, group.questions[0].options) == (kind, seat, options)
    assert group.length is (TimeLimit.REACTION if kind == "reaction" else TimeLimit.TURN)
    assert group.closing is (ClosingRule.ALL if kind == "reaction" else ClosingRule.FIRST)
    assert group.serial == group.clock == game.state.step
    assert (group.earliest, group.lands) == (None, None)
    assert CHEATER.automatic_action(game.state, seat, kind) == automatic
    assert CHEATER.why_illegal(game.state, seat, automatic, kind) is None


@pytest.mark.parametrize("name", [name for name in ASKED if name.startswith("reaction")])
def test_silent_victim_shows_its_hand(name: str) -> None:
    setup, moves, *_ = ASKED[name]
    game = start_game(**setup).acts(*moves.split(", "))
    victim = game.group.questions[0].seat

    game.expire_deadline()

    assert game.facts["shown_hand"]["seat"] == victim


TIMED_OUT: dict[str, tuple[dict[str, Any], str, str]] = {
    "act": ({}, "", "BT PE"),
    "discard": ({}, "0 draw", "BT PE"),
    "discard two": ({"cheater": 0}, "0 draw2", "BT PE PA"),
    "discard for the top": ({"cheater": 0}, "0 top", "BT"),
    "pick": ({}, "0 play TAKE 1, 1 allow", "BT TAKE"),
    "pick of power 3": ({"cheater": 0}, "0 demand 1, 1 allow", "BT RT"),
    "pick of a BUST": ({}, "0 draw, 0 discard PE, roll 1 2, 1 play BUST 2, 2 allow, die 4", "BT PE BUST"),
}


@pytest.mark.parametrize("name", TIMED_OUT)
def test_silent_seat_loses_its_turn(name: str) -> None:
    setup, moves, discards = TIMED_OUT[name]
    game = start_game(**setup).acts(*(move for move in moves.split(", ") if move))

    game.expire_deadline()

    assert game.facts["discard"] == discards.split()
    assert game.sizes == [7, 7, 7]
    assert game.facts["phase"] == "roll"


def test_every_answer_settles() -> None:
    assert CHEATER.is_settling(ALLOW)


def test_consecutive_prompts_have_different_serials() -> None:
    """The prompts of two turns are two prompts."""
    game = start_game(RED, YELLOW, BLUE)
    first = game.group.serial
    game.acts("0 idle", "roll 1 2")

    assert game.group.serial > first


@pytest.mark.parametrize("kind", ["turn", "reaction", "discard"])
def test_closed_group_cannot_be_settled(kind: str) -> None:
    with pytest.raises(ValueError, match="is open"):
        CHEATER.resolve(start_game().state, kind, {})


def test_action_of_another_phase_settles_nothing() -> None:
    """Answers are validated before they come here; this is the rules' own guard."""
    with pytest.raises(ValueError, match="is not a move of phase act"):
        CHEATER.resolve(start_game().state, "act", {ZERO: Discard(b"")})
    with pytest.raises(ValueError, match="does not pick cards"):
        CHEATER.resolve(start_game().acts("0 play TAKE 1", "1 allow").state, "pick", {ZERO: IDLE})
