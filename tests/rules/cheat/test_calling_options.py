"""Who calls, who moves afterwards, believing, banishing: each option against the rule text (spec A7, A8, A12)."""

from typing import Any

import pytest

from arena.rules.cheat.actions import BELIEVE, CALL, DECLINE, PASS
from arena.rules.cheat.events import Believed, Overruled, PileBanished, TrickEnded, WindowClosed
from arena.rules.cheat.state import TurnOptions
from arena.rules.game import ClosingRule
from tests.rules.cheat.game_driver import GameDriver, start_game

FOUR = ("4D KS 5S", "QS 9D", "2C 7C", "AC AD")
COUNTS = ["same", "more", "less"]
STYLES = pytest.mark.parametrize("sealed", [False, True])


def turn_options(sitting: GameDriver) -> TurnOptions:
    """What the seat in turn is offered."""
    options = sitting.group("turn").questions[0].options
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
    sitting = start_game(*FOUR, sealed=sealed, **options)
    sitting.play(0, "4D" if right else "KS", "K")

    sitting.call(2)

    assert sitting.facts["to_move"] == to_move
    assert sitting.facts["trick_start"] is new_trick
    assert [event for event in sitting.events if isinstance(event, TrickEnded)] == (
        [TrickEnded(sitting.state.turn)] if new_trick else []
    )


@STYLES
def test_eliminated_mover_is_replaced_by_the_next_seat(sealed: bool) -> None:
    """The challenged seat would move, but its honest last card was called and it is out."""
    sitting = start_game("QS 9D", "KS", "2C 7C", "AC AD", start=1, failure_next="challenged", sealed=sealed)
    sitting.play(1, "KS", "K")

    sitting.call(0)

    assert sitting.facts["places"] == {"1": 1}
    assert sitting.facts["to_move"] == 2


@pytest.mark.parametrize(("passing", "to_move"), [("pass_trick", 2), ("single_turn", 3)])
def test_seat_out_of_the_trick_is_skipped_after_a_call(passing: str, to_move: int) -> None:
    """Seat 1 calls, but has passed or moved once: the next seat that has not is the mover or the one after."""
    sitting = start_game(*FOUR, passing=passing, count=COUNTS, success_next="caller")
    sitting.play(0, "KS", "K")
    sitting.act(1, PASS) if passing == "pass_trick" else sitting.play(1, "QS", "Q")
    sitting.play(2, "2C", "Q")

    sitting.call(1)

    assert sitting.facts["to_move"] == to_move
    assert not sitting.facts["trick_start"]


def test_call_that_awards_the_turn_ends_a_pass_for_the_turn() -> None:
    """Seat 1 has passed, calls and moves."""
    sitting = start_game(*FOUR, passing="pass_turn", count=COUNTS, success_next="caller")
    sitting.play(0, "4D", "K")
    sitting.act(1, PASS)

    sitting.call(1)

    assert sitting.facts["to_move"] == 1
    assert sitting.state.passed == frozenset()


def test_mover_that_regains_its_own_trick_may_pass() -> None:
    """Then the next seat moves."""
    sitting = start_game(*FOUR, passing="pass_trick", count=COUNTS, success_next="challenged")
    sitting.play(0, "4D", "K")
    sitting.call(3)
    assert sitting.facts["legal"]["pass"]

    assert sitting.act(0, PASS) is None

    assert sitting.facts["to_move"] == 1


# ---- any_caller off


def test_live_only_seat_to_move_may_call_and_the_right_moves_with_the_turn() -> None:
    """After its pass the next seat may; each has its own window beside its turn."""
    sitting = start_game(*FOUR, any_caller=False, passing="pass_turn", count=COUNTS)
    sitting.play(0, "4D", "K")
    first = sitting.group("window")
    assert sitting.seats_asked == [1]
    assert [sitting.act(seat, CALL) for seat in (0, 2, 3)] == ["own_move", *["caller_not_allowed"] * 2]

    sitting.act(1, PASS)

    second = sitting.group("window")
    assert sitting.seats_asked == [2]
    assert second.serial > first.serial
    assert second.earliest == first.earliest
    assert sitting.act(1, CALL) == "caller_not_allowed"
    assert sitting.act(2, CALL) is None
    assert sitting.facts["result"]["taker"] == 0


