"""Lines never run backwards, whatever the stamps say by which answers are judged."""

import json
import zlib
from collections.abc import Sequence
from functools import partial

import pytest

from arena.errors import StoreError
from arena.games.catalogue import games, phrasing_of
from arena.games.cheat.rules.game import CHEAT
from arena.match.game import Seat
from arena.match.referee.inputs import Answer, Credit
from arena.match.referee.ports import GameRow, MatchId
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.replays.narration.match_narration import narrate_match
from arena.replays.narration.narrate import narrate_stored_games
from arena.replays.narration.seat_narration import narrate_seat
from arena.server.wire.narration_line import NarrationLine
from tests.match.referee.driver import MS
from tests.support.recorded_matches import ManualMatch

MATCH_ID = "01K00000000000000000000NEW"


def play_on_a_busy_server() -> list[bytes]:
    """Each frame is read 4 ms after it may have come; whoever is asked then had nothing to answer before."""
    match = ManualMatch(MATCH_ID)
    for entrant, action, came, read in (
        (0, "1A AC", 10, 14),
        (1, "decline", 13, 17),  # may have come before the question was put
        (2, "call", 16, 20),
        (1, "1A AD", 18, 22),
    ):
        prompt, action_id = match.bench.prompt(entrant), came
        match.bench.clock = read * MS
        match.table.apply(
            Answer(
                Instant(came * MS),
                Instant(read * MS),
                EntrantIndex(entrant),
                prompt.id,
                action_id,
                action,
                note=f"at {came}",
                action=CHEAT.read_action(action),
            )
        )
    return match.records


def narrations() -> list[list[NarrationLine]]:
    records = play_on_a_busy_server()
    seats = [
        list(narrate_seat(Replay(records, games()), partial(sit, Seat(seat)), phrasing_of(CHEAT))) for seat in range(3)
    ]
    return [list(narrate_match(Replay(records, games()), phrasing_of(CHEAT))), *seats]


def sit(seat: Seat, _: Sequence[int]) -> Seat:
    """Look at the same seat in every game."""
    return seat


@pytest.mark.parametrize("index", range(4), ids=["match", "seat 0", "seat 1", "seat 2"])
def test_no_line_is_earlier_than_the_previous_one(index):
    lines = narrations()[index]

    times = [line.at_us for line in lines if line.game is not None]
    assert times == sorted(times)
    assert len(set(times)) > 2, "the instants of the answers are told"


def test_answer_is_never_earlier_than_its_prompt():
    """Its stamp is the earliest possible arrival; it took no time at all."""
    lines = narrations()[2]

    asked = next(line for line in lines if line.kind == "decision")
    answered = next(line for line in lines if line.kind == "answer")
    assert (asked.at_us, answered.at_us) == (14 * MS, 14 * MS)
    assert answered.data["after_us"] == 0


def test_stored_events_do_not_run_backwards_either():
    events = [[-5, "IntermissionStarted", {}], [0, "GameStarted", {}], [9, "Laid", {}], [7, "Called", {}]]
    raw = b"\n".join(json.dumps(event).encode() for event in events)
    row = GameRow(MatchId(MATCH_ID), 0, (1, 2), "finished", 1, "0", "", zlib.compress(raw))

    lines = narrate_stored_games([row], ["Ann", "Bob"])

    assert [line.at_us for line in lines] == [0, 0, 0, 9, 9, 9]


@pytest.mark.parametrize("events", [b"damaged", zlib.compress(b"{")])
def test_damaged_events_are_a_fault_of_the_store(events):
    row = GameRow(MatchId(MATCH_ID), 0, (1, 2), "finished", 1, "0", "", events)

    with pytest.raises(StoreError, match="events of a game"):
        list(narrate_stored_games([row], ["Ann", "Bob"]))


@pytest.mark.parametrize(("stalls_ms", "told"), [((200,), 0), ((201,), 1), ((120, 120), 1)])
def test_stall_is_told_only_if_it_took_more_than_a_tenth_of_a_questions_time(stalls_ms, told):
    """Every stall is credited, so the others cost nobody anything. A turn has 2 s."""
    match = ManualMatch(MATCH_ID)
    for us in (each * MS for each in stalls_ms):
        match.bench.clock += us
        match.table.apply(Credit(Instant(match.bench.clock), Instant(match.bench.clock), us))

    lines = narrate_match(Replay(match.records, games()), phrasing_of(CHEAT))

    assert sum("the server stood still" in line.text for line in lines) == told
