"""Who calls, who moves afterwards, believing, banishing: each option against the rule text (spec A7, A8, A12)."""

from typing import Any

import pytest

from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS
from arena.games.cheat.rules.events import Believed, Overruled, PileBanished, TrickEnded, WindowClosed
from arena.games.cheat.rules.state import TurnOptions
from arena.match.game import ClosingRule
from tests.games.cheat.rules.game_driver import GameDriver, start_game

FOUR = ("4D KS 5S", "QS 9D", "2C 7C", "AC AD")
COUNTS = ["same", "more", "less"]
STYLES = pytest.mark.parametrize("sealed", [False, True])


def turn_options(driver: GameDriver) -> TurnOptions:
    """Return the options of the seat in turn."""
    options = driver.group("turn").questions[0].options
    assert isinstance(options, TurnOptions)
    return options


# ---- next mover after a call


@pytest.mark.parametrize(
    ("following", "right", "to_move"),
    [
        # seat 0 moves, seat 2 calls, seat 1 was to move
        ("no_change", True, 1),
        ("challenged", True, 0),
        ("after_caller", True, 3),
        ("caller", True, 2),
        ("no_change", False, 1),
        ("challenged", False, 0),
        ("after_caller", False, 3),
        ("caller", False, 2),
    ],
)
@pytest.mark.parametrize("new_trick", [False, True])
@STYLES
def test_next_mover_after_a_call(following: str, right: bool, to_move: int, new_trick: bool, sealed: bool) -> None:
    """The two options of the verdict decide; those of the other verdict have no effect."""
    mine, other = ("success", "failure") if right else ("failure", "success")
    options: dict[str, Any] = {
        f"{mine}_next": following,
        f"{mine}_new_trick": new_trick,
        f"{other}_new_trick": not new_trick,
    }
    driver = start_game(*FOUR, sealed=sealed, **options)
    driver.play(0, "4D" if right else "KS", "K")

    driver.call(2)

    assert driver.facts["to_move"] == to_move
    assert driver.facts["trick_start"] is new_trick
    assert [event for event in driver.events if isinstance(event, TrickEnded)] == (
        [TrickEnded(driver.state.turn)] if new_trick else []
    )


@STYLES
def test_eliminated_mover_is_replaced_by_the_next_seat(sealed: bool) -> None:
    """The challenged seat would move, but its honest last card was called and it is out."""
    driver = start_game("QS 9D", "KS", "2C 7C", "AC AD", start=1, failure_next="challenged", sealed=sealed)
    driver.play(1, "KS", "K")

    driver.call(0)

    assert driver.facts["places"] == {"1": 1}
    assert driver.facts["to_move"] == 2


@pytest.mark.parametrize(("passing", "to_move"), [("pass_trick", 2), ("single_turn", 3)])
def test_seat_out_of_the_trick_is_skipped_after_a_call(passing: str, to_move: int) -> None:
    """Seat 1 calls, but it has passed or moved in this trick, so that a later seat moves."""
    driver = start_game(*FOUR, passing=passing, count=COUNTS, success_next="caller")
    driver.play(0, "KS", "K")
    driver.act(1, PASS) if passing == "pass_trick" else driver.play(1, "QS", "Q")
    driver.play(2, "2C", "Q")

    driver.call(1)

    assert driver.facts["to_move"] == to_move
    assert not driver.facts["trick_start"]


def test_call_that_awards_the_turn_ends_a_pass_for_the_turn() -> None:
    """Seat 1 has passed, calls and moves."""
    driver = start_game(*FOUR, passing="pass_turn", count=COUNTS, success_next="caller")
    driver.play(0, "4D", "K")
    driver.act(1, PASS)

    driver.call(1)

    assert driver.facts["to_move"] == 1
    assert driver.state.passed == frozenset()


def test_mover_that_regains_its_own_trick_may_pass() -> None:
    """Then the next seat moves."""
    driver = start_game(*FOUR, passing="pass_trick", count=COUNTS, success_next="challenged")
    driver.play(0, "4D", "K")
    driver.call(3)
    assert driver.facts["legal"]["pass"]

    assert driver.act(0, PASS) is None

    assert driver.facts["to_move"] == 1


