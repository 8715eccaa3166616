"""A fault is told to its author with what was asked, what came, and who is to blame; what is unknown is said so."""

from dataclasses import replace
from typing import Any

import pytest

from arena.games.catalogue import games, phrasing_of
from arena.match.referee.facts import StrikeKind
from arena.match.referee.strike_record import Conditions, ProcessTimes, StrikeRecord
from arena.replays.narration.blame import annotate_blame, explain_strike
from arena.server.wire.narration_line import NarrationLine

CHEAT = games()["cheat"]
MS = 1000
CALM = Conditions(is_connected=True, process=ProcessTimes("S", 2 * MS, 0, 1000 * MS))
MISSING = StrikeRecord(1, 0, 5, StrikeKind.MISSING, 7, "turn", 200 * MS, automatic="1A AC", conditions=CALM)


def told(fault: StrikeRecord, **conditions: Any) -> str:
    seen = replace(CALM, **conditions) if conditions else fault.conditions
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
        ({"process": ProcessTimes("Q", 50 * MS, 0, 1000 * MS)}, "its process had used up the CPU quota of its box"),
        ({"process": ProcessTimes("T", 0, 0, 1000 * MS)}, "its process was stopped, by a signal from outside"),
        ({"process": ProcessTimes("R", 900 * MS, 0, 1000 * MS)}, "its process was busy: it had a core for 900 ms"),
        ({"process": None}, "what its process did is unknown: it runs elsewhere"),
        ({"process": None}, "Nobody can tell whose fault it was: nothing came from it meanwhile; what its process did"),
        ({"process": None, "alive_us": 50 * MS}, "The bot's own fault: its line worked: something came 50.0 ms after"),
        (
            {"process": None, "alive_us": 50 * MS, "is_silent": True},
            "Nobody can tell whose fault it was: nothing came from it any more, until its connection ended; what its",
        ),
        ({"round_trip_us": 150 * MS}, "The wire's fault: at least half of the time passed on the way"),
        ({"heard_us": 150 * MS, "open_count": 3}, "until 150 ms after this one, and had 3 questions of other games"),
    ],
)
def test_blame_is_stated_with_its_evidence(conditions, words):
    assert words in told(MISSING, **conditions)


STUCK = "turn() at bot.py:12, in turn()"


def test_stuck_method_is_told_first_although_the_host_was_slow_too():
    """The author's log says where the bot was at the deadline, so it was not only the host."""
    seen = replace(CALM, process=ProcessTimes("R", 900 * MS, 500 * MS, 1000 * MS))
    fault = replace(MISSING, allowed_us=2000 * MS, conditions=seen)

    text = explain_strike(fault, CHEAT, phrasing_of(CHEAT), (), STUCK)

    told_first = "The bot's own fault: turn() had not returned after 2 s; it was at bot.py:12, in turn(); "
    assert told_first in text
    assert "the bot waited 500 ms for a core" in text, "what the host took is still told"
    assert "The host's fault" not in text
    assert "The host's fault" in explain_strike(fault, CHEAT, phrasing_of(CHEAT))


def test_answer_that_came_is_not_stuck():
    late = replace(MISSING, kind=StrikeKind.LATE, came_us=240 * MS, action="decline", automatic="")

    assert "had not returned" not in explain_strike(late, CHEAT, phrasing_of(CHEAT), (), STUCK)


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


CRASHED = replace(
    MISSING, kind=StrikeKind.CRASHED, came_us=3 * MS, no_answer="crashed", words="turn() raised KeyError: 3 (bot.py:9)"
)


@pytest.mark.parametrize(
    ("fault", "words", "blame"),
    [
        (CRASHED, "its code raised an exception: turn() raised KeyError: 3 (bot.py:9)", "its log has the traceback"),
        (
            replace(CRASHED, kind=StrikeKind.ILLEGAL, no_answer="illegal", reason="not_in_hand", words="turn(): 7H"),
            "its own client did not send the answer, since the hand does not hold those cards: turn(): 7H",
            "the server never saw the answer",
        ),
        (
            replace(CRASHED, kind=StrikeKind.NO_ANSWER, no_answer="empty", words="turn() returned None"),
            "its code returned no answer: turn() returned None",
            "a method that is asked must return an answer on every path",
        ),
        (replace(CRASHED, kind=StrikeKind.NO_ANSWER, no_answer="gave_up", words=""), "it gave up;", "nothing was sent"),
    ],
)
def test_bot_that_says_that_it_has_no_answer_is_explained_in_its_own_words(fault, words, blame):
    """It did not wait for anything, and the server refused nothing."""
    text = told(fault)

    assert text.startswith("said after 3.0 ms that it has no answer to the question 'turn': ")
    assert words in text
    assert "the automatic move was made for it: it claims 1 x A" in text
    assert f"The bot's own fault: {blame}" in text
    assert "wait" not in text
    assert "refused" not in text


def test_words_of_a_bot_cannot_control_the_terminal():
    assert "\x1b" not in told(replace(CRASHED, words="\x1b[2J"))


def test_missing_answer_after_refused_ones_says_so():
    refused = replace(MISSING, kind=StrikeKind.ILLEGAL, came_us=9 * MS, reason="not_in_hand", automatic="")
    others = [
        replace(refused, prompt_id=6),
        replace(refused, entrant=0),
        refused,
        replace(refused, reason="illegal_rank"),
    ]

    text = explain_strike(MISSING, CHEAT, phrasing_of(CHEAT), [*others, MISSING])

    assert "; 2 answers were refused before, the last because " in text
    assert "refused before" not in explain_strike(refused, CHEAT, phrasing_of(CHEAT), [*others, MISSING])


def line(prompt_id: int, kind: str = "fault") -> NarrationLine:
    return NarrationLine(kind, "some text", 0, 0, data={"fault": "missing", "entrant": 1, "prompt_id": prompt_id})


def test_faults_in_narration_are_enriched_and_other_lines_unchanged():
    lines = [line(7), line(8), line(7, kind="answer")]

    with_blame, *others = annotate_blame(lines, [MISSING])

    assert with_blame.rows[-1][0] == "blame"
    assert with_blame.data["blame"]["prompt"] == "turn"
    assert others == lines[1:]
