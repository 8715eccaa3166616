"""The benchmark itself still runs: every kind of row gives figures, and games are played. It says nothing of speed."""

import pytest

from tests.benchmarks.__main__ import read_rows, write_rows
from tests.benchmarks.plot import write_plot
from tests.benchmarks.row import Figure, Noise, Row, rows_of
from tests.benchmarks.suite import Size, measurements, run
from tests.benchmarks.table import comparison, table, verdict

TINY = Size(
    seconds=0.3, matches=(1, 2, 3), few=1, common=2, alone=1, at_once=2, idle=8, idle_connections=2, live=2,
    live_answers=2, probes=2,
)  # fmt: skip
KINDS = (
    "echo-batched", "wire-2", "single-2", "disk-3", "cheater-2", "alone", "creation", "live", "table", "deadlines",
    "neighbours", "nodes-2", "idle",
)  # fmt: skip
"""One of each kind."""
HONEST = ("wire-2", "single-2", "cheater-2", "alone")
"""Where nobody does anything wrong."""
MAY_BE_NONE = ("lost", "refused", "counted", "gaps", "turn", "idle bot", "live match", "answers around")
"""Figures that may be 0 in so short a run, or below where memory is counted in pages."""


def row(*runs: float, is_more_better: bool = False) -> Row:
    """A row of these runs."""
    figures = [[(Figure("row", "us", value, 10.0, is_more_better), Noise(0.6, 0.0))] for value in runs]
    return rows_of(figures)[0]


@pytest.mark.parametrize("name", KINDS)
async def test_every_kind_of_row_gives_figures(name):
    """With numbers as small as can be."""
    rows = await run(TINY, [name], 1, lambda _: None)

    assert rows
    assert name not in HONEST or not any(each.remark for each in rows), "a strike, or something that is lost"
    for each in rows:
        if each.runs:
            assert each.median > 0 or any(word in each.name for word in MAY_BE_NONE), each
        else:
            assert each.remark.startswith("not built"), each
    assert all(line.startswith(each.name) for line, each in zip(table(rows).splitlines()[1:], rows, strict=True))


async def test_the_rules_of_every_preset_are_measured():
    rows = await run(TINY, ["rules"], 1, lambda _: None)

    names = {each.name for each in rows}
    assert names >= {f"rules {each}" for each in ("standard", "folk", "rank_lock", "ascending", "cheater", "251 decks")}
    assert all(each.median > 0 for each in rows)


def test_every_kind_is_in_the_suite():
    """The names above are those of the suite."""
    assert set(KINDS) <= set(measurements(TINY))


def test_a_goal_is_reached_above_one_whichever_way_a_figure_counts():
    assert row(5.0).to_goal == 2.0
    assert row(5.0, is_more_better=True).to_goal == 0.5


def test_rows_differ_where_no_run_of_one_is_among_those_of_the_other():
    assert verdict(row(1.0, 2.0, 3.0), row(4.0, 5.0, 6.0)) == "worse"
    assert verdict(row(1.0, 2.0, 3.0), row(0.1, 0.2, 0.3)) == "better"
    assert verdict(row(1.0, 2.0, 3.0), row(3.0, 5.0, 6.0)) == ""
    assert verdict(row(1.0, 2.0, 3.0, is_more_better=True), row(4.0, 5.0, 6.0)) == "better"
    assert verdict(row(1.0, 2.0), row(4.0, 5.0)) == "too few runs"


def test_rows_come_back_from_a_file_and_can_be_compared(tmp_path):
    rows = [row(1.0, 2.0, 3.0)]
    write_rows(rows, tmp_path / "rows.json")

    again = read_rows(tmp_path / "rows.json")

    assert again == rows
    assert comparison(rows, again).splitlines()[1].startswith("row")


def test_the_plot_shows_every_number_of_matches(tmp_path):
    figures = [
        (Figure(f"wire-{matches} {name}", "", float(matches)), Noise(0.6, None))
        for matches in (1, 64, 1000)
        for name in ("server", "messages a frame out")
    ]

    assert write_plot(rows_of([figures]), tmp_path / "plot.svg")

    drawn = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert all(f">{matches}</text>" in drawn for matches in ("1", "64", "1000"))
