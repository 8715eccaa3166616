"""Leaving in every phase and both styles (spec A10, A12.9)."""

import pytest

from arena.games.cheat.rules.actions import CALL, DECLINE, PASS
from arena.games.cheat.rules.events import FinalWindowOpened, SeatLeft
from arena.games.cheat.rules.game import CHEAT
from arena.match.game import GameSetup, Seat, Style
from tests.games.cheat.rules.game_driver import start_game

FOUR = ("KS 4D 5S", "QS 9D", "2C 7C", "AC AD")


@pytest.mark.parametrize("sealed", [False, True])
def test_leavers_cards_go_under_the_pile_and_its_place_is_the_worst_free_one(sealed: bool) -> None:
    """Two leave one after the other: the cards of the second go below those of the first, in canonical order."""
    driver = start_game(*FOUR, sealed=sealed)
    driver.play(0, "KS", "K")

    driver.leave(2)
    driver.leave(3)

    assert driver.facts["pile_bottom_to_top"] == ["AC", "AD", "2C", "7C", "KS"]
    assert driver.facts["places"] == {"2": 4, "3": 3}
    assert [event.place for event in driver.events if isinstance(event, SeatLeft)] == [4, 3]


@pytest.mark.parametrize("sealed", [False, True])
def test_next_seat_moves_when_the_seat_to_move_leaves(sealed: bool) -> None:
    """This holds before any move and for the leader of a trick too."""
    driver = start_game(*FOUR, start=1, sealed=sealed)

    driver.leave(1)

    assert driver.facts["to_move"] == 2
    assert driver.facts["trick_start"]
    assert driver.group("turn").questions[0].seat == 2


@pytest.mark.parametrize("sealed", [False, True])
def test_move_of_a_leaving_mover_cannot_be_called(sealed: bool) -> None:
    """The claim stays the reference and the turn continues."""
    driver = start_game(*FOUR, sealed=sealed)
    driver.play(0, "KS", "K")

    driver.leave(0)

    assert driver.facts["callers"] == []
    assert [group.kind for group in driver.groups] == ["turn"]
    assert driver.facts["to_move"] == 1
    assert driver.facts["prev"] == {"rank": "K", "count": 1, "seat": 0}


@pytest.mark.parametrize("sealed", [False, True])
def test_leaving_mover_loses_its_pending_win(sealed: bool) -> None:
    """Its place is the worst free one."""
    driver = start_game("KS", "QS 9D", "2C 7C", "AC AD", sealed=sealed)
    driver.play(0, "KS", "K")

    driver.leave(0)

    assert driver.facts["places"] == {"0": 4}
    assert driver.facts["to_move"] == 1


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize(
    ("card", "leaver", "winner"),
    [pytest.param("KS", 0, 1, id="the-mover"), pytest.param("4D", 1, 0, id="the-last-possible-caller")],
)
def test_game_ends_when_one_of_two_leaves_in_a_final_window(card: str, leaver: int, winner: int, sealed: bool) -> None:
    """The one seat left is first: a window without another seat in it ends at once."""
    driver = start_game(card, "QS 9D", sealed=sealed)
    driver.play(0, card, "K")

    driver.leave(leaver)

    assert driver.facts["over"]
    assert driver.facts["places"] == {str(winner): 1, str(leaver): 2}


@pytest.mark.parametrize("sealed", [False, True])
def test_leave_can_make_the_window_final(sealed: bool) -> None:
    """One other seat is left while a win is pending."""
    driver = start_game("4D", "QS 9D", "2C 7C", sealed=sealed)
    driver.play(0, "4D", "K")
    before = driver.group("window")

    driver.leave(2)

    after = driver.group("window")
    assert driver.facts["final_window"]
    assert driver.facts["to_move"] is None
    assert after.serial == before.serial
    assert after.clock == (before.clock if sealed else driver.state.step)
    assert any(isinstance(event, FinalWindowOpened) for event in driver.events)
    driver.call(1)
    assert driver.facts["hands"]["0"] == ["2C", "4D", "7C"]
    assert driver.facts["to_move"] == 1


