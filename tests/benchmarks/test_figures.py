"""How the benchmark evaluates its measurements."""

from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from tools.benchmarks.__main__ import show
from tools.benchmarks.deadlines import Wrong, wrong_answers
from tools.benchmarks.plot import write_plot
from tools.benchmarks.row import Figure, Noise, Row, quantile, read_rows, rows_of, write_rows
from tools.benchmarks.suite import Size, add_ratios
from tools.benchmarks.table import comparison, verdict
from tools.benchmarks.turns import join_rows, take_turns
from tools.benchmarks.weight import own_bytes

ROOT = Path(__file__).resolve().parents[2]
QUIET = Noise(0.6, 0.0)
STARTED_US = 1_000_000
"""When the server's clock was 0."""
DEADLINE_US = 500_000


def row(*runs: float, is_more_better: bool = False) -> Row:
    """Return a row with these values."""
    figures = [[(Figure("row", "us", value, 10.0, is_more_better), QUIET)] for value in runs]
    return rows_of(figures)[0]


def answer(before: int, after: int, *, has_counted: bool) -> dict[str, int]:
    """Return an answer whose sending began and ended this many microseconds after its deadline."""
    instant = STARTED_US + DEADLINE_US
    return {"deadline": DEADLINE_US, "before": instant + before, "after": instant + after, "has_counted": has_counted}


@pytest.mark.parametrize(
    ("before", "after", "has_counted", "early", "late"),
    [
        (-7_000, -5_000, False, 1, 0),
        (-7_000, -4_999, False, 0, 0),  # it may have come less than 5 ms early
        (-7_000, -5_000, True, 0, 0),
        (20_000, 21_000, True, 0, 1),
        (19_999, 21_000, True, 0, 0),  # it may have come less than 20 ms late
        (20_000, 21_000, False, 0, 0),
    ],
)
def test_answer_is_judged_by_when_it_was_sent(before, after, has_counted, early, late):
    """It is wrong to refuse an answer sent 5 ms or more in time, or to count one sent 20 ms or more late."""
    given = [answer(before, after, has_counted=has_counted)]

    assert wrong_answers(given, STARTED_US, []) == (Wrong(early, 0), Wrong(late, 0))


@pytest.mark.parametrize(
    ("gap", "in_gaps"), [((-6_000, 1_000), 1), ((-3_000, -2_000), 1), ((1, 9_000), 0), ((-20_000, -7_001), 0)]
)
def test_misjudged_answer_is_excused_by_gap_between_sending_and_deadline(gap, in_gaps):
    given = [answer(-7_000, -6_000, has_counted=False)]
    first, last = gap

    early, _ = wrong_answers(given, STARTED_US, [(DEADLINE_US + first, DEADLINE_US + last)])

    assert early == Wrong(1 - in_gaps, in_gaps)


@pytest.mark.parametrize(("gap", "in_gaps"), [((-90_000, -30_000), 1), ((5_000, 9_000), 1), ((-190_000, -100_001), 0)])
def test_late_answer_that_counted_is_excused_by_gap_since_its_prompt(gap, in_gaps):
    """A long gap moves the deadline."""
    given = [answer(25_000, 26_000, has_counted=True)]
    first, last = gap

    _, late = wrong_answers(given, STARTED_US, [(DEADLINE_US + first, DEADLINE_US + last)])

    assert late == Wrong(1 - in_gaps, in_gaps)


def test_memory_shared_by_several_belongs_to_none_of_them():
    shared, first, second = bytes(1000), bytearray(10), bytearray(20)

    one, both = own_bytes([[first]], bytearray), own_bytes([[first, shared], [second, shared]], bytearray)

    assert 0 < one < both
    assert own_bytes([[first, shared], [second, shared]], bytes) == 0


def test_goal_of_single_answer_follows_from_echo_of_its_round():
    """The goal is 1.2 times 0.5 ms plus 0.1 ms."""
    given = [Figure("echo-single p50", "ms", 0.5), Figure("alone answer to question p50", "ms", 1.4)]

    figures = add_ratios([(figure, QUIET) for figure in given], Size())

    assert figures[1][0].goal == pytest.approx(0.7)


def test_single_answer_without_goal_says_why():
    for before, after in (("", ""), ("1 strikes", "1 strikes; ")):
        given = Figure("alone answer to question p50", "ms", 1.4, remark=before)

        ((figure, _),) = add_ratios([(given, QUIET)], Size())

        assert figure.goal is None
        assert figure.remark.startswith(f"{after}no goal: it follows from the row echo-single")


def test_costs_are_compared_within_a_round():
    given = [Figure("wire-1000 server", "us", 30.0), Figure("wire-64 server", "us", 20.0)]

    *_, (ratio, _) = add_ratios([(figure, QUIET) for figure in given], Size())

    assert (ratio.name, ratio.value, ratio.goal) == ("wire-1000 server / wire-64 server", 1.5, 1.3)


