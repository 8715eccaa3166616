"""The lag purse: 300 ms at first, 50 ms for each answer, at most 700 ms; at most 100 ms for one prompt.

Sealed turns take 2 s and windows 1 s. Raid's turn is followed by a question to the seat that it aims at.
"""

from dataclasses import replace
from typing import Any

import pytest

from arena.errors import OptionsError
from arena.games.catalogue import games
from arena.match.referee.match_order import MatchOrder, RequestedTerms, build_terms, terms_from_order
from arena.match.referee.pace import Pace, build_pace, describe_pace
from arena.match.referee.terms import Seating, describe_terms, terms_from_plain
from tests.match.referee.driver import MS, RAID, DecisionStatus, MatchDriver, S, make_driver, start_match
from tests.support.prepared_cheat import sealed_cheat


def left_ms(game: MatchDriver, entrant: int) -> int:
    return game.referee.entrant_records[entrant].clock.purse_us // MS


def raid_with_round_trips(*ms: int, **pace: Any) -> MatchDriver:
    """Return a match with lag purses, in which the entrants' round trips are known."""
    game = make_driver(RAID, len(ms), lag_purse=True, options={"rounds": 20}, **pace)
    game.begin()
    for entrant, each in enumerate(ms):
        game.measure(entrant, each * MS, 0)
    return game


def window_with_round_trips(*ms: int, **pace: Any) -> MatchDriver:
    """Return a match whose first window is open; its ordinary end is at 1 s."""
    game = make_driver(sealed_cheat("4D KS", "QS 9D", "2C 7C"), 3, lag_purse=True, **pace)
    game.begin()
    for entrant, each in enumerate(ms):
        game.measure(entrant, each * MS, 0)
    game.send(0, "1K 4D", 0)
    return game


@pytest.mark.parametrize(("round_trip", "granted"), [(0, 0), (30, 30), (100, 100), (250, 100)])
def test_deadline_that_is_shown_includes_the_round_trip(round_trip, granted):
    game = window_with_round_trips(0, round_trip, 0)

    assert game.prompt(1).deadline == S + granted * MS
    assert game.prompt(2).deadline == S


@pytest.mark.parametrize(("at", "status"), [(1080, DecisionStatus.ACCEPTED), (1081, DecisionStatus.REFUSED)])
def test_answer_counts_up_to_the_deadline_that_is_shown(at, status):
    game = window_with_round_trips(0, 80, 0)

    assert game.send(1, "call", at * MS).status is status
    game.check_replay()


def test_others_get_no_time_from_it():
    game = window_with_round_trips(0, 80, 0)

    assert game.send(2, "call", S + 1).reason == "late"


@pytest.mark.parametrize(("at", "left"), [(900, 350), (1000, 350), (1030, 320), (1080, 270)])
def test_used_time_is_charged_and_each_answer_refills(at, left):
    game = window_with_round_trips(0, 80, 0)

    game.send(1, "decline", at * MS)

    assert left_ms(game, 1) == left
    game.check_replay()


def test_missing_answer_is_charged_in_full_and_refills_nothing():
    game = window_with_round_trips(0, 80, 0)

    game.run_until(1100 * MS)

    assert [left_ms(game, entrant) for entrant in (1, 2)] == [220, 300]


def test_purse_holds_at_most_700_ms():
    game = raid_with_round_trips(10, 10)
    for _ in range(12):
        for entrant in (0, 1, 0, 1):
            for view in game.prompts(entrant):
                game.answer(entrant, view)

    assert left_ms(game, 0) == 700


def test_empty_purse_grants_nothing():
    """300 ms last for three prompts that are never answered. The first prompt comes before the round trip is known."""
    game = raid_with_round_trips(200, 0, max_auto_moves=0)
    granted = []
    for _ in range(30):
        if answerable := game.prompts(1):
            game.answer(1, answerable[0])
        elif game.due is not None:
            (view,) = game.prompts(0)
            assert view.deadline is not None
            granted.append(view.deadline - game.clock - (2 * S if view.kind == "turn" else S))
            game.run_until(game.due)

    assert granted[:6] == [0, 100 * MS, 100 * MS, 100 * MS, 0, 0]


