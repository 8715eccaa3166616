"""Leaving: from every seat, in every phase (spec B7)."""

from typing import Any

import pytest

from arena.games.cheater.rules.events import SeatLeft, Won
from arena.games.cheater.rules.game import CHEATER
from arena.match.game import ChanceRequest, Outcome, Seat
from tests.games.cheater.rules.game_driver import BLUE, RED, YELLOW, cards, start_game

BYSTANDER: dict[str, tuple[dict[str, Any], str]] = {
    "act": ({}, ""),
    "discard": ({}, "0 draw"),
    "reaction": ({}, "0 play TAKE 1"),
    "pick": ({}, "0 play TAKE 1, 1 allow"),
    "pick after a die": ({"start": 1}, "1 play BUST 0, 0 allow, die 3"),
}


def play_moves(setup: dict[str, Any], moves: str) -> Any:
    return start_game(**setup).acts(*(move for move in moves.split(", ") if move))


@pytest.mark.parametrize("name", BYSTANDER)
def test_bystander_leaving_keeps_the_open_prompt(name: str) -> None:
    """Question and serial stay; a turn's time restarts, a reaction's continues (spec A12.9)."""
    game = play_moves(*BYSTANDER[name])
    before = game.group

    game.leave(2)

    after = game.group
    assert (after.kind, after.serial, after.questions[0].seat) == (before.kind, before.serial, before.questions[0].seat)
    assert after.clock == (before.clock if name == "reaction" else game.state.step - 1)
    assert game.facts["places"] == {"2": 3}
    assert game.sizes[2] == 0


@pytest.mark.parametrize("name", BYSTANDER)
def test_prompt_stays_open_while_cards_are_shuffled_in(name: str) -> None:
    """This keeps the prompt id."""
    game = play_moves(*BYSTANDER[name])

    game.leave(2, shuffle=False)
    while_shuffling = CHEATER.open_groups(game.state)
    game.draw()

    assert CHEATER.open_groups(game.state) == while_shuffling != ()


def test_departed_seat_cannot_be_attacked() -> None:
    assert start_game().acts("leave 2").options.targets == (Seat(1),)


def test_leavers_cards_are_shuffled_into_the_draw_pile() -> None:
    """The draw is named by turn and seat; it orders all the pile's cards, taken in canonical order."""
    game = start_game(draw="PE PA")

    game.leave(2, shuffle=False)
    assert CHEATER.chance_request(game.state) == ChanceRequest("leaver", 0, 2, count=9)
    assert game.last(SeatLeft) == SeatLeft(Seat(2), cards("PT BC BH BE BA TAKE WILD"), 3, None)
    game.draw([8, 7, 6, 5, 4, 3, 2, 1, 0])

    assert game.facts["draw"] == ["WILD", "TAKE", "BA", "BE", "BH", "BC", "PT", "PA", "PE"]
    assert game.facts["discard"] == ["BT"]


def test_leavers_turns_are_skipped() -> None:
    game = start_game().acts("leave 1", "0 draw", "0 discard YT")

    assert game.facts["to_move"] == 2


@pytest.mark.parametrize(("cheater", "after"), [(2, None), (1, 1), (None, None)])
def test_leavers_marker_returns_to_the_centre(cheater: Any, after: Any) -> None:
    game = start_game(cheater=cheater).acts("leave 2")

    assert game.facts["cheater"] == after
    assert game.last(SeatLeft).cheater == after


IN_TURN: dict[str, tuple[dict[str, Any], str, int, str]] = {
    # setup, moves, cards of the leaver, discards
    "act": ({}, "", 7, "BT"),
    "discard, with a drawn card": ({}, "0 draw", 8, "BT"),
    "discard, with two": ({"cheater": 0}, "0 draw2", 9, "BT"),
    "discard, with the top discard": ({"cheater": 0}, "0 top", 8, ""),
    "reaction": ({}, "0 play TAKE 1", 6, "BT TAKE"),
    "reaction to power 3": ({"cheater": 0}, "0 demand 1", 7, "BT"),
    "pick": ({}, "0 play TAKE 1, 1 allow", 6, "BT TAKE"),
    "pick of power 3": ({"cheater": 0}, "0 demand 1, 1 allow", 7, "BT"),
}


@pytest.mark.parametrize("name", IN_TURN)
def test_next_seat_rolls_when_the_seat_in_turn_leaves(name: str) -> None:
    """All its cards, fresh draws too, are shuffled in; its open cards stay; the victim of an attack is safe."""
    setup, moves, held, discards = IN_TURN[name]
    game = play_moves(setup, moves)
    drawn = sum(len(text.split()) for _, text in game.draws)

    game.leave(0)

    assert len(game.last(SeatLeft).cards) == held
    assert game.facts["discard"] == discards.split()
    assert game.facts["draw_size"] == 10 - drawn + held
    assert game.sizes == [0, 7, 7]
    assert game.hand(1) == set(YELLOW.split())
    assert (game.facts["to_move"], game.facts["phase"], game.state.turns) == (1, "roll", 1)


