"""The league of a week in docs/leagues.md is one that can be sealed."""

import re
from datetime import UTC, datetime
from inspect import signature
from pathlib import Path

import pytest

from arena.cli.league import plan as plan_command
from arena.cli.league.commands import run_league
from arena.cli.league.plan import plan_date_lines
from arena.organizer.file.league_dates import assign_rounds, check_dates_ahead
from arena.organizer.file.league_format import choose_format
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.seal.ledger_entries import amended_field

GUIDE = Path(__file__).parents[2] / "docs" / "leagues.md"


def write_example(folder: Path) -> Path:
    _, _, section = GUIDE.read_text(encoding="utf-8").partition("## A league of a week with remote bots")
    code = re.search(r"```toml\n(.*?)```", section, re.DOTALL)
    assert code is not None
    file = folder / "week.toml"
    file.write_text(code[1])
    return file


def test_example_has_as_many_rounds_on_each_date_as_it_says(tmp_path):
    file = read_league_file(write_example(tmp_path))
    field = amended_field(file, (), bytes(32))
    league_format, _ = choose_format(file, field, None)
    dates = assign_rounds(file.dates, league_format, field)

    check_dates_ahead(dates, datetime(2026, 12, 1, tzinfo=UTC).timestamp())
    assert [date.last - date.first + 1 for date in dates] == [9] * 5
    lines = plan_date_lines(dates, league_format, field)
    assert lines[0] == (
        "dates       rounds 1 to 9: 2026-12-07 17:00 UTC to 2026-12-07 21:00 UTC; 18 games, about 9 for each entrant"
    )
    assert len(lines) == 5


async def test_plan_of_bots_that_dial_in_waits_for_nobody(tmp_path, capsys, monkeypatch):
    """A trial could not be played before the bots' dates."""
    monkeypatch.setattr(plan_command, "run_trial", None)
    monkeypatch.setattr(plan_command, "check_dates_ahead", lambda dates, now: None)

    await plan_command.show_plan(write_example(tmp_path), None, None, is_json=False)

    assert capsys.readouterr().out.count("about 9 for each entrant") == 5


@pytest.mark.parametrize("option", ["listen", "public-address", "tls-cert", "tls-key", "plaintext-behind-proxy"])
def test_guide_names_options_that_the_command_has(option):
    assert option.replace("-", "_") in signature(run_league).parameters
    assert f"--{option}" in GUIDE.read_text(encoding="utf-8")