# ---- any_caller off


def test_live_only_seat_to_move_may_call_and_the_right_moves_with_the_turn() -> None:
    """After its pass the next seat may; each has its own window beside its turn."""
    driver = start_game(*FOUR, any_caller=False, passing="pass_turn", count=COUNTS)
    driver.play(0, "4D", "K")
    first = driver.group("window")
    assert driver.seats_asked == [1]
    assert [driver.act(seat, CALL) for seat in (0, 2, 3)] == ["own_move", *["caller_not_allowed"] * 2]

    driver.act(1, PASS)

    second = driver.group("window")
    assert driver.seats_asked == [2]
    assert second.serial > first.serial
    assert second.earliest == first.earliest
    assert driver.act(1, CALL) == "caller_not_allowed"
    assert driver.act(2, CALL) is None
    assert driver.facts["result"]["taker"] == 0


def test_live_no_call_is_possible_when_the_turn_returns_to_the_mover() -> None:
    """All have passed: the leader's move does not wait."""
    driver = start_game(*FOUR, any_caller=False, passing="pass_turn", count=COUNTS)
    driver.play(0, "4D", "K")
    for seat in (1, 2, 3):
        driver.act(seat, PASS)

    (turn,) = driver.groups
    assert (turn.kind, turn.lands) == ("turn", None)
    assert driver.facts["callers"] == []


def test_sealed_windows_follow_the_turn_and_settle_when_a_new_trick_is_due() -> None:
    """Each seat gets one prompt before its turn; when all have passed the move is settled and the mover leads."""
    driver = start_game(*FOUR[:3], any_caller=False, passing="pass_turn", count=COUNTS, sealed=True)
    driver.play(0, "4D", "K")
    for seat in (1, 2):
        assert driver.seats_asked == [seat]
        assert driver.act(seat, DECLINE) is None
        assert driver.seats_asked == []
        assert driver.act(seat, CALL) == "not_asked"
        assert driver.state.last is not None
        driver.act(seat, PASS)

    assert driver.facts["to_move"] == 0
    assert driver.facts["trick_start"]
    assert driver.state.last is None
    assert [event.settled for event in driver.events if isinstance(event, WindowClosed)] == [False, False]


def test_sealed_leader_that_declined_makes_the_move_safe() -> None:
    """The mover emptied its hand and exhausted the trick. The next seat leads and has declined, so the win is final."""
    driver = start_game("4D", *FOUR[1:], any_caller=False, rank_next=[], sealed=True)
    driver.play(0, "4D", "K")
    assert driver.facts["to_move"] == 1
    assert driver.seats_asked == [1]

    driver.act(1, DECLINE)

    assert driver.facts["places"] == {"0": 1}
    assert driver.state.last is None
    assert driver.group("turn").questions[0].seat == 1


def test_sealed_mover_that_leads_again_is_settled_at_once() -> None:
    """The mover itself is in turn, so no seat gets a prompt."""
    driver = start_game(*FOUR, any_caller=False, rank_next=[], sealed=True)

    driver.play(0, "4D", "K")

    assert driver.group("turn").questions[0].seat == 0
    assert driver.state.last is None


def test_sealed_win_waits_for_the_next_landing() -> None:
    """One decline settles nothing inside a trick."""
    driver = start_game("4D", *FOUR[1:], any_caller=False, passing="pass_turn", sealed=True)
    driver.play(0, "4D", "K")
    driver.act(1, DECLINE)
    assert driver.facts["places"] == {}

    driver.play(1, "QS", "Q")

    assert driver.facts["places"] == {"0": 1}
    assert driver.seats_asked == [2]


def test_sealed_next_seat_is_prompted_when_the_prompted_seat_leaves() -> None:
    """The next seat has its own window, with its own time."""
    driver = start_game(*FOUR, any_caller=False, sealed=True)
    driver.play(0, "4D", "K")
    before = driver.group("window")

    driver.leave(1)

    after = driver.group("window")
    assert driver.seats_asked == [2]
    assert after.serial > before.serial
    assert after.clock == driver.state.step


