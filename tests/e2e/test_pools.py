"""A server with pools: bots dial in and are seated, house bots fill tables, and a kill loses and doubles nothing."""

import json
import os
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.e2e.test_join_and_play import BOT, author_environment, run_command, running_bot
from tests.support.commands import run_arena, start_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are otherwise there")

SETTINGS = """
[[pools]]
name = "quick"
house_bots = ["sample:honest", "sample:counter"]
seats = 3
rules = {max_turns = 12}
pace_settings = {turn_ms = 4000, call_ms = 120}
"""


def query(data: Path, sql: str) -> list[Any]:
    """Return the rows of a query on the store of a running server."""
    with closing(sqlite3.connect(f"file:{data / 'arena.db'}?mode=ro", uri=True, timeout=10)) as connection:
        return connection.execute(sql).fetchall()


def wait_until(what: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Return what a function returns, as soon as that is true."""
    until = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < until, what
        time.sleep(0.1)
    return found


def ended_matches(data: Path) -> list[Any]:
    """Return match, season and rated of each match of a pool that has ended."""
    return query(
        data,
        "select pool_match.match_id, season, pool_match.rated from pool_match join match using (match_id)"
        " where match.state = 'ended'",
    )


def bots_by_match(data: Path) -> dict[str, set[str]]:
    """Return the bots of each match of a pool, oldest match first."""
    bots: dict[str, set[str]] = {}
    for match_id, bot in query(data, "select match_id, bot from pool_seat order by match_id, entrant"):
        bots.setdefault(match_id, set()).add(bot)
    return bots


def processes_of(data: Path) -> dict[str, psutil.Process]:
    """Return the processes that a server runs beside itself for this data folder: `ratings` and `web`."""
    found = {}
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or ()
        if str(data) in words and "serve" not in words:
            found["web" if "web" in words else "ratings"] = process
    return found


class Authors:
    """Owners who have joined a server, each with a bot of the 20 lines of the README."""

    def __init__(self, tmp_path: Path, data: Path, address: str, capsys: pytest.CaptureFixture[str]) -> None:
        self._place = tmp_path, data, address
        self._capsys = capsys
        self.program = tmp_path / "bot.py"
        self.program.write_text(BOT)

    def join(self, owner: str) -> dict[str, str]:
        """Let an owner join with one bot, and return the environment of its program."""
        tmp_path, data, address = self._place
        code = run_arena(self._capsys, "invite", "create", "--data", data).out.strip()
        environment = author_environment(tmp_path / owner, CHEATARENA_POOLS="quick")
        run_command("join", address, code, "--owner", owner, "--bot", f"{owner}-bot", environment=environment)
        return environment


@pytest.mark.slow
def test_bot_that_dials_in_has_rated_games_against_house_bots_and_then_against_other_bots(tmp_path, capsys):
    data, settings = tmp_path / "data", tmp_path / "arena.toml"
    settings.write_text(SETTINGS)
    with start_command("serve", "--config", settings, "--data", data, "--web", 0) as server, ExitStack() as bots:
        address = server.wait_for_line("READY", 60).split()[1]
        site = server.wait_for_line("WEB", 60).split()[1]
        authors = Authors(tmp_path, data, address, capsys)
        ann = authors.join("ann")
        wait_until(lambda: len([line for line in server.out + server.err if "session opened" in line]) >= 2)

        dialled = time.time()
        bots.enter_context(running_bot(authors.program, ann))
        (first, *_) = wait_until(lambda: query(data, "select match_id, at, rated, season from pool_match"))
        assert first[2:] == (1, 1)
        assert first[1] - dialled < 5 + 2, "the program has to start too"
        assert bots_by_match(data)[first[0]] == {"ann-bot", "house-honest", "house-counter"}

        others = [authors.join("bob"), authors.join("cyd")]
        for environment in others:
            bots.enter_context(running_bot(authors.program, environment))
        authors_only = {"ann-bot", "bob-bot", "cyd-bot"}
        wait_until(lambda: authors_only in bots_by_match(data).values())
        rated = wait_until(
            lambda: query(data, "select bot, games from pool_rating where bot = 'ann-bot' and games > 0"), 90
        )
        assert rated[0][0] == "ann-bot"
        code = json.loads(run_command("login", "--json", environment=ann))["code"]
        with httpx.Client(base_url=site) as browser:
            assert browser.post("/login", data={"code": code}, headers={"Origin": site}).status_code == 303
            own = browser.get("/me/bots/ann-bot.json").json()
            public = browser.get("/pools/quick.json").json()
        assert first[0] in {each["match"]["match_id"] for each in own["matches"]}, "its owner sees it on the page"
        assert "ann-bot" in {each["bot"] for each in public["standings"]}
        server.signal(signal.SIGTERM)
        assert server.wait_for_exit() == 0


@pytest.mark.slow
def test_kill_in_mid_season_doubles_nothing_and_seats_go_on(tmp_path, capsys):
    data, settings = tmp_path / "data", tmp_path / "arena.toml"
    settings.write_text(SETTINGS)
    with ExitStack() as bots:
        with start_command("serve", "--config", settings, "--data", data, "--port", 0, "--web", 0) as server:
            address = server.wait_for_line("READY", 60).split()[1]
            authors = Authors(tmp_path, data, address, capsys)
            for owner in ("ann", "bob", "cyd"):
                bots.enter_context(running_bot(authors.program, authors.join(owner)))
            wait_until(lambda: len(ended_matches(data)) >= 2)
            server.wait_for_line("WEB", 60)
            for killed in processes_of(data).values():
                killed.kill()
            wait_until(lambda: {"web", "ratings"} <= processes_of(data).keys())
            server.wait_for_line("WEB", 60, count=2)
            server.signal(signal.SIGKILL)
            server.wait_for_exit()
        wait_until(lambda: not processes_of(data))
        before = ended_matches(data)
        made = set(bots_by_match(data))

        port = address.rpartition(":")[2]
        with start_command("serve", "--config", settings, "--data", data, "--port", port) as server:
            server.wait_for_line("READY", 60)
            wait_until(lambda: len(ended_matches(data)) >= len(before) + 3)
            wait_until(lambda: set(bots_by_match(data)) - made)
            wait_until(lambda: query(data, "select 1 from pool_rating where games > 2"))
            server.signal(signal.SIGTERM)
            assert server.wait_for_exit() == 0

    ended = ended_matches(data)
    assert set(before) <= set(ended)
    assert {season for _, season, _ in ended} == {1}, "the season goes on"
    games = Counter(query(data, "select match_id, game from game"))
    assert set(games.values()) == {1}
    seats = Counter(match_id for (match_id,) in query(data, "select match_id from pool_seat"))
    assert set(seats.values()) == {3}
    stored = {match_id for (match_id,) in query(data, "select match_id from match")}
    assert stored <= set(seats), "no match of the pool lacks its seating"


@pytest.mark.slow
@pytest.mark.long
def test_house_bots_play_the_last_matches_of_a_server_to_their_end(tmp_path, capsys):
    data, settings = tmp_path / "data", tmp_path / "arena.toml"
    settings.write_text(SETTINGS.replace("max_turns = 12", "max_turns = 30"))
    with start_command("serve", "--config", settings, "--data", data, "--grace", 60) as server, ExitStack() as bots:
        authors = Authors(tmp_path, data, server.wait_for_line("READY", 60).split()[1], capsys)
        bots.enter_context(running_bot(authors.program, authors.join("ann")))
        wait_until(lambda: query(data, "select match_id from match where state = 'running'"))
        server.signal(signal.SIGTERM)
        assert server.wait_for_exit() == 0
    ((termination, strikes),) = query(data, "select termination, strikes from match")
    assert termination == "finished"
    assert '"gone":1' not in strikes


@pytest.mark.slow
def test_house_bot_that_cannot_start_is_named_with_the_reason(tmp_path, capsys):
    """An owner of an older store has its name, so the server cannot make a token for it."""
    data, config = tmp_path / "data", tmp_path / "arena.toml"
    config.write_text(SETTINGS)
    assert run_arena(capsys, "owner", "add", "ann", "--data", str(data)).code == 0
    with closing(sqlite3.connect(data / "arena.db")) as store:
        store.execute("insert into bot values ('house-honest', 'ann', 'househonest', 0.0, '{}')")
        store.commit()

    def faults() -> str:
        top = run_arena(capsys, "top", "--data", str(data), "--json").json
        (pool,) = top["pools"]
        return "\n".join(pool["house_faults"])

    with start_command("serve", "--config", config, "--data", data, "--port", 0) as server:
        server.wait_for_line("READY", 60)
        found = wait_until(faults)

    assert found.startswith("house-honest: ")
    assert "it is the name of an owner" in found
