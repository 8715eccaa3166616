"""Pending wins, final windows, places and the guard against endless games (spec A10)."""

import pytest

from arena.games.cheat.rules.actions import DECLINE, PASS
from arena.games.cheat.rules.events import FinalWindowOpened, SeatPlaced
from arena.games.cheat.rules.questions import WindowOptions
from tests.games.cheat.rules.game_driver import start_game


def test_win_is_safe_when_the_next_move_lands() -> None:
    """Until then its seat has no place."""
    driver = start_game("KS", "QS 9D", "2C 7C")
    driver.play(0, "KS", "K")
    assert driver.facts["places"] == {}
    assert driver.state.pending == 0

    driver.play(1, "QS", "Q")

    assert driver.facts["places"] == {"0": 1}
    assert SeatPlaced(driver.state.compiled_rules.ring[0][-1], 1) in driver.events


def test_pass_does_not_make_a_win_safe() -> None:
    """After two passes the empty hand can still be called, and then there is no win."""
    driver = start_game("4D", "QS 9D", "2C 7C", "AC AD", passing="pass_turn")
    driver.play(0, "4D", "K")
    driver.act(1, PASS)
    driver.act(2, PASS)
    assert driver.facts["places"] == {}

    driver.call(3)

    assert driver.facts["places"] == {}
    assert driver.facts["hands"]["0"] == ["4D"]


@pytest.mark.parametrize("sealed", [False, True])
def test_wrong_call_makes_the_win_final_at_once(sealed: bool) -> None:
    """The caller takes the pile and play continues with two seats."""
    driver = start_game("KS", "QS 9D", "2C 7C", sealed=sealed)
    driver.play(0, "KS", "K")

    driver.call(2)

    assert driver.facts["places"] == {"0": 1}
    assert driver.facts["to_move"] == 1
    assert not driver.facts["over"]


def test_places_follow_the_order_of_going_out() -> None:
    """Three go out one after the other; the last one left takes the last place."""
    driver = start_game("KS", "QS", "JS", "TS 3C")
    driver.play(0, "KS", "K")
    driver.play(1, "QS", "Q")
    assert not driver.facts["final_window"]
    driver.play(2, "JS", "J")
    assert driver.facts["final_window"]

    driver.close_window()

    assert driver.facts["places"] == {"0": 1, "1": 2, "2": 3, "3": 4}
    assert driver.outcome.termination == "finished"


@pytest.mark.parametrize("sealed", [False, True])
def test_final_window_replaces_the_turn_when_one_other_is_left(sealed: bool) -> None:
    """No seat is to move, and the prompt says that the window is final."""
    driver = start_game("KS", "QS 9D", sealed=sealed)

    driver.play(0, "KS", "K")

    assert driver.facts["final_window"]
    assert driver.facts["to_move"] is None
    assert [group.kind for group in driver.groups] == ["window"]
    assert driver.group("window").questions[0].options == WindowOptions(final=True)
    assert FinalWindowOpened(driver.state.compiled_rules.ring[0][-1]) in driver.events


@pytest.mark.parametrize("sealed", [False, True])
def test_lie_called_in_a_final_window_continues_with_the_next_seat(sealed: bool) -> None:
    """The turn that the window replaced begins then."""
    driver = start_game("4D", "QS 9D", sealed=sealed)
    driver.play(0, "4D", "K")

    driver.call(1)

    assert not driver.facts["over"]
    assert not driver.facts["final_window"]
    assert driver.facts["to_move"] == 1
    assert driver.facts["hands"] == {"0": ["4D"], "1": ["9D", "QS"]}


@pytest.mark.parametrize("sealed", [False, True])
def test_honest_last_card_called_in_a_final_window_ends_the_game(sealed: bool) -> None:
    """The caller takes the pile and the last place."""
    driver = start_game("KS", "QS 9D", sealed=sealed)
    driver.play(0, "KS", "K")

    driver.call(1)

    assert driver.facts["over"]
    assert driver.facts["places"] == {"0": 1, "1": 2}
    assert driver.facts["hands"]["1"] == ["9D", "QS", "KS"]


