"""Hands that spell CHEATER: when they win, the order of the check, titles (spec B5)."""

from typing import Any

import pytest

from arena.games.cheater.rules.events import Drew, Stopped, Won
from arena.games.cheater.rules.game import CHEATER
from arena.games.cheater.rules.state import Title, Win
from arena.match.game import GameSetup, Outcome, Seat, Style
from tests.games.cheater.rules.game_driver import BLUE, RED, YELLOW, start_game

NEARLY = "RC RH RE RA RT RR"
"""Red without its second E: with RE it spells CHEATER."""
LATE = "BC BH BE BA BT BR"
"""Blue without its second E."""

COMPLETED: dict[str, tuple[tuple[str, ...], dict[str, Any], str, int, str, int]] = {
    # hands, setup, moves, winner, colour, cards drawn
    "a plain discard": ((f"{NEARLY} YT", YELLOW, BLUE), {"draw": "RE PA"}, "0 draw, 0 discard YT", 0, "R", 1),
    "power 1": ((f"{NEARLY} YT", YELLOW, BLUE), {"draw": "PE RE", "cheater": 0}, "0 draw2, 0 discard PE YT", 0, "R", 2),
    "power 2": ((f"{NEARLY} YT", YELLOW, BLUE), {"discard": "RE", "cheater": 0}, "0 top, 0 discard YT", 0, "R", 0),
    "TAKE, before the victim draws": (
        (f"{NEARLY} TAKE", YELLOW.replace("YE", "RE"), BLUE),
        {},
        "0 play TAKE 1, 1 allow, 0 take RE",
        0,
        "R",
        0,
    ),
    "power 3, before the victim draws": (
        (f"{NEARLY} YT", YELLOW.replace("YE", "RE"), BLUE),
        {"cheater": 0},
        "0 demand 1, 1 allow, 0 take RE YT",
        0,
        "R",
        0,
    ),
    "the draw after SHOW": ((f"{NEARLY} SHOW", YELLOW, BLUE), {"draw": "RE"}, "0 play SHOW 1, 1 allow", 0, "R", 1),
    "the attacker's draw after BUST, before the victim draws": (
        (f"{NEARLY} BUST", f"{LATE} TAKE", BLUE),
        {"draw": "RE BE"},
        "0 play BUST 1, 1 allow, die 2, 0 bust TAKE",
        0,
        "R",
        1,
    ),
    "the victim's draw after BUST": (
        (RED.replace("TAKE", "BUST"), f"{LATE} TAKE", YELLOW),
        {"draw": "PE BE"},
        "0 play BUST 1, 1 allow, die 1, 0 bust TAKE",
        1,
        "B",
        2,
    ),
    "the victim's draw after TAKE": (
        (RED, f"{LATE} TAKE", YELLOW),
        {"draw": "BE"},
        "0 play TAKE 1, 1 allow, 0 take TAKE",
        1,
        "B",
        1,
    ),
    "the victim's draw after power 3": (
        (RED, f"{LATE} TAKE", YELLOW),
        {"draw": "BE", "cheater": 0},
        "0 demand 1, 1 allow, 0 take TAKE TAKE",
        1,
        "B",
        1,
    ),
    "the hider's draw, before the attacker draws": (
        (f"{NEARLY} SHOW", f"{LATE} HIDE", YELLOW),
        {"draw": "BE RE"},
        "0 play SHOW 1, 1 hide HIDE",
        1,
        "B",
        1,
    ),
    "the attacker's draw after a HIDE": (
        (f"{NEARLY} SHOW", f"{BLUE.replace('WILD', 'HIDE')}", YELLOW),
        {"draw": "BE RE"},
        "0 play SHOW 1, 1 hide HIDE",
        0,
        "R",
        2,
    ),
    "the hider's draw after power 3": (
        (f"{NEARLY} SHOW", f"{LATE} HIDE", YELLOW),
        {"draw": "BE RE", "cheater": 0},
        "0 demand 1, 1 hide HIDE",
        1,
        "B",
        1,
    ),
}


@pytest.mark.parametrize("name", COMPLETED)
def test_hand_wins_as_soon_as_it_is_complete(name: str) -> None:
    """It wins on another seat's turn too, and before draws that remain."""
    hands, setup, moves, winner, color, drawn = COMPLETED[name]
    driver = start_game(*hands, **setup)

    driver.acts(*moves.split(", "))

    assert driver.facts["over"]
    assert (driver.facts["winner"], driver.facts["color"]) == (winner, color)
    assert sum(len(event.cards) for event in driver.events if isinstance(event, Drew)) == drawn
    assert isinstance(driver.events[-1], Won)
    assert driver.facts["to_move"] is None
    assert CHEATER.open_groups(driver.state) == ()
    assert CHEATER.chance_request(driver.state) is None


@pytest.mark.parametrize(
    ("start", "winner"), [(0, 1), (1, 1), (2, 2)], ids=["the first after 0", "the first itself", "another first"]
)
def test_dealt_hands_are_checked_from_the_first_player_clockwise(start: int, winner: int) -> None:
    driver = start_game(RED, f"{LATE} BE", f"{NEARLY} RE", roll=None, start=start)

    assert driver.facts["winner"] == winner
    assert driver.facts["places"] == {str(seat): 1 if seat == winner else 2 for seat in range(3)}