def test_other_rules_are_compared_by_message_and_many_decks_by_decision():
    names = ("wire-64 server", "wire-64 server a message", "cheater-64 server", "cheater-64 server a message")
    given = [Figure(name, "us", value) for name, value in zip(names, (20.0, 8.0, 36.0, 9.0), strict=True)]
    given += [Figure("wire-8 server", "us", 40.0), Figure("251-decks-8 server", "us", 60.0)]

    ratios = [(each.name, each.value, each.goal) for each, _ in add_ratios([(one, QUIET) for one in given], Size())]

    assert ratios[len(given) :] == [
        ("cheater-64 server a message / wire-64 server a message", 1.125, 1.0),
        ("251-decks-8 server / wire-8 server", 1.5, 1.5),
    ]


def test_quantile_is_a_value_of_the_sample():
    assert [quantile(range(100), part) for part in (0.0, 0.5, 0.99)] == [0, 50, 99]
    assert quantile([], 0.5) == 0


def test_goal_is_reached_above_one_in_either_direction():
    assert row(5.0).to_goal == 2.0
    assert row(5.0, is_more_better=True).to_goal == 0.5


def test_every_run_counts_without_a_goal():
    def wrong(*runs: float) -> Row:
        return rows_of([[(Figure("wrong", "", value, 0), QUIET)] for value in runs])[0]

    assert wrong(0, 0, 0).to_goal == 1.0
    assert wrong(0, 0, 1).to_goal == 0.0


def test_rows_differ_when_their_runs_do_not_overlap():
    assert verdict(row(1.0, 2.0, 3.0), row(4.0, 5.0, 6.0)) == "worse"
    assert verdict(row(1.0, 2.0, 3.0), row(0.1, 0.2, 0.3)) == "better"
    assert verdict(row(1.0, 2.0, 3.0), row(3.0, 5.0, 6.0)) == ""
    assert verdict(row(1.0, 2.0, 3.0, is_more_better=True), row(4.0, 5.0, 6.0)) == "better"
    assert verdict(row(1.0, 2.0), row(4.0, 5.0)) == "too few runs"


def test_rows_round_trip_through_a_file_and_can_be_compared(tmp_path):
    rows = [row(1.0, 2.0, 3.0)]
    write_rows(rows, "this machine", tmp_path / "rows.json")

    again = read_rows(tmp_path / "rows.json")

    assert again == rows
    assert comparison(rows, again).splitlines()[1].startswith("row")


def test_plot_shows_every_number_of_matches(tmp_path):
    figures = [
        (Figure(f"wire-{matches} {name}", "", float(matches)), Noise(0.6, None))
        for matches in (1, 64, 1000)
        for name in ("server", "messages a frame out")
    ]
    rows = rows_of([figures])

    assert write_plot({"plain": rows, "compiled": rows}, tmp_path / "plot.svg")

    drawn = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert all(f">{word}</text>" in drawn for word in ("1", "64", "1000", "plain", "compiled"))
    assert not write_plot({"plain": rows, "compiled": []}, tmp_path / "plot.svg")


def test_turns_give_rows_with_the_runs_of_all_rounds():
    rounds = [[replace(row(value), remark=remark)] for value, remark in ((3.0, ""), (1.0, "1 strikes"))]

    (joined,) = join_rows(rounds)

    assert joined.runs == (3.0, 1.0)
    assert joined.median == 2.0
    assert joined.remark == "1 strikes"


@pytest.mark.slow
@pytest.mark.long
def test_copies_measure_themselves_in_turns():
    """A copy is a folder with its own arena and its own benchmark; this checkout is one of them."""
    told: list[str] = []
    kept: list[tuple[str, int]] = []

    measured = take_turns(
        {"one": ROOT, "two": ROOT}, 2, ["--rows", "table", "--seconds", "0.1"], told.append,
        lambda name, rows: kept.append((name, len(rows[0].runs))),
    )  # fmt: skip

    assert told == [f"round {number} of 2: {name}" for number in (1, 2) for name in ("one", "two")]
    assert kept == [("one", 1), ("two", 1), ("one", 2), ("two", 2)]
    assert all(len(each.runs) == 2 and each.median > 0 for rows in measured.values() for each in rows)


def test_failed_plot_is_reported(tmp_path, capsys):
    """The picture of an earlier run is not changed."""
    write_rows([row(1.0, 2.0, 3.0)], "this machine", tmp_path / "rows.json")
    (tmp_path / "plot.svg").write_text("earlier")

    with pytest.raises(SystemExit) as ended:
        show(Namespace(files=[tmp_path / "rows.json"], plot=tmp_path / "plot.svg"))

    assert ended.value.code == 64
    assert "plot.svg is left as it was" in capsys.readouterr().err
    assert (tmp_path / "plot.svg").read_text() == "earlier"
