"""A server with pools plays a league with its own bots: it is killed in the middle, and the league ends as sealed."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from arena.verify import verify_league
from tests.e2e.remote_bots import free_port, running_bot
from tests.e2e.test_pools import SETTINGS, ended_matches, query, wait_until
from tests.organizer.leagues import STEADY
from tests.support.boxes import skip_without_boxes
from tests.support.commands import CommandProcess, CommandResult, run_arena, start_command
from tests.support.submitted import submit_programs

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="the process of a league inherits a socket"),
    pytest.mark.timeout(600),
]

LEAGUE = """
name = "autumn"
format = "season"
games = {games}
seats = 3
preset = "standard"
tables = 2

[rules]
max_turns = 24

[pace_settings]
call_ms = 150
fixed_window = true
"""


class Site:
    """A server with a pool, and a bot that plays in it and in leagues."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], more: str = "") -> None:
        self.data, self.file, self.settings = folder / "data", folder / "league.toml", folder / "arena.toml"
        self.settings.write_text(SETTINGS + more)
        self.address = f"127.0.0.1:{free_port()}"
        self.access = ["--server", self.address, "--data", self.data]
        self._capsys = capsys
        self._folder = folder

    def write_league(self, *entrants: str, games: int = 12, rule: str = "") -> None:
        lines = [f'[[entrants]]\nbot = "{bot}"' for bot in entrants]
        self.file.write_text("\n".join([f'bots = "{rule}"' if rule else "", LEAGUE.format(games=games), *lines]))

    @contextmanager
    def serve(self) -> Iterator[CommandProcess]:
        port = self.address.rpartition(":")[2]
        with start_command("serve", "--config", self.settings, "--data", self.data, "--port", port) as server:
            server.wait_for_line("READY", 120)
            yield server

    def run(self, *words: object) -> CommandResult:
        return run_arena(self._capsys, *words)

    @contextmanager
    def remote_bot(self, name: str) -> Iterator[None]:
        """It plays in the pool, and dials on while there is no server."""
        program = self._folder / f"{name}.py"
        program.write_text(STEADY.format(think=0, nerve=2))
        token = self.run("token", "create", name, "--data", self.data, "--json").json["token"]
        settings = {
            "CHEATARENA_ADDRESS": self.address,
            "CHEATARENA_TOKEN": token,
            "CHEATARENA_POOLS": "quick",
            "CHEATARENA_PATIENCE": "600",
        }
        with running_bot(program, settings):
            yield

    def count_blocks(self) -> int:
        """Return how many blocks of leagues are done."""
        ((done,),) = query(self.data, "select count(*) from league_block where state = 'done'")
        return int(done)

    def process_of_league(self, server: CommandProcess) -> psutil.Process:
        """Return the process of the only league that a server plays."""
        return next(each for each in psutil.Process(server.pid).children() if _PROCESS in each.cmdline())


_PROCESS = "arena.organizer.served.league_process"


@pytest.mark.slow
def test_league_survives_kills_of_server_and_process(tmp_path, capsys):
    """Its bots are submitted, dial in and come with the server; the first two go on playing in the pool."""
    skip_without_boxes()
    site = Site(tmp_path, capsys, "\n[submissions]\nenabled = true\n")
    programs = {name: STEADY.format(think=0.02, nerve=1) for name in ("ann", "bob")}
    asyncio.run(submit_programs(site.data, programs, pools=("quick",)))
    site.write_league("remote:cid", "sample:honest", "sample:counter", "sample:gambler", rule="active in pool quick")
    with site.remote_bot("cid"):
        with site.serve() as server, start_command("league", "run", site.file, *site.access) as following:
            seal = following.wait_for_line("cheatarena league autumn: ")
            wait_until(site.count_blocks)
            site.process_of_league(server).kill()
            kills = site.count_blocks()
            wait_until(lambda: site.count_blocks() > kills)
            server.signal(signal.SIGKILL)
            told = following.wait_for_exit(60)
        before = len(ended_matches(site.data))
        with site.serve() as server:
            followed = site.run("league", "run", site.file, *site.access)
            shown = site.run("league", "status", "autumn", *site.access, "--json")
            server.signal(signal.SIGTERM)
            assert server.wait_for_exit(60) == 0

    assert told == 75
    assert "the league goes on when the server is back" in "".join(following.err)
    assert followed.code == 0, followed.err
    assert seal in followed.err, "it is the same league"
    assert "ann@1" in followed.err, "who was taken by the rule"
    assert (shown.json["state"], shown.json["game_count"]) == ("over", 12)
    assert sorted(each["bot"] for each in shown.json["standings"]) == [
        "ann",
        "bob",
        "cid",
        "counter",
        "gambler",
        "honest",
    ]
    assert len(ended_matches(site.data)) > before, "the pool plays on beside it"
    check_proofs(site, tmp_path, seal)