@pytest.mark.parametrize(
    "hand",
    ["RC RH RE RA RT RR WILD", "RC RH RE RE RA RT YR", "RC RH RE RE RE RT RR", "RC RC RE RE RA RT RR"],
    ids=["a wild is no letter", "two colours", "E three times, no A", "C twice, no H"],
)
def test_hands_that_do_not_spell_it_do_not_win(hand: str) -> None:
    assert not start_game(hand, YELLOW, BLUE, roll=None).facts["over"]


def test_hand_of_eight_is_not_checked() -> None:
    """It spells CHEATER only after a discard, and only if the right card is discarded."""
    driver = start_game(f"{NEARLY} YT", YELLOW, BLUE, draw="RE").acts("0 draw", "0 discard RC")

    assert not driver.facts["over"]


def test_complete_hand_of_an_idle_seat_has_already_won() -> None:
    """A card drawn and discarded again leaves the hand unchanged."""
    driver = start_game(f"{NEARLY} YT", YELLOW, BLUE, draw="RE")

    driver.expire_deadline()

    assert driver.facts["discard"] == ["BT", "RE"]
    assert not driver.facts["over"]


def test_places_of_a_game_with_a_leaver() -> None:
    driver = start_game(f"{NEARLY} TAKE", YELLOW.replace("YE", "RE"), BLUE, RED)

    driver.acts("leave 3", "0 play TAKE 1", "1 allow", "0 take RE")

    assert driver.outcome == Outcome((1, 2, 2, 4), "spelled", Win(0, ()))


# ---- titles

EXCELLENT, ULTIMATE, INFINITE = Title.EXCELLENT, Title.ULTIMATE, Title.INFINITE

STREAKS = [
    ([], ()),
    ([(0, "R")], (EXCELLENT, ULTIMATE)),
    ([(0, "Y")], (EXCELLENT,)),
    ([(1, "R")], ()),
    ([(0, "R"), (0, "R")], (EXCELLENT, ULTIMATE, INFINITE)),
    ([(0, "Y"), (0, "R")], (EXCELLENT, ULTIMATE)),
    ([(0, "R"), (0, "Y")], (EXCELLENT,)),
    ([(1, "R"), (0, "R")], (EXCELLENT, ULTIMATE)),
    ([(0, "R"), (1, "R")], ()),
    ([(0, "R"), (0, "R"), (0, "R")], (EXCELLENT, ULTIMATE, INFINITE)),
    ([(1, "Y"), (0, "R"), (0, "R")], (EXCELLENT, ULTIMATE, INFINITE)),
]


@pytest.mark.parametrize(("history", "titles"), STREAKS)
def test_consecutive_wins_earn_titles(history: list[tuple[int, str]], titles: tuple[Title, ...]) -> None:
    """A fourth win of the same colour earns the same three again."""
    driver = start_game(f"{NEARLY} YT", YELLOW, BLUE, draw="RE", history=history).acts("0 draw", "0 discard YT")

    assert driver.last(Won).titles == titles
    assert driver.outcome.detail == Win(0, titles)


def test_without_titles_a_streak_earns_nothing() -> None:
    driver = start_game(f"{NEARLY} YT", YELLOW, BLUE, draw="RE", history=[(0, "R"), (0, "R")], titles=False)

    assert driver.acts("0 draw", "0 discard YT").last(Won).titles == ()


RED_WIN = Outcome((1, 2, 2), "spelled", Win(0, ()))


@pytest.mark.parametrize(
    ("history", "earlier"),
    [
        ((), ()),
        ((RED_WIN,), ((0, 0),)),
        ((RED_WIN, Outcome((2, 2, 1), "spelled", Win(3, ()))), ((0, 0), (2, 3))),
        ((RED_WIN, Outcome((1, 2, 3), "last_seat")), ((0, 0), None)),
        ((RED_WIN, Outcome((1, 1, 1), "max_turns"), RED_WIN), (None, (0, 0))),
    ],
    ids=["no game", "one", "two", "won without a colour", "stopped, and older games forgotten"],
)
def test_streak_is_computed_from_earlier_outcomes(history: tuple[Outcome, ...], earlier: Any) -> None:
    """Their places are in the order of this game's seats, so a streak stays with its entrant."""
    state = CHEATER.initial_state(
        CHEATER.build_ruleset("cheater", {}), GameSetup(3, len(history), Style.SEALED, history)
    )

    assert state.earlier == earlier


# ---- the guard


@pytest.mark.parametrize(
    "moves", ["0 draw, 0 discard PE, roll 1 2, 1 draw, 1 discard PA", "leave 0, roll 1 2, 1 play BUST 2, leave 2"]
)
def test_guard_counts_every_ended_turn(moves: str) -> None:
    """Turns cut short by a leave count too."""
    driver = start_game(RED, YELLOW, BLUE, RED, max_turns=2).acts(*moves.split(", "))

    assert driver.last(Stopped) == Stopped()
    assert (driver.outcome.termination, driver.outcome.detail) == ("max_turns", None)


def test_turn_lost_by_a_double_counts_too() -> None:
    driver = start_game(roll=(5, 5), cheater=0, max_turns=1)

    assert driver.outcome == Outcome((1, 1, 1), "max_turns")


def test_remaining_seats_share_first_place_and_leavers_are_last() -> None:
    driver = start_game(max_turns=1).acts("leave 1", "0 idle")

    assert driver.outcome == Outcome((1, 3, 1), "max_turns")


def test_win_in_the_last_turn_counts() -> None:
    driver = start_game(f"{NEARLY} YT", YELLOW, draw="RE", max_turns=1).acts("0 draw", "0 discard YT")

    assert driver.outcome.termination == "spelled"
    assert Seat(driver.outcome.places.index(1)) == 0