def test_live_no_call_is_possible_when_the_turn_returns_to_the_mover() -> None:
    """All have passed: the leader's move does not wait."""
    sitting = start_game(*FOUR, any_caller=False, passing="pass_turn", count=COUNTS)
    sitting.play(0, "4D", "K")
    for seat in (1, 2, 3):
        sitting.act(seat, PASS)

    (turn,) = sitting.groups
    assert (turn.kind, turn.lands) == ("turn", None)
    assert sitting.facts["callers"] == []


def test_sealed_windows_follow_the_turn_and_settle_when_a_new_trick_is_due() -> None:
    """Each seat gets one prompt before its turn; when all have passed the move is settled and the mover leads."""
    sitting = start_game(*FOUR[:3], any_caller=False, passing="pass_turn", count=COUNTS, sealed=True)
    sitting.play(0, "4D", "K")
    for seat in (1, 2):
        assert sitting.seats_asked == [seat]
        assert sitting.act(seat, DECLINE) is None
        assert sitting.seats_asked == []
        assert sitting.act(seat, CALL) == "not_asked"
        assert sitting.state.last is not None
        sitting.act(seat, PASS)

    assert sitting.facts["to_move"] == 0
    assert sitting.facts["trick_start"]
    assert sitting.state.last is None
    assert [event.settled for event in sitting.events if isinstance(event, WindowClosed)] == [False, False]


def test_sealed_leader_that_declined_makes_the_move_safe() -> None:
    """The mover emptied its hand and the trick is exhausted: the next seat leads, has declined, the win is final."""
    sitting = start_game("4D", *FOUR[1:], any_caller=False, rank_next=[], sealed=True)
    sitting.play(0, "4D", "K")
    assert sitting.facts["to_move"] == 1
    assert sitting.seats_asked == [1]

    sitting.act(1, DECLINE)

    assert sitting.facts["places"] == {"0": 1}
    assert sitting.state.last is None
    assert sitting.group("turn").questions[0].seat == 1


def test_sealed_mover_that_leads_again_is_settled_at_once() -> None:
    """The mover itself is in turn, so no seat gets a prompt."""
    sitting = start_game(*FOUR, any_caller=False, rank_next=[], sealed=True)

    sitting.play(0, "4D", "K")

    assert sitting.group("turn").questions[0].seat == 0
    assert sitting.state.last is None


def test_sealed_win_waits_for_the_next_landing() -> None:
    """One decline settles nothing inside a trick."""
    sitting = start_game("4D", *FOUR[1:], any_caller=False, passing="pass_turn", sealed=True)
    sitting.play(0, "4D", "K")
    sitting.act(1, DECLINE)
    assert sitting.facts["places"] == {}

    sitting.play(1, "QS", "Q")

    assert sitting.facts["places"] == {"0": 1}
    assert sitting.seats_asked == [2]


def test_sealed_next_seat_is_prompted_when_the_prompted_seat_leaves() -> None:
    """The next seat has its own window, with its own time."""
    sitting = start_game(*FOUR, any_caller=False, sealed=True)
    sitting.play(0, "4D", "K")
    before = sitting.group("window")

    sitting.leave(1)

    after = sitting.group("window")
    assert sitting.seats_asked == [2]
    assert after.serial > before.serial
    assert after.clock == sitting.state.step


