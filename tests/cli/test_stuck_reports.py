"""The terminal blames a bot whose log says that it was stuck, and finds the question by match and prompt."""

import pytest

from arena.cli.match.recorded_play import read_stuck_reports

LINE = "2026-11-23 14:00:00,123 ERROR match {}: {} has not returned at its deadline; it is {} (prompt {})\n"


def test_each_stuck_method_is_found_by_match_and_prompt(tmp_path):
    log = tmp_path / "mine.log"
    log.write_text(
        "2026-11-23 14:00:00,000 INFO connected as mine\n"
        + LINE.format(1, "turn()", "at mine.py:7, in turn()", 12)
        + '  File "mine.py", line 7, in turn\n'
        + LINE.format(2, "call_window()", "at mine.py:9, in look()", 3)
    )

    assert read_stuck_reports([log, tmp_path / "missing.log"]) == {
        (1, 12): "turn() at mine.py:7, in turn()",
        (2, 3): "call_window() at mine.py:9, in look()",
    }


@pytest.mark.parametrize("text", ["", "ERROR match x: nonsense", "\x00\xff ERROR match 1: turn() has not returned"])
def test_other_output_is_left_alone(tmp_path, text):
    log = tmp_path / "mine.log"
    log.write_text(text)

    assert read_stuck_reports([log]) == {}


def test_words_of_a_bot_cannot_control_the_terminal(tmp_path):
    log = tmp_path / "mine.log"
    log.write_text(LINE.format(1, "turn()", "at \x1b[2Jmine.py:7, in turn()", 12))

    assert "\x1b" not in read_stuck_reports([log])[1, 12]
