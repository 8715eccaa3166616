"""Tests that every measurement of the benchmark runs and gives figures. They do not test speed."""

from dataclasses import replace

import pytest

from arena.errors import IsolationError
from tests.support.boxes import skip_without_boxes
from tools.benchmarks import boxes, league
from tools.benchmarks.suite import NO_GOAL, Size, run
from tools.benchmarks.table import table

TINY = Size(
    seconds=0.3, matches=(1, 2, 3), few=1, common=2, alone=1, at_once=2, idle=8, idle_connections=2, live=2,
    live_answers=2, probes=2, entrants=4, seats=2, max_turns=40, far=(1,), interrupted=2,
    box_starts=1, box_turns=1,
)  # fmt: skip
SIZES = dict.fromkeys(("league", "compare"), replace(TINY, seconds=0.2))
"""Sizes of rows that measure three spans of three times as many seconds, in which all cores play."""
KINDS = (
    "echo-batched", "wire-2", "single-2", "disk-3", "cheater-2", "alone", "creation", "live", "table", "practice",
    "deadlines", "neighbours", "nodes-2", "python-2", "league", "compare", "idle", "tls-2", "far-1", "restart-2",
    "start", "boxed-2",
)  # fmt: skip
"""One measurement of each kind."""
QUICK = ("single-2", "wire-2", "boxed-2")
"""Measurements that no run of the tests leaves out."""
HONEST = ("wire-2", "tls-2", "single-2", "cheater-2", "alone", "python-2", "boxed-2")
"""Measurements in which no bot misbehaves."""
MAY_BE_NONE = ("lost", "thrown out", "refused", "counted", "gaps", "turn", "idle bot", "live match", "answers around")
"""Figures that may be 0 in a short run. Figures of memory may even be negative, because it is counted in pages."""


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if each in QUICK else (pytest.mark.slow, pytest.mark.long)) for each in KINDS]
)
async def test_every_kind_of_row_yields_figures(monkeypatch, name):
    """Every measurement gives figures, even with the smallest numbers of matches and bots."""
    monkeypatch.setattr(league, "LOOK_S", 0.1)  # while a league warms up, all cores play
    if name == "boxed-2":
        skip_without_boxes()

    rows = await run(SIZES.get(name, TINY), [name], 1, lambda _: None)

    assert rows
    assert name not in HONEST or all(each.remark in ("", NO_GOAL) for each in rows), (
        "a strike, or something that is lost"
    )
    for each in rows:
        assert each.median > 0 or any(word in each.name for word in MAY_BE_NONE), each
    assert all(line.startswith(each.name) for line, each in zip(table(rows).splitlines()[1:], rows, strict=True))


async def test_box_takes_little_memory():
    """Memory hardly depends on how busy the machine is, so its goal is kept in every run."""
    skip_without_boxes()

    rows = {each.name: each for each in await run(TINY, ["box"], 1, lambda _: None)}

    assert rows.keys() == {"box start", "box start, unboxed", "box memory"}
    assert all(each.median > 0 for each in rows.values())
    assert (rows["box memory"].to_goal or 0) > 1


async def test_machine_without_boxes_is_told_why_and_measures_the_rest(monkeypatch):
    def refuse(_: object) -> None:
        raise IsolationError(["there is no bubblewrap"])

    monkeypatch.setattr(boxes, "require_isolation", refuse)
    told = list[str]()

    rows = await run(TINY, ["box", "boxed-2", "rules"], 1, told.append)

    assert {each.name.split()[0] for each in rows} == {"rules"}
    sentence = "is left out: untrusted code is not run here: there is no bubblewrap"
    assert [line for line in told if "left out" in line] == [f"box {sentence}", f"boxed-2 {sentence}"]


async def test_rules_of_every_preset_are_measured():
    rows = await run(TINY, ["rules"], 1, lambda _: None)

    names = {each.name for each in rows}
    assert names >= {f"rules {each}" for each in ("standard", "folk", "rank_lock", "ascending", "cheater", "251 decks")}
    assert all(each.median > 0 for each in rows)
