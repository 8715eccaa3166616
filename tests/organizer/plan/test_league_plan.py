"""What a plan derives from a trial: length, size and precision; and the trial itself."""

import asyncio
import os
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from arena.cli.league import plan as league_plan
from arena.cli.league.plan import plan_lines
from arena.errors import BotStartError, OptionError, OptionsError
from arena.organizer.file.league_dates import WrittenDate
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.plan.designs import Scoring, TriedDesigns
from arena.organizer.plan.league_plan import Bottleneck, LeaguePlan, make_league_plan
from arena.organizer.plan.run_trial import league_file_for_trial, run_trial
from arena.organizer.plan.trial_result import TrialResult
from arena.organizer.seal.ledger_entries import amended_field
from tests.organizer.leagues import tried_designs, write_league

BUSY = TrialResult(
    games=100, nodes=2, wall_s=20.0, work_s=0.36, node_s=0.05, is_crowded=True, is_disturbed=False, tables=24.0, bots=8,
    decisions=150.0,
    bot_bytes=50e6, node_bytes=80e6, disk_bytes=10_000.0,
    designs=tried_designs(one_table=0.3, several=0.4, plain=0.35),
)  # fmt: skip
"""Processors were what it took: 0.36 s of two of them a game."""


@pytest.fixture
def file(tmp_path: Path) -> LeagueFile:
    return read_league_file(write_league(tmp_path, bots=8, games=400, seats=4, play_off=0))


def plan_of(file: LeagueFile, trial: TrialResult, cores: int = 2, processes: int = 100) -> LeaguePlan:
    return make_league_plan(file, amended_field(file, (), bytes(32)), trial, cores, processes)


def test_games_scale_with_cores_for_bots_that_do_not_wait(file: LeagueFile):
    two, sixteen = plan_of(file, BUSY), plan_of(file, BUSY, cores=16)

    assert two.rate == pytest.approx(2 * 0.9 / 0.36)
    assert sixteen.rate == pytest.approx(8 * two.rate)
    assert two.limit is Bottleneck.PROCESSORS
    assert two.seconds == pytest.approx(400 / two.rate)


IDLE = replace(BUSY, work_s=0.01, node_s=0.001, is_crowded=False)
"""100 games in 20 s on two nodes; processors do almost nothing."""


def test_thinking_bots_play_at_trial_speed_on_each_node(file: LeagueFile):
    assert plan_of(file, IDLE).limit is Bottleneck.BOTS
    assert plan_of(file, IDLE).rate == pytest.approx(100 / 20)
    assert plan_of(file, IDLE, cores=16, processes=128).rate == pytest.approx(8 * 100 / 20)


def test_more_thinking_bots_play_at_more_tables_up_to_node_limit(file: LeagueFile):
    """If half of them were in the trial, there are twice its tables, and never more than 64."""
    assert plan_of(file, replace(IDLE, bots=4)).rate == pytest.approx(2 * 100 / 20)
    assert plan_of(file, replace(IDLE, bots=1)).rate == pytest.approx(64 / 24 * 100 / 20)


def test_enough_nodes_are_planned_to_seat_every_bot(file: LeagueFile):
    assert plan_of(file, BUSY, cores=16, processes=40).nodes == 5
    assert plan_of(file, BUSY, cores=16, processes=8).nodes == 1
    with pytest.raises(OptionError, match="a block of this league may need 8"):
        plan_of(file, BUSY, processes=7)


def test_three_tables_form_one_block_and_need_all_their_bots(tmp_path):
    file = read_league_file(write_league(tmp_path, bots=12, games=400, seats=4, tables=2))

    with pytest.raises(OptionError, match="a block of this league may need 12"):
        plan_of(file, BUSY, processes=8)


