"""A fault is told to its author with what was asked, what came, and who is to blame; what is unknown is said so."""

from dataclasses import replace

import pytest

from arena.games.catalogue import games, phrasing_of
from arena.match.facts import StrikeKind
from arena.match.strike_record import Conditions, ProcessTimes, StrikeRecord
from arena.replays.blame import annotate_blame, explain_strike
from arena.replays.narration_lines import NarrationLine

CHEAT = games()["cheat"]
MS = 1000
CALM = Conditions(is_connected=True, process=ProcessTimes("S", 2 * MS, 0, 1000 * MS))
MISSING = StrikeRecord(1, 0, 5, StrikeKind.MISSING, 7, "turn", 200 * MS, automatic="1A AC", conditions=CALM)


def told(fault: StrikeRecord, **conditions: object) -> str:
    seen = replace(CALM, **conditions) if conditions else fault.conditions  # type: ignore[arg-type]
    return explain_strike(replace(fault, conditions=seen), CHEAT, phrasing_of(CHEAT))


def test_missing_answer_names_prompt_time_and_automatic_move():
    assert told(MISSING).startswith(
        "gave no answer to the question 'turn' within 200 ms; the automatic move was made for it: it claims 1 x A"
    )


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({"is_connected": False}, "It was not connected"),
        ({"loop_lag_us": 45 * MS}, "The host's fault, which took more than a tenth of the time: the node did not look"),
        ({"sending_us": 45 * MS}, "messages to the bot waited up to 45.0 ms to leave"),
        ({"process": ProcessTimes("R", 0, 500 * MS, 1000 * MS)}, "the bot waited 100 ms for a core"),
        ({"process": ProcessTimes("T", 0, 0, 1000 * MS)}, "its process was stopped, by a signal from outside"),
        ({"process": ProcessTimes("R", 900 * MS, 0, 1000 * MS)}, "its process was busy: it had a core for 900 ms"),
        ({"process": None}, "what its process did is unknown: it runs elsewhere"),
        ({"round_trip_us": 150 * MS}, "The wire's fault: at least half of the time passed on the way"),
        ({"heard_us": 150 * MS, "open_count": 3}, "until 150 ms after this one, and had 3 questions of other games"),
    ],
)
def test_blame_is_stated_with_its_evidence(conditions, words):
    assert words in told(MISSING, **conditions)


def test_nothing_is_invented_when_no_node_observed_it():
    unseen = replace(MISSING, conditions=None)

    assert told(unseen).endswith("Nobody can tell whose fault it was: what the node saw then was not kept.")


def test_late_answer_states_delay_and_content():
    late = replace(MISSING, kind=StrikeKind.LATE, came_us=240 * MS, action="decline", automatic="")

    assert told(late).startswith(
        "answered the question 'turn' after 240 ms instead of within 200 ms, 40.0 ms too late: it declines"
    )


def test_illegal_answer_names_rule_and_content():
    illegal = replace(MISSING, kind=StrikeKind.ILLEGAL, came_us=9 * MS, reason="not_in_hand", action="1A AC")

    assert "after 9.0 ms: it claims 1 x A with AC" in told(illegal)
    assert "(not_in_hand). The bot's own fault: this would never have counted." in told(illegal)


def test_unreadable_answer_is_explained():
    unreadable = replace(MISSING, kind=StrikeKind.ILLEGAL, came_us=9 * MS, reason="malformed", automatic="")

    assert "after 9.0 ms with what cannot be read; it cannot be read (malformed)" in told(unreadable)


def line(prompt_id: int, kind: str = "fault") -> NarrationLine:
    return NarrationLine(kind, "some text", 0, 0, facts={"fault": "missing", "entrant": 1, "prompt_id": prompt_id})


def test_faults_in_narration_are_enriched_and_other_lines_unchanged():
    lines = [line(7), line(8), line(7, kind="answer")]

    with_blame, *others = annotate_blame(lines, [MISSING])

    assert with_blame.rows[-1][0] == "blame"
    assert with_blame.facts["blame"]["prompt"] == "turn"
    assert others == lines[1:]
