"""Authors on another host, with an SDK wheel, an address and an invitation, play over TLS and read their own games.

`make two-hosts` plays forty games; GAMES sets how many.
"""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.hosts import Host, two_hosts
from tests.support.commands import ARENA
from tests.support.wheels import install_sdk_alone

ROOT = Path(__file__).resolve().parents[2]
GAMES = int(os.environ.get("GAMES", "2"))
BOTS_OF = {"ann": ("honest", "counter"), "bob": ("gambler", "random_legal")}
PORT = 7777
READ_OWN_GAMES = """
import asyncio, json
from cheatarena.author import AuthorClient

async def main():
    async with AuthorClient() as author:
        async for match in author.matches():
            lines = [line.text async for line in author.replay(match.match_id)]
            faults = [fault async for fault in author.faults(match.match_id)]
            print(json.dumps([match.match_id, match.games_finished, len(lines), len(faults)]))

asyncio.run(main())
"""


def can_make_hosts() -> bool:
    try:
        with two_hosts():
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


pytestmark = [
    pytest.mark.skipif(not can_make_hosts(), reason="network namespaces need Linux, root and iproute2"),
    pytest.mark.timeout(900),
]


@pytest.fixture(scope="module")
def sdk_alone(tmp_path_factory) -> Path:
    """The Python of an environment in which a wheel of the SDK is installed, and nothing of the arena."""
    return install_sdk_alone(tmp_path_factory.mktemp("sdk"))


@pytest.fixture
def hosts() -> Iterator[tuple[Host, Host]]:
    with two_hosts() as made:
        yield made


@pytest.mark.slow
@pytest.mark.long
def test_authors_on_another_host_play_and_read_their_own_games(hosts, sdk_alone, tmp_path):
    server_host, author_host = hosts
    address = f"{server_host.address}:{PORT}"
    served = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "ARENA_DATA": str(tmp_path / "data")}

    def arena(*words: object) -> str:
        said: str = server_host.run(*ARENA, *words, environment=served, cwd=ROOT, timeout_s=60 + 20 * GAMES)
        return said

    def homes(author: str) -> tuple[Path, dict[str, str]]:
        home = tmp_path / author
        home.mkdir(exist_ok=True)
        return home, {"HOME": str(home), "PATH": "/usr/bin:/bin", "CHEATARENA_CA": str(home / "ca.pem")}

    arena("cert", server_host.address, "--out", tmp_path / "tls")
    tls = ["--tls-cert", tmp_path / "tls/server.pem", "--tls-key", tmp_path / "tls/server-key.pem"]
    with ExitStack() as stack:
        stack.enter_context(
            server_host.running(
                *ARENA, "serve", "--listen", address, *tls, environment=served, cwd=ROOT, log=tmp_path / "server.log"
            )
        )
        wait_until_listening(tmp_path / "server.log")
        for author, bots in BOTS_OF.items():
            code = arena("invite", "create", "--bots", len(bots)).strip()
            home, environment = homes(author)
            shutil.copy(tmp_path / "tls/ca.pem", home / "ca.pem")
            options = ["--owner", author, *(word for bot in bots for word in ("--bot", bot))]
            join = [sdk_alone, "-m", "cheatarena", "join", address, code, *options]
            assert f"as {author}; bots: " in author_host.run(*join, environment=environment, cwd=home)
            for bot in bots:
                program = shutil.copy(ROOT / f"sample_bots/python/{bot}/bot.py", home / f"{bot}.py")
                settings = environment | {"CHEATARENA_BOT": bot}
                log = home / f"{bot}.log"
                stack.enter_context(author_host.running(sdk_alone, program, environment=settings, cwd=home, log=log))

        players = [word for bots in BOTS_OF.values() for bot in bots for word in ("--bot", f"remote:{bot}")]
        players.append("--no-fixed-window")  # otherwise each window lasts a second
        served["CHEATARENA_CA"] = str(tmp_path / "tls/ca.pem")
        result = json.loads(
            arena("match", *players, "--server", address, "--data", tmp_path / "data", "--games", GAMES, "--json")
        )

        for author, bots in BOTS_OF.items():
            home, environment = homes(author)
            for bot in bots:
                read = author_host.run(
                    sdk_alone, "-c", READ_OWN_GAMES, environment=environment | {"CHEATARENA_BOT": bot}, cwd=home
                )
                [(match_id, finished, lines, faults)] = map(json.loads, read.splitlines())
                print(f"{author} reads {finished} games of {bot} from {author_host.address}: {lines} lines")
                assert (match_id, finished, faults) == (result["match_id"], GAMES, 0)
                assert lines >= GAMES

    assert len(result["games"]) == GAMES
    assert not any(sum(each["strikes"].values()) for each in result["entrants"]), result["entrants"]


def test_author_host_has_nothing_of_the_arena(hosts, sdk_alone, tmp_path):
    said = hosts[1].run(
        sdk_alone, "-c", "import importlib.util as u; print(u.find_spec('arena'))", environment={}, cwd=tmp_path
    )

    assert said == "None\n"


def wait_until_listening(log: Path) -> None:
    until = time.monotonic() + 60
    while "READY" not in log.read_text(encoding="utf-8"):
        assert time.monotonic() < until, log.read_text(encoding="utf-8")
        time.sleep(0.05)
