"""`arena challenge`, `pool`, `top` and `login`, on a server in another process with a pool and a house bot."""

import asyncio
import json
import os
import re
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena.cli.exit_codes import ExitCode
from cheatarena.v1 import pool_pb2
from tests.e2e.test_join_and_play import BOT, author_environment, run_command, running_bot
from tests.support.commands import ARENA, CommandProcess, CommandResult, run_arena, run_on_terminal, start_command
from tests.support.wire_bot import WireBot

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are otherwise there")

SETTINGS = """
web_url = "https://arena.example"

[[pools]]
name = "quick"
house_bots = ["sample:honest"]
house_after_s = 0.1
seats = 2
rules = {max_turns = 12}
pace_settings = {turn_ms = 4000, call_ms = 60}

[[pools]]
name = "other"
preset = "cheater"
seats = 3
house_bots = []
"""
SHORT = ("--set", "max_turns=12", "--turn-ms", "4000", "--call-ms", "200")


@dataclass
class Site:
    """A server with a house bot, and ann, who has joined it with a bot that runs."""

    server: CommandProcess
    address: str
    data: Path
    ann: Mapping[str, str]
    """The environment of ann's commands and bots, with her credentials file."""


@dataclass
class AnnsArena:
    """Runs commands as ann in this process."""

    site: Site
    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    def run(self, *arguments: object, code: ExitCode = ExitCode.YES, **environment: str) -> CommandResult:
        """Run a command, and return its end."""
        with self.monkeypatch.context() as patch:
            for name in ("CHEATARENA_TOKEN", "CHEATARENA_ADDRESS", "CHEATARENA_BOT", "ARENA_TOKEN", "ARENA_DATA"):
                patch.delenv(name, raising=False)
            for name, value in {"CHEATARENA_CREDENTIALS": str(credentials_of(self.site)), **environment}.items():
                patch.setenv(name, value)
            ended = run_arena(self.capsys, *arguments)
        assert ended.code == code, ended
        return ended

    def run_json(self, *arguments: object) -> Any:
        return self.run(*arguments, "--json").json


def credentials_of(site: Site) -> Path:
    return Path(site.ann["HOME"], ".config", "cheatarena", "credentials.json")


@pytest.fixture
def arena(site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> AnnsArena:
    return AnnsArena(site, capsys, monkeypatch)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("pools")
    data, settings, program = folder / "data", folder / "arena.toml", folder / "bot.py"
    settings.write_text(SETTINGS)
    program.write_text(BOT)
    with start_command("serve", "--config", settings, "--data", data) as server:
        address = server.wait_for_line("READY").split()[1]
        invite = [*ARENA, "invite", "create", "--data", str(data)]
        code = subprocess.run(invite, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
        ann = author_environment(folder / "ann")
        run_command("join", address, code, "--owner", "ann", "--bot", "ann-bot", environment=ann)
        with running_bot(program, ann):
            until = time.monotonic() + 60
            while len([line for line in server.out + server.err if "session opened" in line]) < 2:
                assert time.monotonic() < until, (server.out, server.err)
                time.sleep(0.05)
            yield Site(server, address, data, ann)


# ---- challenges


@pytest.mark.slow
def test_challenge_of_a_house_bot_is_played_and_told(arena: AnnsArena, site: Site):
    ended = arena.run("challenge", "house:quick", "--games", 2, *SHORT)

    match_id, *told = ended.out.splitlines()
    assert re.fullmatch(r"[0-9A-Z]{26}", match_id)
    assert match_id in told[0]
    assert any("house-honest" in line for line in told)
    assert f"replay show {match_id} --server {site.address}" in ended.err


@pytest.mark.slow
def test_result_and_id_are_json_for_programs(arena: AnnsArena, site: Site):
    match = arena.run_json("challenge", "house-honest", "--bot", "ann-bot", *SHORT)
    made = arena.run_json("challenge", "house:quick", "--no-wait", *SHORT)

    assert match["entrants"] == ["ann-bot", "house-honest"]
    assert (match["games_finished"], match["state"]) == (1, "finished")
    assert len(match["own"][0]["places"]) == 1
    assert list(made) == ["match_id"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("nobody",), "not connected: nobody"),
        (("house:nowhere",), "unknown pool 'nowhere'; known: quick, other"),
        (("house-honest", "house-honest"), "one seat"),
        (("house-honest", "--set", "nonsense=1"), "nonsense"),
        (("house-honest", "--set", "nonsense"), "expected option=value"),
        (("house-honest", "--bot", "zoe"), "zoe"),
        (("house-honest", "--instance", "other"), "not connected: ann-bot/other"),
        (("house-honest", "--pace", "quick"), "sealed, live"),
    ],
)
def test_challenge_that_cannot_be_made_is_one_line(arena: AnnsArena, site: Site, arguments: tuple[str, ...], text: str):
    ended = arena.run("challenge", *arguments, code=ExitCode.USAGE)

    assert text in ended.err
    assert len(ended.err.splitlines()) == 1