def test_roll_has_no_effect_when_the_attacker_leaves_during_a_bust() -> None:
    game = start_game(start=1).acts("1 play BUST 0", "0 allow", "die 6", "leave 1")

    assert game.sizes == [7, 0, 7]
    assert game.facts["to_move"] == 2


VICTIM: dict[str, tuple[dict[str, Any], str, int]] = {
    # setup, moves, cards that the attacker draws
    "reaction": ({}, "0 play TAKE 1", 1),
    "reaction to power 3": ({"cheater": 0}, "0 demand 1", 0),
    "pick": ({}, "0 play TAKE 1, 1 allow", 1),
    "pick of power 3": ({"cheater": 0}, "0 demand 1, 1 allow", 0),
    "pick of a BUST": ({"start": 0}, "0 draw, 0 discard PE, roll 1 2, 1 play BUST 0, 0 allow, die 3", 1),
}


@pytest.mark.parametrize("name", VICTIM)
def test_attacker_draws_to_seven_and_its_turn_ends_when_the_victim_leaves(name: str) -> None:
    """With power 3 it has seven already. The leaver's cards are in the pile before it draws."""
    setup, moves, drawn = VICTIM[name]
    game = play_moves(setup, moves)
    attacker, victim = game.state.turn, game.state.attacking.target
    before = len(game.draws)

    game.leave(victim, shuffle=False)
    assert len(game.draws) == before, "the shuffle comes first"
    game.draw()

    assert [seat for seat, _ in game.draws[before:]] == [attacker] * drawn
    assert game.sizes == [0 if seat == victim else 7 for seat in range(3)]
    assert (game.facts["to_move"], game.facts["phase"]) == (2, "roll")


def test_remaining_draw_can_win() -> None:
    """The attacker draws its second red E from the cards of the victim that has left."""
    game = start_game("RC RH RE RA RT RR TAKE", "RE YC YH YE YA BUST HIDE", BLUE, draw="")

    game.acts("0 play TAKE 1", "leave 1")

    assert game.outcome.places == (1, 3, 2)
    assert game.outcome.termination == "spelled"


def test_power_2_finds_no_discard_that_a_leaver_took_with_it() -> None:
    """The CHEATER takes the only discard and leaves: the next CHEATER finds no discard."""
    game = start_game(cheater=0).acts("0 top", "leave 0", "roll 4 4")
    assert game.facts["discard"] == []

    assert game.act(1, "top") == "not_now"
    assert game.options.powers == (1, 3)


@pytest.mark.parametrize("moves", ["", "0 draw", "0 play TAKE 1", "0 play TAKE 1, 1 allow"])
@pytest.mark.parametrize("leaver", [0, 1])
def test_last_seat_left_wins_at_once_without_a_colour_or_a_draw(moves: str, leaver: int) -> None:
    """Such a win earns no title, and nothing is shuffled."""
    game = start_game(RED, YELLOW, history=[(0, "R"), (0, "R")]).acts(*(move for move in moves.split(", ") if move))
    drawn = len(game.draws)

    game.leave(leaver)

    assert game.outcome == Outcome((2, 1) if leaver == 0 else (1, 2), "last_seat", None)
    assert game.last(Won) == Won(Seat(1 - leaver), None, ())
    assert len(game.draws) == drawn
    assert CHEATER.chance_request(game.state) is None


def test_each_leaver_takes_the_worst_free_place() -> None:
    game = start_game(RED, YELLOW, BLUE, RED, YELLOW).acts("leave 3", "leave 1", "leave 4", "leave 0")

    assert game.outcome.places == (2, 4, 1, 5, 3)


def test_leaving_twice_or_after_the_end_has_no_effect() -> None:
    game = start_game().acts("leave 2")
    assert CHEATER.leave(game.state, Seat(2)) == (game.state, ())

    game.acts("leave 1")
    assert CHEATER.leave(game.state, Seat(0)) == (game.state, ())


def test_seat_can_leave_only_while_no_draw_is_pending() -> None:
    with pytest.raises(ValueError, match="awaited"):
        CHEATER.leave(start_game(roll=None).state, Seat(0))


def test_answers_are_refused_while_a_leavers_cards_are_shuffled_in() -> None:
    game = start_game()
    game.leave(2, shuffle=False)

    with pytest.raises(ValueError, match="no group 'act' is open"):
        CHEATER.resolve(game.state, "act", {})
