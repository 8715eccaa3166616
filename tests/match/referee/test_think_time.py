"""Late answers are refused, but the time that they took is counted, apart from that of accepted answers."""

import pytest

from arena.match.referee.think_time import late_figures, read_think_time
from tests.match.referee.driver import MS, RAID, S, start_match
from tests.support.prepared_cheat import live_cheat


def test_time_of_a_late_answer_is_counted():
    """It comes 10 µs after its deadline of 2 s."""
    game = start_match(RAID)
    prompt = game.prompt(0).id
    game.run_until(2 * S)

    game.send(0, "aim 2", 2 * S + 10, prompt=prompt)

    record = game.referee.entrant_records[0]
    assert (record.late_count, record.late_us) == (1, 2 * S + 10)
    assert record.decision_count == 0
    assert record.auto_in_row == 1, "the automatic move stands"


def test_repeated_late_answer_is_counted_once():
    game = start_match(RAID)
    prompt = game.prompt(0).id
    game.run_until(2 * S)

    for at in (2 * S + 10, 2 * S + 500):
        game.send(0, "aim 2", at, action_id=5, prompt=prompt)

    assert game.referee.entrant_records[0].late_count == 1


def test_accepted_illegal_and_overtaken_answers_are_not_late():
    game = start_match(live_cheat("4D KS", "QS 9D", "2C 7C"), style="live")
    game.send(0, "1K QS", 0)
    game.send(0, "1K 4D", 0)
    window = game.prompt(2).id
    game.send(1, "call", 800 * MS, kind="window")
    game.send(2, "call", 800 * MS + 250, prompt=window)

    assert [record.late_count for record in game.referee.entrant_records] == [0, 0, 0]


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({}, (0, 0)),
        ({"decisions": 4, "think_s": 0.5}, (2, 4)),
        ({"decisions": 3, "think_s": 1.0, "late_answers": 1, "late_think_s": 5.0}, (8, 4)),
        ({"decisions": 0, "think_s": 0.0, "late_answers": 2, "late_think_s": 2.5}, (5, 2)),
    ],
)
def test_think_time_is_that_of_all_answers(figures, expected):
    """Figures of earlier releases have no late answers."""
    assert read_think_time(figures) == expected


def test_match_without_late_answers_has_the_figures_of_earlier_releases():
    assert late_figures(0, 0) == {}
    assert late_figures(2, 5 * S) == {"late_answers": 2, "late_think_s": 2.5}
