"""Leagues with dates on the command line: sealed, changed, extended, and refused in a sentence."""

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.cli.exit_codes import ExitCode
from arena.organizer.file.league_dates import format_utc
from tests.support.commands import CommandResult, run_arena

HOUR = 3600.0
LEAGUE = """\
name = "week"
format = "season"
games = 4
seats = 2
preset = "standard"
dates = [{{ opens = {opens}, closes = {closes} }}]
entrants = [{{ bot = "remote:ann" }}, {{ bot = "remote:bob" }}]
"""


def moment(seconds: float) -> str:
    return datetime.fromtimestamp(round(seconds), UTC).isoformat()


@pytest.fixture
def now() -> float:
    return round(time.time())


def write_week(folder: Path, opens: float, closes: float) -> Path:
    file = folder / "week.toml"
    file.write_text(LEAGUE.format(opens=moment(opens), closes=moment(closes)))
    return file


@pytest.fixture
def week(tmp_path, now, capsys) -> Path:
    """A league that is sealed and opens in an hour."""
    file = write_week(tmp_path, now + HOUR, now + 2 * HOUR)
    assert run_arena(capsys, "league", "seal", file, "--data", tmp_path / "data").code == 0
    return file


def amend(capsys: pytest.CaptureFixture[str], file: Path, *arguments: str) -> CommandResult:
    data = file.parent / "data"
    return run_arena(capsys, "league", "amend", file, *arguments, "--reason", "the line was down", "--data", data)


def status(capsys: pytest.CaptureFixture[str], file: Path) -> CommandResult:
    return run_arena(capsys, "league", "status", file, "--data", file.parent / "data", "--json")


def test_sealed_league_shows_its_dates(capsys, week: Path, now):
    (date,) = status(capsys, week).json["dates"]

    assert (date["opens"], date["closes"], date["state"]) == (now + HOUR, now + 2 * HOUR, "to come")
    assert date["entrants"] == [{"name": name, "games": 4, "played": 0, "forfeited": 0} for name in ("ann", "bob")]


def test_round_is_extended(capsys, week: Path, now, tmp_path):
    amended = amend(capsys, week, "extend", "2", "--until", moment(now + 5 * HOUR))

    assert amended.code == 0, amended.err
    assert status(capsys, week).json["dates"][0]["closes"] == now + 5 * HOUR
    page = run_arena(capsys, "league", "report", week, "--data", tmp_path / "data", "--out", tmp_path / "report")
    assert f"extend round 2 until {format_utc(now + 5 * HOUR)[:16]}" in Path(page.out.strip()).read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("extend", "2"), "say when the round closes instead"),
        (("extend", "9", "--until", "2099-01-01T00:00Z"), "unknown round with a date '9'"),
        (("extend", "2", "--until", "tomorrow"), "a date and time with its offset"),
        (("extend", "2", "--until", "2001-01-01T00:00Z"), "can only be extended"),
        (("extend", "2", "--until", "2099-01-01T00:00Z"), "is the year right?"),
    ],
)
def test_wrong_extension_is_refused_in_a_sentence(capsys, week: Path, arguments, sentence):
    refused = amend(capsys, week, *arguments)

    assert refused.code == ExitCode.USAGE
    assert sentence in refused.err
    assert "Traceback" not in refused.err


def test_dates_that_changed_after_the_seal_are_refused(capsys, week: Path, now, tmp_path):
    write_week(tmp_path, now + HOUR, now + 3 * HOUR)

    refused = run_arena(capsys, "league", "run", week, "--data", tmp_path / "data", "--port", 7)

    assert refused.code == ExitCode.USAGE
    assert "dates was" in refused.err
    assert "datetime" not in refused.err
    assert status(capsys, week).json["dates"][0]["closes"] == now + 2 * HOUR, "as sealed"


def test_passed_date_is_neither_planned_nor_sealed(capsys, tmp_path, now):
    file = write_week(tmp_path, now - 2 * HOUR, now - HOUR)

    for command in (("plan", file), ("seal", file, "--data", tmp_path / "data")):
        refused = run_arena(capsys, "league", *command)
        assert refused.code == ExitCode.USAGE
        assert "it has passed already: is the year right?" in refused.err


def test_address_that_would_change_is_refused(capsys, week: Path, tmp_path):
    refused = run_arena(capsys, "league", "run", week, "--data", tmp_path / "data")

    assert refused.code == ExitCode.USAGE
    assert "an address that stays" in refused.err
