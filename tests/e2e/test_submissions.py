"""Bots that owners submit: from a folder to rated games in a pool, another version, roll back, and broken versions."""

import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.test_join_and_play import author_environment, run_command
from tests.e2e.test_pools import query, wait_until
from tests.support.boxes import skip_without_boxes
from tests.support.commands import CommandProcess, start_command

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="boxes are there on Linux alone"),
    pytest.mark.timeout(1200),  # it waits for builds, checks and games
]

SETTINGS = """
[submissions]
enabled = true
check_steps = ["standard", "lost-answer", "stop"]

[[pools]]
name = "quick"
house_bots = ["sample:honest", "sample:counter"]
seats = 3
rules = {max_turns = 12}
pace_settings = {turn_ms = 8000, call_ms = 3000, fixed_window = false}
"""
PATIENCE_S = 400.0
SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"


@dataclass
class Site:
    """A running server that takes submissions, and an owner who has joined it."""

    server: CommandProcess
    address: str
    data: Path
    folder: Path
    owner: dict[str, str]

    def write_bot(self, name: str, version: str, code: str = "", **keys: object) -> Path:
        """Write a package; without `code`, a sample that plays Cheat. It may take a minute to start."""
        folder = self.folder / f"{name}-{version}"
        folder.mkdir()
        shutil.copy(SAMPLES / "honest" / "bot.py", folder)
        if code:
            (folder / "bot.py").write_text(code)
        values = {"name": name, "version": version, "pools": ["quick"], "games": ["cheat"], "start_time_s": 60, **keys}
        (folder / "bot.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items()))
        return folder

    def submit(self, folder: Path, code: int = 0, time_s: float = PATIENCE_S) -> str:
        """Hand a package in, wait for the outcome, and return what the command says."""
        return run_command(
            "submit", folder, "--to", self.address, environment=self.owner, code=code, time_s=time_s, shows_all=True
        )

    def seats_of(self, bot: str, version: str) -> int:
        """Return how many seats of ended games a version had."""
        found = query(
            self.data,
            "select count(*) from pool_seat join match using (match_id)"
            f" where bot = '{bot}' and version = '{version}' and match.state = 'ended'",
        )
        return int(found[0][0])

    def has_retired(self, bot: str, version: str) -> bool:
        """Return whether a version that was replaced has ended, after it played all its matches to the end."""
        tokens = f"select 1 from token where name = '{bot}' and version = '{version}' and revoked_at is null"
        matches = query(
            self.data,
            "select distinct match.state from pool_seat join match using (match_id)"
            f" where bot = '{bot}' and version = '{version}'",
        )
        return not query(self.data, tokens) and matches == [("ended",)]

    def has_played(self, bot: str, games: int) -> bool:
        """Return whether version 1 of a bot had so many seats of ended games."""
        return self.seats_of(bot, "1") >= games


@pytest.fixture
def site(tmp_path) -> Iterator[Site]:
    skip_without_boxes()
    with open_site(tmp_path) as opened:
        yield opened


@contextmanager
def open_site(tmp_path: Path, settings: str = SETTINGS, *more: object) -> Iterator[Site]:
    """Start a server, with `more` options, and let an owner join it."""
    data, config = tmp_path / "data", tmp_path / "arena.toml"
    config.write_text(settings)
    with start_command("serve", "--config", config, "--data", data, *more) as server:
        address = server.wait_for_line("READY", PATIENCE_S).split()[1]
        owner = author_environment(tmp_path / "ann")
        code = run_command("invite", "create", "--bots", 9, "--data", data, environment=owner).strip()
        run_command("join", address, code, "--owner", "ann", "--bot", "ann-first", environment=owner)
        yield Site(server, address, data, tmp_path, owner)
        server.signal(signal.SIGTERM)
        assert server.wait_for_exit() == 0


@pytest.mark.slow
def test_bot_is_submitted_replaced_and_rolled_back(site: Site):
    told = site.submit(site.write_bot("ann-bot", "1"))
    assert "active" in told
    wait_until(lambda: site.seats_of("ann-bot", "1"), PATIENCE_S)

    site.submit(site.write_bot("ann-bot", "2"))
    wait_until(lambda: site.seats_of("ann-bot", "2"), PATIENCE_S)
    wait_until(lambda: site.has_retired("ann-bot", "1"), PATIENCE_S)

    broken = site.submit(site.write_bot("ann-bot", "3", code="raise SystemExit('no cards left')"), code=1)
    assert "no cards left" in broken
    assert site.seats_of("ann-bot", "3") == 0
    warnings = ("a process of the server has ended", "seats could not be given up")
    assert not [line for line in [*site.server.out, *site.server.err] if any(each in line for each in warnings)]

    before = site.seats_of("ann-bot", "1")
    run_command("submission", "roll-back", "ann-bot", environment=site.owner)
    wait_until(lambda: site.seats_of("ann-bot", "1") > before, PATIENCE_S)
    assert query(site.data, "select distinct version from pool_seat where bot = 'ann-bot' order by 1") == [
        ("1",),
        ("2",),
    ]
    states = dict(query(site.data, "select version, state from submission"))
    assert states == {"1": "active", "2": "inactive", "3": "refused"}


@pytest.mark.slow
@pytest.mark.long
def test_ban_ends_a_submitted_bot_while_the_server_runs_and_unban_lets_it_play_again(site: Site):
    site.submit(site.write_bot("ann-bot", "1"))
    wait_until(lambda: site.seats_of("ann-bot", "1"), PATIENCE_S)

    run_command("owner", "ban", "ann", "--because", "it scans", "--data", site.data, environment=site.owner)
    wait_until(lambda: query(site.data, "select 1 from submission_step where step = 'active' and ended_at is not null"))
    assert query(site.data, "select 1 from token where version is not null and revoked_at is null") == []
    refused = site.submit(site.write_bot("ann-bot", "2"), code=64)
    assert "'ann' is banned from this server: it scans" in refused
    seats = "select 1 from pool_seat join pool_match using (match_id), owner_ban"
    assert query(site.data, f"{seats} where bot = 'ann-bot' and at > banned_at + 2") == []

    before = site.seats_of("ann-bot", "1")
    run_command("owner", "unban", "ann", "--data", site.data, environment=site.owner)
    wait_until(lambda: site.seats_of("ann-bot", "1") > before, PATIENCE_S)