def test_sealed_leave_that_makes_the_window_final_prompts_again() -> None:
    """Seat 1 had declined and has its turn; with seat 2 gone, its answer is the last one."""
    sitting = start_game("4D", *FOUR[1:3], any_caller=False, sealed=True)
    sitting.play(0, "4D", "K")
    sitting.act(1, DECLINE)
    assert sitting.group("turn").questions[0].seat == 1

    sitting.leave(2)

    assert sitting.seats_asked == [1]
    assert sitting.facts["final_window"]
    assert sitting.act(1, CALL) is None
    assert sitting.facts["hands"]["0"] == ["2C", "4D", "7C"]
    assert sitting.facts["to_move"] == 1


def test_sealed_bystander_leave_keeps_the_prompted_window() -> None:
    """The prompt and its time are unchanged."""
    sitting = start_game(*FOUR, any_caller=False, sealed=True)
    sitting.play(0, "4D", "K")
    before = sitting.group("window")

    sitting.leave(3)

    assert sitting.group("window") == before


# ---- turn_action

IN_TURN: dict[str, Any] = {"call_mode": "turn_action", "any_caller": False, "passing": "pass_turn", "count": COUNTS}


@STYLES
def test_seat_in_turn_plays_passes_or_calls(sealed: bool) -> None:
    """There is no window and no held move; after passes the call aims at the last card move."""
    sitting = start_game(*FOUR, sealed=sealed, believe=True, **IN_TURN)
    assert not turn_options(sitting).can_call
    sitting.play(0, "4D", "K")
    assert [(group.kind, group.lands) for group in sitting.groups] == [("turn", None)]
    assert turn_options(sitting).can_call
    assert turn_options(sitting).can_believe
    sitting.act(1, PASS)

    assert sitting.act(2, CALL) is None

    assert sitting.facts["result"] == {"kind": "call", "success": True, "taker": 0}
    assert sitting.facts["to_move"] == 2
    assert not turn_options(sitting).can_call


@STYLES
def test_leader_cannot_call_its_own_move(sealed: bool) -> None:
    """All have passed; in the sealed style that settles the move."""
    sitting = start_game(*FOUR, sealed=sealed, **IN_TURN)
    sitting.play(0, "4D", "K")
    for seat in (1, 2, 3):
        sitting.act(seat, PASS)

    assert not turn_options(sitting).can_call
    assert sitting.act(0, CALL) == ("not_asked" if sealed else "own_move")
    assert (sitting.state.last is None) is sealed


@STYLES
def test_turn_that_may_call_offers_no_decline(sealed: bool) -> None:
    """Moving is the answer."""
    sitting = start_game(*FOUR, sealed=sealed, **IN_TURN)
    sitting.play(0, "4D", "K")

    assert sitting.act(1, DECLINE) == "not_asked"


@STYLES
def test_in_turn_a_pending_win_can_be_called_until_the_next_landing(sealed: bool) -> None:
    """The seat after one that has passed may call it too."""
    sitting = start_game("4D", *FOUR[1:], sealed=sealed, **IN_TURN)
    sitting.play(0, "4D", "K")
    sitting.act(1, PASS)

    sitting.act(2, CALL)

    assert sitting.facts["hands"]["0"] == ["4D"]
    assert sitting.facts["places"] == {}


@STYLES
def test_in_turn_the_guard_acts_without_a_window(sealed: bool) -> None:
    """A pending win becomes final first."""
    sitting = start_game("4D", *FOUR[1:], sealed=sealed, max_turns=1, **IN_TURN)

    sitting.play(0, "4D", "K")

    assert sitting.facts["places"] == {"0": 1, "1": 2, "2": 2, "3": 2}


# ---- believe and banish


