"""How bots bluff and call, as `arena match` and `arena demo` show it."""

import io

from rich.console import Console

from arena.cli.match.recorded_play import play_table, plays_as_dict
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
