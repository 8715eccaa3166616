"""How long a league is: what its file says about it, and which format follows."""

from pathlib import Path
from typing import Any

import pytest

from arena.competition.formats import Ladder, RoundRobin, Season, Swiss, WithPlayOff
from arena.competition.league.field import Entry, Field
from arena.competition.league.model import Entrant
from arena.errors import OptionsError
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_format import build_format, check_format, choose_format, format_settings, needs_trial
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.plan.league_plan import make_league_plan
from arena.organizer.plan.trial_result import TrialResult
from arena.organizer.seal.ledger_entries import amended_field
from tests.organizer.leagues import tried_designs, write_league


def league(folder: Path, bots: int = 8, **settings: Any) -> LeagueFile:
    return read_league_file(write_league(folder, bots, **settings))


FIELD = Field(tuple(Entry(Entrant(f"bot{number}")) for number in range(8)), 3, b"seed")


def form_at(file: LeagueFile, rate: float | None = None) -> Any:
    return choose_format(file, amended_field(file, (), bytes(32)), rate)[0]


def refused_fields(folder: Path, **settings: Any) -> dict[str, str]:
    """Return the refusals by key."""
    with pytest.raises(OptionsError) as error:
        league(folder, **settings)
    return {fault.field: fault.allowed for fault in error.value.faults}


def test_play_off_wraps_the_format(tmp_path):
    file = league(tmp_path, games=24, play_off=10, decided_by="rating")

    assert form_at(file) == WithPlayOff(Season(24, tables=2), 10, by_rating=True, tables=2, rounds=1)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        pytest.param({"format": "knockout"}, "names its champion in its final", id="knockout"),
        pytest.param({"format": "ladder"}, "say how many rounds", id="ladder-without-end"),
        pytest.param({"format": "ladder", "games": None, "budget": "1h"}, "say how many rounds", id="ladder-by-hours"),
    ],
)
def test_format_without_possible_play_off_says_why(tmp_path, settings, reason):
    assert reason in refused_fields(tmp_path, play_off=10, **settings)["play_off"]


def test_play_off_of_proposed_format_is_refused(tmp_path):
    assert "say of which format" in refused_fields(tmp_path, format=None, play_off=10)["format"]


def test_every_format_error_is_reported_at_once(tmp_path):
    assert set(refused_fields(tmp_path, format="knockout", play_off=10, rounds=3)) == {"play_off", "rounds"}


@pytest.mark.parametrize(
    "settings",
    [
        {"games": 24, "play_off": 10},
        {"games": 240},
        {"format": "swiss", "games": 2, "rounds": 3, "play_off": 10},
        {"format": "ladder", "games": 2, "budget": "90m"},
    ],
    ids=str,
)
def test_sealed_format_can_be_rebuilt(tmp_path, settings):
    form = form_at(league(tmp_path, **settings))

    assert build_format(form.name, format_settings(form)) == form


def test_budget_leaves_room_for_play_off(tmp_path):
    file = league(tmp_path, games=None, budget="100s", play_off=30)

    assert needs_trial(file)
    assert form_at(file, rate=1.0) == WithPlayOff(Season(70, tables=2), 30, by_rating=False, tables=2, rounds=3)


def test_games_per_table_do_not_determine_swiss_length(tmp_path):
    """Eight at tables of three: two tables, two games each, so four games a round."""
    file = league(tmp_path, format="swiss", games=2, budget="100s")

    assert form_at(file, rate=0.2) == Swiss(5, games=2, tables=2)


def test_timed_ladder_needs_no_trial_and_lasts_its_hours(tmp_path):
    file = league(tmp_path, format="ladder", games=2, budget="8h")

    assert not needs_trial(file)
    assert form_at(file) == Ladder(games=2, tables=2, budget_s=8 * 3600)


@pytest.mark.parametrize(("settings", "rate"), [({"games": 200}, None), ({"games": None, "budget": "200s"}, 1.0)])
def test_file_without_format_still_sets_tables_per_block(tmp_path, settings, rate):
    file = league(tmp_path, format=None, tables=1, **settings)

    assert form_at(file, rate).tables == 1


def test_long_budget_yields_longest_allowed_round_robin(tmp_path):
    """Eight at tables of three make 56 sets and 168 games a pass; the limit is 5 000 games."""
    file = league(tmp_path, format="round-robin", games=None, budget="8h", play_off=0)

    form = form_at(file, rate=1.0)

    assert form == RoundRobin(29, tables=2)