def test_sealed_leave_that_makes_the_window_final_prompts_again() -> None:
    """Seat 1 had declined and has its turn; with seat 2 gone, its answer is the last one."""
    driver = start_game("4D", *FOUR[1:3], any_caller=False, sealed=True)
    driver.play(0, "4D", "K")
    driver.act(1, DECLINE)
    assert driver.group("turn").questions[0].seat == 1

    driver.leave(2)

    assert driver.seats_asked == [1]
    assert driver.facts["final_window"]
    assert driver.act(1, CALL) is None
    assert driver.facts["hands"]["0"] == ["2C", "4D", "7C"]
    assert driver.facts["to_move"] == 1


def test_sealed_bystander_leave_keeps_the_prompted_window() -> None:
    """The prompt and its time are unchanged."""
    driver = start_game(*FOUR, any_caller=False, sealed=True)
    driver.play(0, "4D", "K")
    before = driver.group("window")

    driver.leave(3)

    assert driver.group("window") == before


# ---- turn_action

IN_TURN: dict[str, Any] = {"call_mode": "turn_action", "any_caller": False, "passing": "pass_turn", "count": COUNTS}


@STYLES
def test_seat_in_turn_plays_passes_or_calls(sealed: bool) -> None:
    """There is no window and no held move; after passes the call aims at the last card move."""
    driver = start_game(*FOUR, sealed=sealed, believe=True, **IN_TURN)
    assert not turn_options(driver).can_call
    driver.play(0, "4D", "K")
    assert [(group.kind, group.lands) for group in driver.groups] == [("turn", None)]
    assert turn_options(driver).can_call
    assert turn_options(driver).can_believe
    driver.act(1, PASS)

    assert driver.act(2, CALL) is None

    assert driver.facts["result"] == {"kind": "call", "success": True, "taker": 0}
    assert driver.facts["to_move"] == 2
    assert not turn_options(driver).can_call


@STYLES
def test_leader_cannot_call_its_own_move(sealed: bool) -> None:
    """All have passed; in the sealed style that settles the move."""
    driver = start_game(*FOUR, sealed=sealed, **IN_TURN)
    driver.play(0, "4D", "K")
    for seat in (1, 2, 3):
        driver.act(seat, PASS)

    assert not turn_options(driver).can_call
    assert driver.act(0, CALL) == ("not_asked" if sealed else "own_move")
    assert (driver.state.last is None) is sealed


@STYLES
def test_turn_that_may_call_offers_no_decline(sealed: bool) -> None:
    """Moving is the answer."""
    driver = start_game(*FOUR, sealed=sealed, **IN_TURN)
    driver.play(0, "4D", "K")

    assert driver.act(1, DECLINE) == "not_asked"


@STYLES
def test_in_turn_a_pending_win_can_be_called_until_the_next_landing(sealed: bool) -> None:
    """The seat after one that has passed may call it too."""
    driver = start_game("4D", *FOUR[1:], sealed=sealed, **IN_TURN)
    driver.play(0, "4D", "K")
    driver.act(1, PASS)

    driver.act(2, CALL)

    assert driver.facts["hands"]["0"] == ["4D"]
    assert driver.facts["places"] == {}


@STYLES
def test_in_turn_the_guard_acts_without_a_window(sealed: bool) -> None:
    """A pending win becomes final first."""
    driver = start_game("4D", *FOUR[1:], sealed=sealed, max_turns=1, **IN_TURN)

    driver.play(0, "4D", "K")

    assert driver.facts["places"] == {"0": 1, "1": 2, "2": 2, "3": 2}


# ---- believe and banish


@STYLES
def test_belief_in_a_true_move_banishes_the_pile(sealed: bool) -> None:
    """Turn and trick stay unchanged."""
    driver = start_game(*FOUR, pile="5C", sealed=sealed, believe=True)
    driver.play(0, "KS", "K")
    if sealed:
        driver.act(1, DECLINE)
        driver.act(3, DECLINE)

    assert driver.act(2, BELIEVE) is None

    assert driver.facts["banished"] == ["5C", "KS"]
    assert driver.facts["pile"] == []
    assert driver.facts["to_move"] == 1
    assert driver.facts["prev"] == {"rank": "K", "count": 1, "seat": 0}
    assert driver.facts["callers"] == []