def test_sealed_win_is_final_when_its_window_closes_and_play_continues() -> None:
    """It does not wait for a further move."""
    driver = start_game("KS", "QS 9D", "2C 7C", sealed=True)
    driver.play(0, "KS", "K")
    driver.act(1, DECLINE)
    assert driver.facts["places"] == {}

    driver.act(2, DECLINE)

    assert driver.facts["places"] == {"0": 1}
    assert driver.facts["to_move"] == 1


@pytest.mark.parametrize(
    ("hands", "places"),
    [
        # seat 0 plays one card before the guard acts
        (("KS 4D", "QS 9D 8C", "2C 7C"), {"0": 1, "2": 2, "1": 3}),
        (("KS 4D 5D", "QS 9D", "2C 7C"), {"0": 1, "1": 1, "2": 1}),
        (("KS 4D 5D", "QS 9D", "2C 7C 8C"), {"0": 1, "1": 1, "2": 3}),
        (("KS 4D 5D 6D", "QS 9D", "2C 7C 8C"), {"1": 1, "0": 2, "2": 2}),
        (("KS 4D 5D", "QS", "2C 7C", "3C 4C 5C"), {"1": 1, "0": 2, "2": 2, "3": 4}),
    ],
)
@pytest.mark.parametrize("sealed", [False, True])
def test_guard_ranks_by_fewest_cards(hands: tuple[str, ...], places: dict[str, int], sealed: bool) -> None:
    """Ties share the best of their places; the next seat's place counts all seats ahead of it."""
    driver = start_game(*hands, max_turns=1, sealed=sealed)
    driver.play(0, "KS", "K")
    assert driver.facts["to_move"] is None
    assert not driver.facts["over"]

    driver.close_window()

    assert driver.facts["places"] == places
    assert driver.outcome.termination == "max_turns"


@pytest.mark.parametrize("sealed", [False, True])
def test_guard_acts_after_a_pending_win_is_final(sealed: bool) -> None:
    """The winner is first, the others share the places below by their cards."""
    driver = start_game("KS 4D", "QS", "2C 7C", max_turns=2, sealed=sealed)
    driver.play(0, "KS", "K")
    if sealed:
        driver.close_window()
    driver.play(1, "QS", "Q")
    assert driver.facts["to_move"] is None
    assert not driver.facts["final_window"]

    driver.close_window()

    assert driver.facts["places"] == {"1": 1, "0": 2, "2": 3}


def test_call_in_the_guards_last_window_is_judged_first() -> None:
    """The liar holds the cards when they are counted."""
    driver = start_game("4D 5D", "QS 9D", "2C 7C", max_turns=1)
    driver.play(0, "4D", "K")

    driver.call(1)

    assert driver.facts["places"] == {"0": 1, "1": 1, "2": 1}
    assert driver.facts["hands"]["0"] == ["4D", "5D"]


def test_guard_acts_at_once_when_nothing_can_be_called() -> None:
    """In the sealed style a pass comes after the window."""
    driver = start_game("KS 4D", "QS 9D", "2C 7C", max_turns=2, passing="pass_turn", sealed=True)
    driver.play(0, "KS", "K")
    driver.close_window()

    driver.act(1, PASS)

    assert driver.facts["over"]
    assert driver.facts["places"] == {"0": 1, "1": 2, "2": 2}


def test_live_pass_as_the_last_turn_keeps_the_window_of_the_previous_move() -> None:
    """It is open from the landing of that move, not from the pass."""
    driver = start_game("KS 4D", "QS 9D", "2C 7C", max_turns=2, passing="pass_turn")
    driver.play(0, "KS", "K")
    landed = driver.state.step

    driver.act(1, PASS)

    window = driver.group("window")
    assert [group.kind for group in driver.groups] == ["window"]
    assert window.clock == landed
    assert driver.facts["to_move"] is None
    assert not driver.facts["final_window"]