@pytest.mark.parametrize(
    ("settings", "games", "rounds"),
    [
        pytest.param({"games": 400}, 100, 5, id="a quarter of the games, on top of them"),
        pytest.param({"games": 100}, 25, 3, id="at least eight games a round"),
        pytest.param({"format": None, "games": 200}, 42, 5, id="proposed: a round robin of 168 games"),
        pytest.param({"format": "swiss", "games": 20, "rounds": 5}, 50, 5, id="swiss"),
        pytest.param({"format": "ladder", "games": 20, "rounds": 10}, 100, 5, id="ladder with rounds"),
    ],
)
def test_long_league_has_a_play_off_by_default(tmp_path, settings, games, rounds):
    form = form_at(league(tmp_path, **settings))

    assert isinstance(form, WithPlayOff)
    assert (form.games, form.rounds) == (games, rounds)


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"games": 99}, id="short"),
        pytest.param({"games": 400, "play_off": 0}, id="turned off"),
        pytest.param({"format": None, "games": 400, "play_off": 0}, id="turned off, proposed format"),
        pytest.param({"format": "knockout", "games": 100}, id="knockout"),
        pytest.param({"format": "ladder", "games": 100}, id="ladder without end"),
        pytest.param({"format": "gauntlet", "games": 400, "challenger": "bot0", "tables": None}, id="gauntlet"),
    ],
)
def test_league_without_play_off(tmp_path, settings):
    assert form_at(league(tmp_path, **settings)).size(FIELD).play_off == 0


def test_budget_includes_the_default_play_off(tmp_path):
    form = form_at(league(tmp_path, games=None, budget="1000s"), rate=1.0)
    short = form_at(league(tmp_path / "short", games=None, budget="90s"), rate=1.0)

    assert form == WithPlayOff(Season(800, tables=2), 200, by_rating=False, tables=2, rounds=5)
    assert short == Season(90, tables=2)


def test_budget_for_one_pass_of_a_round_robin_is_not_spent_on_a_play_off(tmp_path):
    """One pass has 168 games."""
    form = form_at(league(tmp_path, format="round-robin", games=None, budget="180s"), rate=1.0)

    assert form == RoundRobin(1, tables=2)


def test_play_off_sealed_before_it_had_rounds_keeps_its_rule():
    form = build_format("season", {"games": 400, "play_off": 40})

    assert isinstance(form, WithPlayOff)
    assert form.rounds is None
    assert build_format("season", {"games": 400}) == Season(400)


def test_round_robin_too_long_in_one_pass_is_refused(tmp_path):
    """Fifteen at tables of four make 1 365 sets and 5 460 games."""
    file = league(tmp_path, 15, format="round-robin", games=None, budget="8h", seats=4)
    field = amended_field(file, (), bytes(32))

    with pytest.raises(OptionsError, match="must be at most 5000 games"):
        check_format(form_at(file, rate=1.0), field)


def test_rounds_and_hours_together_are_refused(tmp_path):
    assert set(refused_fields(tmp_path, format="ladder", games=None, rounds=3, budget="8h")) == {"budget"}


TRIAL = TrialResult(
    games=48, nodes=2, wall_s=24, work_s=0.9, node_s=0.2, is_crowded=True, is_disturbed=False, tables=24.0, bots=8,
    decisions=100, bot_bytes=1e6, node_bytes=1e7, disk_bytes=1e4,
    designs=tried_designs(one_table=0.3, several=0.4),
)  # fmt: skip
"""With it two cores play 2 * 0.9 / 0.9 = 2 games a second."""


def test_plan_of_timed_ladder_uses_its_hours(tmp_path):
    file = league(tmp_path, format="ladder", games=2, budget="1h")

    plan = make_league_plan(file, amended_field(file, (), bytes(32)), TRIAL, cores=2, processes=16)

    assert (plan.games, plan.budget_s) == (7200, 3600)
    assert plan.seconds == pytest.approx(3600)


def test_league_plan_mentions_its_play_off(tmp_path):
    file = league(tmp_path, games=24, play_off=10)

    plan = make_league_plan(file, amended_field(file, (), bytes(32)), TRIAL, cores=2, processes=16)

    assert (plan.games, plan.play_off) == (24, 10)
    assert plan.seconds == pytest.approx(34 / 2)
