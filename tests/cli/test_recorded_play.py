"""How bots bluff and call, as a table and as JSON, and where a bot hung, as its output says."""

import io

import pytest
from rich.console import Console

from arena.cli.match.recorded_play import play_table, plays_as_dict, read_stuck_reports
from arena.organizer.report.number_format import UNKNOWN
from arena.organizer.report.play_view import BotPlay
from arena.replays.analytics.bot_figures import Ratio

LIAR = BotPlay(
    "liar", {"think_s": Ratio(1, 2), "lies": Ratio(3, 4), "lies_called": Ratio(1, 3), "precision": Ratio(0, 0)}
)
SAINT = BotPlay("saint", {"think_s": Ratio(1, 2), "lies": Ratio(0, 4), "lies_called": Ratio(0, 0)})
FIELD = BotPlay("the field", {"lies": Ratio(3, 8), "lies_called": Ratio(1, 3), "precision": Ratio(2, 4)})


def draw(plays, names) -> list[str]:
    table = play_table(plays, names)
    assert table is not None
    out = io.StringIO()
    Console(file=out, width=80).print(table)
    return out.getvalue().splitlines()


def test_bots_stand_beside_the_field():
    """A share without any case is a dash, and not 0 %."""
    lines = [line.split() for line in draw([LIAR, SAINT, FIELD], ["saint", "liar", "the field"]) if line.strip()]

    assert lines[0] == ["how", "they", "play", "lies", "caught", "precision"]
    assert lines[2] == ["saint", "0", "%", UNKNOWN]
    assert lines[3] == ["liar", "75", "%", "33", "%", UNKNOWN]
    assert lines[4] == ["the", "field", "38", "%", "33", "%", "50", "%"]


def test_legend_explains_each_column():
    text = " ".join(" ".join(draw([LIAR], ["liar"])).split())

    assert "lies: claims that lie; caught: lies called; precision: calls that are right" in text


def test_unknown_play_is_not_shown():
    assert play_table([], ["a"]) is None
    assert play_table([BotPlay("a", {"think_s": Ratio(1, 2)})], ["a"]) is None, "the standings show it"


def test_ten_bots_fit_into_80_columns():
    names = [f"a-bot-with-a-long-name#{number}" for number in range(10)]
    figures = dict.fromkeys(("lies", "lies_called", "truths_called", "precision", "recall"), Ratio(1, 1))

    lines = draw([BotPlay(name, figures) for name in names], names)

    assert all(any(line.split()[:1] == [name] for line in lines) for name in names)
    assert all(len(line) <= 80 for line in lines)


def test_figures_are_plain_values_for_programs():
    assert plays_as_dict([LIAR])["liar"] == {"think_s": 0.5, "lies": 0.75, "lies_called": 1 / 3, "precision": None}


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