def test_token_from_the_environment_decides_who_challenges(arena: AnnsArena, site: Site):
    create = ("token", "create", "guest", "--data", site.data)
    token = arena.run(*create).out.strip()

    ended = arena.run("challenge", "house:quick", "--server", site.address, code=ExitCode.USAGE, CHEATARENA_TOKEN=token)

    assert "not connected: guest" in ended.err


def test_withdrawn_match_is_a_no(arena: AnnsArena, site: Site):
    """A bot that accepts every challenge declines the offer."""
    token = arena.run("token", "create", "shy", "--data", site.data).out.strip()
    ready = threading.Event()

    async def decline_once() -> None:
        async with WireBot(site.address, token) as bot:
            await bot.open_session(challenges=pool_pb2.CHALLENGE_POLICY_EVERYBODY)
            ready.set()
            await bot.answer_offer(accept=False)
            await bot.wait_for_notice("offer_closed")

    with ThreadPoolExecutor(1) as threads:
        declining = threads.submit(asyncio.run, decline_once())
        assert ready.wait(20)
        ended = arena.run("challenge", "shy", *SHORT, code=ExitCode.NO)
        declining.result(20)

    assert ended.out.splitlines()[1:] == ["the match was withdrawn, because a bot did not take its seat"]


# ---- pools


def test_pools_are_listed_with_the_owners_token(arena: AnnsArena, site: Site):
    text, values = arena.run("pool", "list").out, arena.run_json("pool", "list", "--server", site.address)

    assert "cheat/standard" in text
    assert "cheater/cheater" in text
    assert [(each["name"], each["seat_count"], each["season"]) for each in values] == [("quick", 2, 1), ("other", 3, 1)]
    assert values[0]["house_bots"] == ["house-honest"]


def test_pool_is_shown_with_its_standings(arena: AnnsArena, site: Site):
    values = arena.run_json("pool", "show", "quick")

    assert (values["pool"]["turn_ms"], values["standings"]) == (4000, [])
    assert "nobody has finished a game" in arena.run("pool", "show", "quick").out
    refused = arena.run("pool", "show", "quikc", code=ExitCode.USAGE)
    assert "did you mean quick?" in refused.err


@pytest.mark.slow
def test_check_says_whether_seatings_follow(arena: AnnsArena, site: Site, tmp_path: Path):
    """A bot plays in the pool for a while; then somebody edits the store."""
    program = tmp_path / "bot.py"
    program.write_text(BOT)
    pooled = {**site.ann, "CHEATARENA_POOLS": "quick", "CHEATARENA_INSTANCE": "pooled"}
    with running_bot(program, pooled):
        until = time.monotonic() + 60
        while arena.run_json("pool", "check", "quick", "--data", site.data)["seatings"] < 3:
            assert time.monotonic() < until

    checked = arena.run("pool", "check", "quick", "--data", site.data, "--last", 2)
    assert checked.out == "every seating follows from its inputs: 2 seatings of quick\n"
    standings = arena.run_json("pool", "show", "quick")["standings"]
    assert {each["bot"]: each["is_house"] for each in standings} == {"ann-bot": False, "house-honest": True}
    assert all(each["is_provisional"] for each in standings)
    assert "no rank: fewer than 30 games" in arena.run("pool", "show", "quick").out

    with closing(sqlite3.connect(site.data / "arena.db", timeout=10)) as store, store:
        (oldest,) = store.execute("select min(match_id) from pool_match").fetchone()
        store.execute("update pool_seat set bot = 'favourite' where match_id = ? and entrant = 0", (oldest,))
    edited = arena.run("pool", "check", "quick", "--data", site.data, code=ExitCode.NO)
    assert oldest in edited.out.splitlines()[0]
    assert "1 seating of " in edited.out


@pytest.mark.slow
def test_season_ends_on_request_and_the_next_one_begins(arena: AnnsArena, site: Site):
    assert arena.run("pool", "end-season", "other", "--data", site.data).out == "season 1 of other is over\n"
    again = arena.run("pool", "end-season", "other", "--data", site.data, code=ExitCode.USAGE)

    assert "season 1 of pool other is already over" in again.err
    until = time.monotonic() + 30
    while arena.run_json("pool", "list")[1]["season"] != 2:
        assert time.monotonic() < until
    assert arena.run_json("pool", "list")[0]["season"] == 1