def test_leave_during_a_closing_window_does_not_extend_it() -> None:
    """The guard's last window keeps its clock; callers still wait again."""
    driver = start_game(*FOUR, max_turns=1)
    driver.play(0, "KS", "K")
    before = driver.group("window")

    driver.leave(3)

    after = driver.group("window")
    assert after.clock == before.clock
    assert after.earliest == driver.state.step
    assert [question.seat for question in after.questions] == [1, 2]
    assert sum(isinstance(event, FinalWindowOpened) for event in driver.events) == 1


def test_game_stops_when_the_mover_leaves_in_the_guards_last_window() -> None:
    """Nothing can be called any more, so the guard acts at once."""
    driver = start_game(*FOUR, max_turns=1)
    driver.play(0, "KS", "K")

    driver.leave(0)

    assert driver.facts["places"] == {"0": 4, "1": 1, "2": 1, "3": 1}
    assert driver.outcome.termination == "max_turns"


def test_leave_ends_a_trick_that_only_the_leaver_kept_alive() -> None:
    """Seat 1 has passed and seat 2 leaves: all seats other than the last mover have passed."""
    driver = start_game("KS 4D", "QS 9D", "2C 7C", passing="pass_turn")
    driver.play(0, "KS", "K")
    driver.act(1, PASS)

    driver.leave(2)

    assert driver.facts["trick_start"]
    assert driver.facts["to_move"] == 0


def test_seat_after_a_departed_leader_leads() -> None:
    """The last mover left; when all others have passed, the next active seat leads."""
    driver = start_game(*FOUR, passing="pass_trick")
    driver.play(0, "KS", "K")
    driver.leave(0)

    for seat in (1, 2, 3):
        assert driver.act(seat, PASS) is None

    assert driver.facts["to_move"] == 1
    assert driver.facts["trick_start"]


def test_sealed_window_continues_without_the_leaver() -> None:
    """The answers of the others count, the leaver's is void, the turn moves past it."""
    driver = start_game(*FOUR, sealed=True)
    driver.play(0, "4D", "K")
    serial = driver.group("window").serial
    driver.act(1, CALL)
    driver.act(2, DECLINE)

    driver.leave(1)

    assert driver.seats_asked == [3]
    assert driver.group("window").serial == serial
    assert driver.facts["to_move"] == 2
    driver.act(3, DECLINE)
    assert driver.facts["result"] is None
    assert driver.facts["asked"]["turn"] == 2


@pytest.mark.parametrize("sealed", [False, True])
def test_leaving_twice_or_when_out_has_no_effect(sealed: bool) -> None:
    """The state is the same object and no event follows."""
    driver = start_game("KS", "QS 9D", "2C 7C", sealed=sealed)
    driver.play(0, "KS", "K")
    driver.call(1)
    assert driver.facts["places"] == {"0": 1}

    step = CHEAT.leave(driver.state, Seat(0))

    assert step.state is driver.state
    assert step.events == ()


def test_game_of_leavers_ends_with_one_seat() -> None:
    """The seat that stays longest is first."""
    driver = start_game(*FOUR)

    for seat in (2, 0, 1):
        driver.leave(seat)

    assert driver.facts["over"]
    assert driver.facts["places"] == {"3": 1, "1": 2, "0": 3, "2": 4}


def test_no_call_is_possible_after_a_leave_ended_the_game() -> None:
    """The last move could be called until then."""
    driver = start_game("KS 4D", "QS 9D")
    driver.play(0, "KS", "K")

    driver.leave(1)

    assert driver.facts["callers"] == []
    assert CHEAT.snapshot(driver.state, None).last is None


def test_leaving_before_the_deal_is_an_error() -> None:
    """A match removes a seat only when no draw is pending."""
    state = CHEAT.initial_state(CHEAT.build_ruleset("standard", {}), GameSetup(3, 0, Style.LIVE))

    with pytest.raises(ValueError, match="before the deal"):
        CHEAT.leave(state, Seat(0))