@pytest.mark.parametrize(("bots", "seats", "tried_count"), [(17, 5, 17), (20, 10, 20), (24, 8, 24), (60, 4, 15)])
def test_trial_bots_fill_two_tables(tmp_path, bots, seats, tried_count):
    file = read_league_file(write_league(tmp_path, bots=bots, games=400, seats=seats))

    assert len(league_file_for_trial(file, 100).bots) == tried_count


def test_too_few_nodes_limit_the_pace(file: LeagueFile):
    """Five nodes do what they can, even with 16 cores."""
    assert plan_of(file, BUSY, cores=16, processes=16).rate == pytest.approx(2 * 0.9 / 0.05)
    plan = plan_of(file, BUSY, cores=16, processes=8)
    assert plan.limit is Bottleneck.NODES
    assert plan.rate == pytest.approx(0.9 / 0.05)
    assert any("a larger --max-bot-processes" in line for line in plan_lines(plan, BUSY))


def test_plan_for_busy_machine_promises_no_more_than_observed(file: LeagueFile):
    """The trial had a small part of the cores, but none was idle: bots were thinking, or waiting for a core."""
    trial = replace(BUSY, games=20, is_crowded=False, is_disturbed=True)

    plan = plan_of(file, trial)

    assert plan.rate == pytest.approx(20 / 20)
    assert any("other programs kept this machine busy" in line for line in plan_lines(plan, trial))


def test_bot_uses_at_most_one_core(file: LeagueFile):
    """Eight bots with 0.31 s of work a game on 16 cores: one node uses 8 times 0.9 cores."""
    plan = plan_of(file, replace(BUSY, node_s=0.005), cores=16, processes=8)

    assert plan.limit is Bottleneck.BOTS
    assert plan.rate == pytest.approx(0.9 * 8 / 0.355)


def test_plan_states_score_precision_and_games_needed(file: LeagueFile):
    plan = plan_of(file, BUSY, processes=16)

    assert plan.half_width == pytest.approx(1.96 * 0.4 / sqrt(400 * 4 / 8), rel=1e-3)
    assert plan.design is not None
    assert plan.design.other_half_width == pytest.approx(1.96 * 0.3 / sqrt(400 * 4 / 8), rel=1e-3)
    assert (plan.processes, plan.nodes) == (16, 2)
    assert plan.memory_bytes == pytest.approx(16 * 50e6 + 2 * 80e6)
    assert plan.disk_bytes == pytest.approx(400 * 10_000)


def form_is(file: LeagueFile, **settings: Any) -> LeagueFile:
    return replace(file, format=settings.pop("format"), settings=settings)


@pytest.mark.parametrize(
    ("settings", "spread"),
    [
        ({"format": "season", "games": 400, "tables": 1}, 0.3),
        ({"format": "swiss", "rounds": 50, "tables": 1}, 0.35),
        ({"format": "swiss", "rounds": 50, "tables": 2}, 0.35),
        ({"format": "knockout", "games": 100}, 0.35),
    ],
    ids=str,
)
def test_precision_refers_to_the_points_that_count(file: LeagueFile, settings, spread):
    """A season's points are adjusted, here without others who have the same hand. Points of other formats are plain."""
    plan = plan_of(form_is(file, **settings), BUSY)

    assert plan.games is not None
    assert plan.half_width == pytest.approx(1.96 * spread / sqrt(plan.games * 4 / 8), rel=1e-3)


def design_line(file: LeagueFile, designs: TriedDesigns) -> str:
    trial = replace(BUSY, designs=designs)
    return next((line for line in plan_lines(plan_of(file, trial), trial) if line.startswith("design")), "")