@STYLES
def test_belief_in_a_lying_last_move_lets_it_win(sealed: bool) -> None:
    """The liar's hand stays empty and the believer takes the cards."""
    driver = start_game("4D", *FOUR[1:], sealed=sealed, believe=True)
    driver.play(0, "4D", "K")
    if sealed:
        driver.act(1, DECLINE)
        driver.act(3, DECLINE)

    driver.act(2, BELIEVE)

    assert driver.facts["places"] == {"0": 1}
    assert driver.facts["hands"]["2"] == ["2C", "4D", "7C"]
    assert driver.facts["result"] == {"kind": "believe", "success": False, "taker": 2}


@pytest.mark.parametrize(
    ("said", "counts"),
    [({1: BELIEVE, 2: CALL}, Believed), ({2: BELIEVE, 3: BELIEVE}, Believed)],
)
def test_nearest_answer_wins_whether_call_or_belief(said: dict[int, Any], counts: type) -> None:
    """Each of the others learns privately that its answer was overruled."""
    driver = start_game(*FOUR, sealed=True, believe=True)
    driver.play(0, "KS", "K")

    for seat in (3, 2, 1):
        driver.act(seat, said.get(seat, DECLINE))

    nearest = min(said)
    verdict = next(event for event in driver.events if isinstance(event, counts))
    assert isinstance(verdict, Believed)
    assert verdict.believer == nearest
    assert [event.seat for event in driver.events if isinstance(event, Overruled)] == sorted(set(said) - {nearest})


@STYLES
def test_pile_is_banished_when_the_last_move_of_its_trick_is_safe(sealed: bool) -> None:
    """Live: when the first move of the next trick lands; sealed: when the window has closed."""
    driver = start_game(*FOUR, sealed=sealed, banish_on_new_trick=True, rank_next=[])
    driver.play(0, "4D", "K")
    assert driver.facts["pile"] == ["4D"]
    if sealed:
        driver.close_window()
        assert driver.facts["banished"] == ["4D"]

    driver.play(0, "KS", "K")

    assert driver.facts["banished"] == ["4D"]
    assert driver.facts["pile"] == ["KS"]
    assert sum(isinstance(event, PileBanished) for event in driver.events) == 1


@STYLES
def test_called_pile_is_taken_instead_of_banished(sealed: bool) -> None:
    """This holds although a new trick was due."""
    driver = start_game(*FOUR, sealed=sealed, banish_on_new_trick=True, rank_next=[])
    driver.play(0, "4D", "K")

    driver.call(3)

    assert driver.facts["banished"] == []
    assert driver.facts["hands"]["0"] == ["4D", "5S", "KS"]


@STYLES
def test_leavers_cards_are_banished_with_the_pile_above_them(sealed: bool) -> None:
    """The mover leaves after its trick: nothing can be called, so the whole pile is banished at once."""
    driver = start_game(*FOUR, sealed=sealed, banish_on_new_trick=True, rank_next=[])
    driver.play(0, "4D", "K")

    driver.leave(0)

    assert driver.facts["banished"] == ["4D", "5S", "KS"]
    assert driver.facts["pile"] == []


# ---- which of several live calls


@pytest.mark.parametrize(
    ("options", "closing"),
    [
        ({}, ClosingRule.FIRST),
        ({"caller_priority": "nearest_clockwise"}, ClosingRule.DISPUTED),
        ({"caller_priority": "nearest_clockwise", "any_caller": False}, ClosingRule.FIRST),
    ],
)
def test_only_nearest_priority_collects_calls(options: dict[str, Any], closing: ClosingRule) -> None:
    """It does so only where several seats may call; sealed windows collect anyway."""
    driver, sealed = start_game(*FOUR, **options), start_game(*FOUR, sealed=True, **options)
    for each in (driver, sealed):
        each.play(0, "4D", "K")

    assert driver.group("window").closing is closing
    assert sealed.group("window").closing is ClosingRule.ALL