def check_proofs(site: Site, folder: Path, seal: str) -> None:
    """Check the data folder and the seal as anybody can, once the server has stopped."""
    audited = site.run("audit", "--data", site.data)
    assert audited.code == 0, audited.out
    assert site.run("league", "report", site.file, "--data", site.data, "--out", folder / "report").code == 0
    published = site.run(
        "league", "publish", site.file, "--data", site.data, "--out", folder / "site", "--replays", "all"
    )
    assert published.code == 0, published.err
    replays = sorted((folder / "site" / "replays").glob("*.replay.json"))
    words: list[str | Path] = [folder / "site" / "league.json", "--line", seal, *replays]
    verified = subprocess.run(
        [sys.executable, verify_league.__file__, *words], capture_output=True, text=True, check=False
    )
    assert verified.returncode == 0, verified.stdout
    report = json.loads((folder / "report" / "report.json").read_text())
    assert len(report["games"]) == len(replays) == 12
    assert not report["faults"]


@pytest.mark.slow
def test_league_is_stopped_amended_and_resumed_beside_the_pool(tmp_path, capsys):
    site = Site(tmp_path, capsys)
    site.write_league("sample:honest", "sample:counter", "sample:gambler", "sample:random_legal", games=100)
    withdraw = [
        "league",
        "amend",
        site.file,
        "withdraw",
        "gambler",
        "--reason",
        "its author asked",
        "--data",
        site.data,
    ]
    with site.serve():
        with start_command("league", "run", site.file, *site.access) as following:
            following.wait_for_line("cheatarena league autumn: ")
            amended = site.run(*withdraw)
            other = site.run("league", "run", site.file, "--data", site.data)
            following.signal(signal.SIGINT)
            code, interrupted = following.wait_for_exit(), "".join(following.err)
        playing = site.run("league", "status", "autumn", *site.access, "--json")
        stopped = site.run("league", "stop", site.file, *site.access, "--json")
        withdrawn = site.run(*withdraw)
        done = site.count_blocks()
        with start_command("league", "resume", site.file, *site.access) as following:
            following.wait_for_line("cheatarena league autumn: ")
            wait_until(lambda: site.count_blocks() > done)

    assert amended.code == 75
    assert "the league is being played or amended" in amended.last_line
    assert other.code == 75
    assert f"let it play the league with --server {site.address}" in other.last_line
    assert code == 130
    assert "the league goes on without this command; to stop it: " in interrupted
    assert playing.json["state"] == "playing"
    assert stopped.json["state"] == "stopped"
    assert withdrawn.code == 0, withdrawn.err


@pytest.mark.slow
def test_refusals_are_one_sentence_each(tmp_path, capsys):
    site = Site(tmp_path, capsys)
    bot = tmp_path / "mine.py"
    bot.write_text(STEADY.format(think=0, nerve=0))
    with site.serve():

        def refused(*entrants: str, command: str = "run") -> str:
            site.write_league(*entrants)
            answer = site.run("league", command, site.file, *site.access)
            assert answer.code != 0
            return str(answer.last_line)

        samples = ["sample:honest", "sample:counter"]
        assert "a server plays no programs of others" in refused(str(bot), *samples)
        assert "no active version of ann was submitted" in refused("submitted:ann", *samples)
        assert "the league has 2 entrants" in refused(*samples)
        assert "has no league 'autumn'" in refused("sample:gambler", *samples, command="resume")
        assert "league 'spring'" in site.run("league", "status", "spring", *site.access).last_line
        no_token = site.run("league", "status", "spring", "--server", site.address)
        assert "no token for" in no_token.last_line
        assert (
            "leave it out with --server" in site.run("league", "run", site.file, *site.access, "--nodes", 2).last_line
        )
        (tmp_path / "league.toml").write_text("name = 3")
        assert "has no `name` of a league" in site.run("league", "run", site.file, *site.access).last_line