@pytest.mark.parametrize("command", ["check", "end-season"])
def test_unknown_pool_and_folder_without_a_store_are_refused(
    arena: AnnsArena, site: Site, tmp_path: Path, command: str
):
    unknown = arena.run("pool", command, "quikc", "--data", site.data, code=ExitCode.USAGE)
    missing = arena.run("pool", command, "quick", "--data", tmp_path / "none", code=ExitCode.USAGE)

    assert "unknown pool 'quikc'; known: other, quick; did you mean quick?" in unknown.err
    assert "no data folder" in missing.err
    assert not (tmp_path / "none").exists()


# ---- top


@pytest.mark.slow
def test_top_shows_the_server_of_the_data_folder_once(arena: AnnsArena, site: Site):
    text = arena.run("top", "--once", "--data", site.data).out
    values = arena.run_json("top", "--data", site.data)

    assert site.address in text
    assert "quick" in text
    assert [each["name"] for each in values["pools"]] == ["quick", "other"]
    (node,) = values["nodes"]
    assert node["session_count"] == 2
    assert node["decisions_per_second"] >= 0
    assert arena.run("token", "list", "--data", site.data).out.count("top") <= 2  # both are revoked


def test_top_needs_an_organizers_token_or_the_folder(arena: AnnsArena, site: Site, tmp_path: Path):
    denied = arena.run("top", "--server", site.address, "--once", code=ExitCode.USAGE)
    none = arena.run("top", "--data", tmp_path, "--once", code=ExitCode.USAGE)
    bots = json.loads(credentials_of(site).read_text())["servers"][site.address]["bots"]
    playing = arena.run("top", "--server", site.address, "--once", code=ExitCode.USAGE, ARENA_TOKEN=bots["ann-bot"])

    assert "ARENA_TOKEN" in denied.err
    assert "no server uses the data folder" in none.err
    assert "this call needs organize" in playing.err


@pytest.mark.slow
def test_top_fits_a_terminal(arena: AnnsArena, site: Site):
    code, text = run_on_terminal(["top", "--once", "--data", site.data])

    assert code == ExitCode.YES
    assert max(map(len, text.splitlines())) <= 80
    assert "a second" in text


# ---- logins


def test_login_prints_a_code_and_where_to_enter_it(arena: AnnsArena, site: Site):
    ended, values = arena.run("login"), arena.run_json("login", site.address)

    assert re.fullmatch(r"cal_[0-9A-Za-z]{46}\n", ended.out)
    assert "Open https://arena.example and enter this code" in ended.err
    assert values["url"] == "https://arena.example"
    assert values["code"] != ended.out.strip()


def test_login_at_a_server_that_was_not_joined_is_one_line(arena: AnnsArena, site: Site):
    ended = arena.run("login", "arena.example:1", code=ExitCode.USAGE)

    assert len(ended.err.splitlines()) == 1
    assert site.address in ended.err


@pytest.mark.slow
@pytest.mark.long
def test_matches_of_a_pool_are_watched_one_after_the_other(arena: AnnsArena, site: Site, tmp_path: Path):
    """A match that is over before it can be shown is left out; nothing is said about it."""
    program = tmp_path / "bot.py"
    program.write_text(BOT)
    token = arena.run("token", "create", "guest", "--scope", "spectate", "--data", site.data).out.strip()
    access = {"CHEATARENA_ADDRESS": site.address, "CHEATARENA_TOKEN": token}
    with start_command("watch", "--pool", "quick", environment=access) as watching:
        watching.wait_for_line("no match of quick runs now: waiting for the next one")
        with running_bot(program, {**site.ann, "CHEATARENA_POOLS": "quick", "CHEATARENA_INSTANCE": "watched"}):
            watching.wait_for_line("the match is over, ", count=3)

    assert not any("arena:" in line for line in watching.err)
    begun = [line for line in watching.out if re.match(r"game 0(, from turn|:)", line)]
    assert len(begun) >= 3


@pytest.mark.parametrize("words", [("watch",), ("watch", "M", "--pool", "quick")])
def test_watching_needs_either_a_match_or_a_pool(arena: AnnsArena, words):
    assert "either a match or" in arena.run(*words, code=ExitCode.USAGE).err


@pytest.mark.slow
def test_unknown_pool_cannot_be_watched(arena: AnnsArena, site: Site):
    token = arena.run("token", "create", "guest2", "--scope", "spectate", "--data", site.data).out.strip()

    ended = arena.run("watch", "--pool", "quikc", "--server", site.address, code=ExitCode.USAGE, CHEATARENA_TOKEN=token)

    assert "quikc" in ended.err
    assert len(ended.err.splitlines()) == 1