@pytest.mark.parametrize(
    ("tables", "designs", "says"),
    [
        (4, tried_designs(one_table=0.3, several=0.4), "with tables = 1, as many games give ±0.042: write tables = 1"),
        (4, tried_designs(one_table=0.4, several=0.3), "with tables = 1, as many games give ±0.055: keep tables = 4"),
        (1, tried_designs(one_table=0.3, several=0.4), "with tables = 4, as many games give ±0.055: keep tables = 1"),
        (1, tried_designs(one_table=0.4, several=0.3), "with tables = 4, as many games give ±0.042: write tables = 4"),
        (4, tried_designs(one_table=0.3, several=0.3), "the trial shows no difference from tables = 4"),
        (
            4,
            tried_designs(one_table=0.3, several=0.4, blocks=19),
            "too few games to compare tables = 4",
        ),
    ],
    ids=str,
)
def test_plan_proposes_the_design_with_the_narrower_interval(file: LeagueFile, tables, designs, says):
    """1.96 * 0.3 / sqrt(200) is 0.042, and with 0.4 it is 0.055."""
    assert says in design_line(form_is(file, format="season", games=400, tables=tables), designs)


def test_difference_that_may_be_chance_is_no_proposal(file: LeagueFile):
    """Block by block, now one design is better and now the other one; in the mean one is better by a little."""
    up_and_down = [0.8, 1.3] * 20
    designs = TriedDesigns(
        {**BUSY.designs.squares, Scoring.ONE_TABLE: [1.0] * 40, Scoring.SEVERAL_TABLES: up_and_down}, 400
    )

    assert "no difference" in design_line(file, designs)


def test_league_too_short_for_several_tables_should_have_one(file: LeagueFile):
    """60 games are 30 blocks of two tables or 60 of one; 30 games only 15, too few to adjust points."""
    designs = tried_designs(one_table=0.3, several=0.3, plain=0.35)

    assert "no difference" in design_line(form_is(file, format="season", games=60, tables=4), designs)
    assert "write tables = 1" in design_line(form_is(file, format="season", games=30, tables=4), designs)


@pytest.mark.parametrize("settings", [{"format": "swiss", "rounds": 50}, {"format": "knockout", "games": 100}], ids=str)
def test_plan_compares_no_designs_if_points_are_plain(file: LeagueFile, settings):
    assert design_line(form_is(file, **settings), BUSY.designs) == ""


def test_league_with_dates_waits_for_no_second_table(file: LeagueFile):
    dated = replace(file, dates=(WrittenDate(1.0, 2.0),), settings={**file.settings, "tables": 1})

    assert plan_of(dated, BUSY).design is None
    assert league_file_for_trial(dated, 100).settings["tables"] == 1


def test_too_few_entrants_for_second_table_play_at_one(tmp_path):
    file = read_league_file(write_league(tmp_path, bots=7, games=70, seats=4))

    assert plan_of(file, BUSY).half_width == pytest.approx(1.96 * 0.3 / sqrt(70 * 4 / 7), rel=1e-3)


def test_gauntlet_is_as_precise_as_the_challengers_opponents(file: LeagueFile):
    """Each of the seven others has one of three seats in 700 games: 300 games each."""
    plan = plan_of(form_is(file, format="gauntlet", games=700, challenger="bot0"), BUSY)

    assert plan.half_width == pytest.approx(1.96 * 0.35 / sqrt(300), rel=1e-3)


def test_plan_omits_scores_where_ratings_decide(file: LeagueFile):
    plan = plan_of(replace(file, decided_by="rating"), BUSY)

    assert (plan.half_width, plan.design) == (None, None)
    assert not any(line.startswith("precision") for line in plan_lines(plan, BUSY))


def test_plan_refuses_what_a_run_refuses(file: LeagueFile):
    with pytest.raises(OptionsError, match="must be 1 or more"):
        plan_of(form_is(file, format="swiss", rounds=0), BUSY)


async def test_request_needing_no_trial_is_refused_before_one(tmp_path, monkeypatch):
    file = write_league(tmp_path, bots=15, games=None, seats=4, format="round-robin")
    monkeypatch.setattr(league_plan, "run_trial", None)

    with pytest.raises(OptionsError, match="must be at most 5000 games"):
        await league_plan.show_plan(file, None, None, is_json=True)


