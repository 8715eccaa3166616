"""What a plan makes of a trial: how long, how large, how sure; and the trial itself."""

import os
from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest

from arena.errors import OptionsError
from arena.hosting.amendments import amended_field
from arena.hosting.league_file import LeagueFile, read_league
from arena.hosting.plan import Plan, planned
from arena.hosting.trial import Trial, tried
from tests.hosting.leagues import write_league

BUSY = Trial(
    games=100, nodes=2, wall_s=20.0, work_s=0.36, waited_s=0.1, game_s=9.6, decisions=150.0,
    bot_bytes=50e6, node_bytes=80e6, disk_bytes=10_000.0, spread=0.4,
    plain_spread=0.3,
)  # fmt: skip
"""Processors were what it took: 0.36 s of two of them a game."""


@pytest.fixture
def file(tmp_path: Path) -> LeagueFile:
    return read_league(write_league(tmp_path, bots=8, games=400, seats=4))


def plan_of(file: LeagueFile, trial: Trial, cores: int = 2, processes: int = 100) -> Plan:
    return planned(file, amended_field(file, (), bytes(32)), trial, cores, processes)


def test_more_cores_play_as_many_times_more_games_of_bots_that_do_not_wait(file):
    two, sixteen = plan_of(file, BUSY), plan_of(file, BUSY, cores=16)

    assert two.rate == pytest.approx(2 * 0.9 / 0.36)
    assert sixteen.rate == pytest.approx(8 * two.rate)
    assert not two.is_held_up
    assert two.seconds == pytest.approx(400 / two.rate)


def test_bots_that_think_set_the_pace_by_how_many_tables_there_are_at_once(file):
    """A game of 60 s with 64 tables at a node; processors do almost nothing."""
    plan = plan_of(file, replace(BUSY, work_s=0.01, waited_s=0.0, game_s=60.0))

    assert plan.is_held_up
    assert plan.rate == pytest.approx(2 * 64 / 60)


def test_a_machine_that_is_busy_otherwise_is_not_taken_for_bots_that_think(file):
    """The trial had a small part of the cores, but its processes waited for them."""
    plan = plan_of(file, replace(BUSY, games=20, waited_s=2.0, game_s=48.0))

    assert not plan.is_held_up
    assert plan.rate == pytest.approx(2 * 0.9 / 0.36)


def test_it_says_how_sure_a_score_will_be_and_what_it_takes(file):
    plan = plan_of(file, BUSY, processes=10)

    assert plan.half_width == pytest.approx(1.96 * 0.4 / sqrt(400 * 4 / 8))
    assert plan.plain_half_width == pytest.approx(1.96 * 0.3 / sqrt(400 * 4 / 8))
    assert plan.processes == 10
    assert plan.memory_bytes == pytest.approx(10 * 50e6 + 2 * 80e6)
    assert plan.disk_bytes == pytest.approx(400 * 10_000)


def test_a_budget_is_turned_into_games_and_a_format_is_proposed(file):
    plan = plan_of(replace(file, format="", settings={}, budget_s=3600.0), BUSY)

    assert plan.reason
    assert plan.games is not None
    assert plan.seconds == pytest.approx(3600, rel=0.05)


def test_a_budget_that_is_too_small_is_refused(file):
    with pytest.raises(OptionsError, match="budget"):
        plan_of(replace(file, format="round-robin", settings={}, budget_s=1.0), BUSY)


@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
async def test_a_trial_measures_games_of_these_bots_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    file = read_league(write_league(tmp_path / "bots", bots=4, games=4, seats=4, think=0.005))

    trial = await tried(file, 1, 8, most_s=3.0)

    assert trial.games >= 4
    assert 4 < trial.decisions < 1000
    assert trial.game_s > 0.1
    assert trial.disk_bytes > 500
    assert trial.bot_bytes > 1e6
    assert 0 < trial.plain_spread < 1
    assert [path.name for path in tmp_path.iterdir()] == ["bots"]