@pytest.mark.parametrize("fixed_window", [False, True])
def test_end_of_a_window_tells_nothing_about_round_trips(fixed_window):
    """It ends 100 ms after its ordinary deadline, whoever is far away, unless all have answered before."""
    ends = set()
    for round_trips in ((0, 0, 0), (0, 80, 0), (0, 0, 250), (50, 100, 100)):
        game = window_with_round_trips(*round_trips, fixed_window=fixed_window)
        game.send(1, "decline", S // 2)
        ends.add(game.due)

    assert ends == {1100 * MS}


def test_automatic_move_comes_at_the_same_instant_for_everybody():
    ends = set()
    for round_trip in (0, 40, 300):
        game = raid_with_round_trips(round_trip, round_trip)
        game.send(0, "aim 1", 0)
        ends.add(game.due)

    assert ends == {1100 * MS}


def test_nearest_caller_counts_however_late_its_answer():
    """Bob is next to the mover, and his call comes in his purse's time, after Cid's."""
    game = window_with_round_trips(0, 100, 0)
    game.send(2, "call", 10 * MS)

    game.send(1, "call", 1090 * MS)

    assert "seat 1 calls" in " ".join(game.narration())


def test_round_trip_that_is_measured_meanwhile_counts_from_the_next_prompt():
    game = window_with_round_trips(0, 0, 0)
    game.measure(1, 60 * MS, 0)
    assert game.prompt(1).deadline == S

    game.run_until(1100 * MS)

    assert game.prompt(1, "turn").deadline == 1100 * MS + 2060 * MS


def test_purse_and_reconnect_allowance_add_up():
    game = raid_with_round_trips(0, 70)
    game.send(0, "aim 1", 0)
    game.disconnect(1, 500 * MS)

    game.reconnect(1, 700 * MS)

    assert game.prompt(1).deadline == (1000 + 70 + 200) * MS
    game.send(1, "allow", 1270 * MS)
    assert left_ms(game, 1) == 300 - 70 + 50
    game.check_replay()


def test_stall_moves_the_whole_deadline():
    game = window_with_round_trips(0, 80, 0)

    game.stall(500 * MS, 200 * MS)

    assert game.send(1, "call", 1280 * MS).status is DecisionStatus.ACCEPTED


def test_match_without_purses_is_as_before():
    game = start_match(RAID)
    game.measure(0, 90 * MS, 0)

    assert game.send(0, "aim 2", 0).status is DecisionStatus.ACCEPTED
    assert game.prompt(2).deadline == game.due == S
    game.check_replay()


# ---- the option


def test_live_pace_has_no_purse():
    with pytest.raises(OptionsError, match="sealed only: in the live style the first to arrive counts"):
        build_pace("live", {"lag_purse": True})


def test_terms_name_a_purse_only_if_there_is_one():
    """So old terms keep their form and their hash."""
    with_purse = replace(Pace.sealed_defaults(), lag_purse=True)

    assert "lag_purse" not in describe_pace(Pace.sealed_defaults())
    terms = terms_from_order(MatchOrder(("ann", "bob"), pace=with_purse), games())
    assert describe_terms(terms)["pace"]["lag_purse"] is True
    assert terms_from_plain(describe_terms(terms), games()) == terms


def test_request_may_ask_for_a_purse():
    asked = RequestedTerms(
        "cheat", "standard", ("ann", "bob"), (), "sealed", (("lag_purse", "true"),), 1, Seating.ROTATED, 0
    )

    assert build_terms(asked, games()).pace.lag_purse
    with pytest.raises(OptionsError, match="lag_purse"):
        build_terms(replace(asked, pace_options=(("lag_purse", "300"),)), games())