@STYLES
def test_belief_in_a_true_move_banishes_the_pile(sealed: bool) -> None:
    """Turn and trick stay unchanged."""
    sitting = start_game(*FOUR, pile="5C", sealed=sealed, believe=True)
    sitting.play(0, "KS", "K")
    if sealed:
        sitting.act(1, DECLINE)
        sitting.act(3, DECLINE)

    assert sitting.act(2, BELIEVE) is None

    assert sitting.facts["banished"] == ["5C", "KS"]
    assert sitting.facts["pile"] == []
    assert sitting.facts["to_move"] == 1
    assert sitting.facts["prev"] == {"rank": "K", "count": 1, "seat": 0}
    assert sitting.facts["callers"] == []


@STYLES
def test_belief_in_a_lying_last_move_lets_it_win(sealed: bool) -> None:
    """The liar's hand stays empty and the believer takes the cards."""
    sitting = start_game("4D", *FOUR[1:], sealed=sealed, believe=True)
    sitting.play(0, "4D", "K")
    if sealed:
        sitting.act(1, DECLINE)
        sitting.act(3, DECLINE)

    sitting.act(2, BELIEVE)

    assert sitting.facts["places"] == {"0": 1}
    assert sitting.facts["hands"]["2"] == ["2C", "4D", "7C"]
    assert sitting.facts["result"] == {"kind": "believe", "success": False, "taker": 2}


@pytest.mark.parametrize(
    ("said", "counts"),
    [({1: BELIEVE, 2: CALL}, Believed), ({2: BELIEVE, 3: BELIEVE}, Believed)],
)
def test_nearest_answer_wins_whether_call_or_belief(said: dict[int, Any], counts: type) -> None:
    """Each of the others learns privately that its answer was overruled."""
    sitting = start_game(*FOUR, sealed=True, believe=True)
    sitting.play(0, "KS", "K")

    for seat in (3, 2, 1):
        sitting.act(seat, said.get(seat, DECLINE))

    nearest = min(said)
    verdict = next(event for event in sitting.events if isinstance(event, counts))
    assert isinstance(verdict, Believed)
    assert verdict.believer == nearest
    assert [event.seat for event in sitting.events if isinstance(event, Overruled)] == sorted(set(said) - {nearest})


@STYLES
def test_pile_is_banished_when_the_last_move_of_its_trick_is_safe(sealed: bool) -> None:
    """Live: when the first move of the next trick lands; sealed: when the window has closed."""
    sitting = start_game(*FOUR, sealed=sealed, banish_on_new_trick=True, rank_next=[])
    sitting.play(0, "4D", "K")
    assert sitting.facts["pile"] == ["4D"]
    if sealed:
        sitting.close_window()
        assert sitting.facts["banished"] == ["4D"]

    sitting.play(0, "KS", "K")

    assert sitting.facts["banished"] == ["4D"]
    assert sitting.facts["pile"] == ["KS"]
    assert sum(isinstance(event, PileBanished) for event in sitting.events) == 1


@STYLES
def test_called_pile_is_taken_instead_of_banished(sealed: bool) -> None:
    """This holds although a new trick was due."""
    sitting = start_game(*FOUR, sealed=sealed, banish_on_new_trick=True, rank_next=[])
    sitting.play(0, "4D", "K")

    sitting.call(3)

    assert sitting.facts["banished"] == []
    assert sitting.facts["hands"]["0"] == ["4D", "5S", "KS"]


@STYLES
def test_leavers_cards_are_banished_with_the_pile_above_them(sealed: bool) -> None:
    """The mover leaves after its trick: nothing can be called, so the whole pile is banished at once."""
    sitting = start_game(*FOUR, sealed=sealed, banish_on_new_trick=True, rank_next=[])
    sitting.play(0, "4D", "K")

    sitting.leave(0)

    assert sitting.facts["banished"] == ["4D", "5S", "KS"]
    assert sitting.facts["pile"] == []


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
    sitting, sealed = start_game(*FOUR, **options), start_game(*FOUR, sealed=True, **options)
    for each in (sitting, sealed):
        each.play(0, "4D", "K")

    assert sitting.group("window").closing is closing
    assert sealed.group("window").closing is ClosingRule.ALL