def with_remote(file: Path, name: str = "ann") -> LeagueFile:
    file.write_text(f'{file.read_text()}\n[[entrants]]\nbot = "remote:{name}"')
    return read_league_file(file)


def test_league_with_remote_bot_is_planned_for_its_single_node(tmp_path):
    file = with_remote(write_league(tmp_path, bots=8, games=400, seats=4))
    trial = replace(BUSY, left_out=("ann",))

    plan = plan_of(file, trial, cores=2)

    assert (plan.nodes, plan.processes) == (1, 8)
    assert any("ann is remote: it took no part in the trial" in line for line in plan_lines(plan, trial))
    assert any("windows are fixed, and in the trial they were not" in line for line in plan_lines(plan, trial))


def test_remote_bot_joins_trial_when_others_fill_no_table(tmp_path):
    file = with_remote(write_league(tmp_path, bots=3, seats=4))

    assert "ann" in league_file_for_trial(file, 100).bots


def test_budget_yields_number_of_games_and_proposed_format(file: LeagueFile):
    plan = plan_of(replace(file, format="", settings={}, budget_s=3600.0), BUSY)

    assert plan.reason
    assert plan.games is not None
    assert plan.seconds == pytest.approx(3600, rel=0.05)


def test_too_small_budget_is_refused(file: LeagueFile):
    with pytest.raises(OptionsError, match="budget"):
        plan_of(replace(file, format="round-robin", settings={}, budget_s=1.0), BUSY)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
async def test_trial_measures_games_of_these_bots_and_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    file = read_league_file(write_league(tmp_path / "bots", bots=4, games=4, seats=4, think=0.005))

    trial = await run_trial(file, 1, 8, most_s=3.0)

    assert trial.games >= 4
    assert 4 < trial.decisions < 1000
    assert trial.wall_s < 3.5
    assert trial.disk_bytes > 500
    assert trial.bot_bytes > 1e6
    assert 0 < trial.designs.spread(Scoring.PLAIN) < 1
    assert [path.name for path in tmp_path.iterdir()] == ["bots"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
async def test_trial_does_not_wait_for_remote_bot(tmp_path):
    file = with_remote(write_league(tmp_path, bots=4, games=4, seats=4))

    async with asyncio.timeout(30):
        trial = await run_trial(file, 2, 8, most_s=1.0)

    assert trial.left_out == ("ann",)
    assert trial.nodes == 2


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
async def test_trial_names_bots_that_leave(tmp_path):
    path = write_league(tmp_path, bots=4, games=4, seats=4)
    (tmp_path / "bot2.py").write_text("raise SystemExit(3)")

    with pytest.raises(BotStartError, match=r"^bot2 ended with exit code 3$"):
        await run_trial(read_league_file(path), 1, 8, most_s=3.0)


@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
async def test_trial_without_playing_bots_names_them_soon(tmp_path):
    path = write_league(tmp_path, bots=2, games=4, seats=2)
    for bot in tmp_path.glob("bot*.py"):
        bot.write_text("raise SystemExit(3)")

    async with asyncio.timeout(30):
        with pytest.raises(BotStartError, match=r"^bot\d ended with exit code 3"):
            await run_trial(read_league_file(path), 1, 8)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
@pytest.mark.long
async def test_work_of_replaced_bots_counts(tmp_path):
    file = read_league_file(write_league(tmp_path, bots=8, games=4, seats=4, tables=1))

    trial = await run_trial(file, 1, 4, most_s=4.0)

    assert trial.work_s is None or trial.work_s > trial.node_s > 0


def test_plan_names_the_default_play_off_and_how_to_turn_it_off(tmp_path):
    file = read_league_file(write_league(tmp_path, bots=8, games=400, seats=4))
    lines = plan_lines(plan_of(file, BUSY), BUSY)

    assert any("400, and up to 100 in a play-off" in line and "play_off = 0 turns it off" in line for line in lines)
