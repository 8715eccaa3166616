"""The blame for a late, illegal or missing answer, judged by what its node observed."""

from dataclasses import replace
from typing import Any

import pytest

from arena.match.referee.facts import StrikeKind
from arena.match.referee.strike_record import (
    Conditions,
    Culprit,
    ProcessTimes,
    ResponseTimes,
    StrikeRecord,
    culprit_of,
    response_times_of,
)
from arena.plain_data import from_plain, to_plain

MS = 1000
IDLE = ProcessTimes("S", ran_us=2 * MS, waited_us=0, span_us=1000 * MS)
CALM = Conditions(is_connected=True, round_trip_us=2 * MS, process=IDLE)
MISSING = StrikeRecord(0, 0, 5, StrikeKind.MISSING, prompt_id=7, prompt="turn", allowed_us=200 * MS, conditions=CALM)
LATE = replace(MISSING, kind=StrikeKind.LATE, came_us=240 * MS, handled_us=3 * MS)


def under(fault: StrikeRecord, **conditions: Any) -> StrikeRecord:
    return replace(fault, conditions=replace(CALM, **conditions))


def waiting(us: int, span_us: int = 1000 * MS) -> ProcessTimes:
    return ProcessTimes("R", 0, us, span_us)


@pytest.mark.parametrize("fault", [MISSING, LATE])
def test_bot_is_to_blame_where_nothing_unusual_happened(fault):
    assert culprit_of(fault) is Culprit.BOT


@pytest.mark.parametrize(
    ("lag_ms", "culprit"), [(19, Culprit.BOT), (20, Culprit.BOT), (21, Culprit.HOST)], ids=["less", "tenth", "more"]
)
def test_event_loop_that_was_away_over_a_tenth_of_the_time_is_to_blame(lag_ms, culprit):
    """The limit is a tenth of the window's length, for the node's lag and for a bot's wait for a core alike."""
    assert culprit_of(under(MISSING, loop_lag_us=lag_ms * MS)) is culprit
    assert culprit_of(under(MISSING, sending_us=lag_ms * MS)) is culprit


@pytest.mark.parametrize(("waited_ms", "culprit"), [(100, Culprit.BOT), (110, Culprit.HOST)])
def test_bot_that_waited_for_a_core_over_a_tenth_of_the_time_is_not_to_blame(waited_ms, culprit):
    """A process that waited 100 ms of the last second is assumed to have waited 20 of these 200 ms."""
    assert culprit_of(under(MISSING, process=waiting(waited_ms * MS))) is culprit


def test_stopped_process_is_its_owners_fault_whatever_the_host_did():
    stopped = replace(IDLE, state="T")

    assert culprit_of(under(MISSING, process=stopped, loop_lag_us=100 * MS)) is Culprit.BOT


@pytest.mark.parametrize(("round_trip_ms", "culprit"), [(99, Culprit.BOT), (100, Culprit.WIRE)])
def test_network_that_takes_half_of_the_time_is_to_blame(round_trip_ms, culprit):
    assert culprit_of(under(MISSING, round_trip_us=round_trip_ms * MS)) is culprit


@pytest.mark.parametrize(
    ("signs", "culprit"),
    [
        ({}, None),
        ({"alive_us": 3 * MS}, Culprit.BOT),
        ({"heard_us": 3 * MS}, Culprit.BOT),
        ({"alive_us": 3 * MS, "is_silent": True}, None),
        ({"process": IDLE, "is_silent": True}, Culprit.BOT),
        ({"loop_lag_us": 150 * MS}, Culprit.HOST),
    ],
)
def test_bot_elsewhere_is_to_blame_only_if_its_line_is_known_to_have_worked(signs, culprit):
    """Nothing that came from it tells a bot that thinks from a line that loses its answers."""
    assert culprit_of(under(MISSING, **{"process": None, **signs})) is culprit


def test_late_answer_of_a_bot_elsewhere_shows_that_its_line_works():
    assert culprit_of(under(LATE, process=None)) is Culprit.BOT


def test_disconnected_bot_is_not_to_blame():
    assert culprit_of(under(MISSING, is_connected=False, loop_lag_us=100 * MS)) is Culprit.CONNECTION


def test_illegal_answer_is_the_bots_fault_even_on_a_slow_host():
    illegal = replace(under(MISSING, loop_lag_us=150 * MS), kind=StrikeKind.ILLEGAL, came_us=9 * MS)

    assert culprit_of(illegal) is Culprit.BOT


def test_without_observations_no_one_is_blamed():
    unseen = replace(LATE, conditions=None)

    assert culprit_of(unseen) is None
    assert response_times_of(unseen) == ResponseTimes(server_us=3 * MS)


def test_answer_time_is_split_among_its_stages():
    """Of 240 ms, 2 were on the network and 10 in the outbox; the server then took 3 ms to process the answer."""
    late = under(LATE, sending_us=10 * MS, heard_us=90 * MS, loop_lag_us=4 * MS, process=waiting(50 * MS))

    assert response_times_of(late) == ResponseTimes(
        bot_us=228 * MS,
        queue_us=90 * MS,
        wire_us=2 * MS,
        server_us=13 * MS,
        loop_lag_us=4 * MS,
        core_wait_us=12 * MS,
    )


@pytest.mark.parametrize("fault", [MISSING, LATE, replace(LATE, conditions=None), under(LATE, process=None)])
def test_fault_survives_as_plain_values(fault):
    assert from_plain(to_plain(fault), StrikeRecord) == fault
