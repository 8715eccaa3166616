"""PostgreSQL is stopped, full, or replaced by its standby while a league plays, and nothing acknowledged is lost.

Meanwhile everybody who asks gets one sentence. Afterwards all goes on by itself.
"""

import asyncio
import os
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.server.store.store_place import choose_place
from cheatarena.v1 import author_pb2, author_pb2_grpc
from tests.e2e.test_league_on_server import LEAGUE
from tests.e2e.test_pools import SETTINGS, wait_until
from tests.organizer.leagues import league_of, seal, write_league
from tests.support.commands import CommandProcess, run_arena, start_command
from tests.support.postgres import IS_INSTALLED, PostgresServer
from tests.support.wire_bot import bearer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(os.name != "posix", reason="the process of a league inherits a socket"),
    pytest.mark.skipif(not IS_INSTALLED, reason="PostgreSQL is not installed: apt-get install postgresql"),
]
AWAY = "what is stored cannot be read or changed at the moment: try again in a moment"
FULL = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
""" + "\n".join(
    f'CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON "{table}" EXECUTE FUNCTION refuse();'
    for table in ("match", "game", "deal", "league_block", "web_session", "token")
)
"""What a full disk does to those who write: their statements end with this code. Reading goes on."""


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    try:
        yield server
    finally:
        server.close()


class Site:
    """A server with a pool and web pages, whose database is in PostgreSQL."""

    def __init__(self, server: CommandProcess, data: Path, token: str) -> None:
        self.address = server.wait_for_line("READY", 120).split()[1]
        self.pages = server.wait_for_line("WEB", 120).split()[1]
        self.access = ("--server", self.address, "--data", data)
        self._token = token

    def page(self, path: str = "/matches", form: bytes | None = None) -> tuple[int, str, str]:
        """Return status, Retry-After and text of a page, or of the answer to a form."""
        request = urllib.request.Request(f"{self.pages}{path}", form, {"Origin": self.pages})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, "", answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.headers.get("Retry-After", ""), refused.read().decode()

    def author_call(self) -> tuple[Any, str]:
        """Return code and sentence of the answer to an author who asks for a bot's games."""
        with grpc.insecure_channel(self.address) as channel:
            games = author_pb2_grpc.AuthorServiceStub(channel).ListGames
            try:
                games(author_pb2.ListGamesRequest(), metadata=bearer(self._token), timeout=30)
            except grpc.RpcError as refused:
                return refused.code(), refused.details() or ""
        return grpc.StatusCode.OK, ""


def count_games(postgres: PostgresServer) -> int:
    return int(postgres.run_sql("SELECT count(*) FROM game", "test1"))


def play_on(postgres: PostgresServer, seconds: float = 60) -> None:
    """Wait until two more games are stored."""
    before = count_games(postgres)
    wait_until(lambda: count_games(postgres) >= before + 2, seconds)


def test_server_says_that_its_database_is_away_and_plays_on_when_it_is_back(tmp_path, postgres, capsys):
    data, settings, url = tmp_path / "data", tmp_path / "arena.toml", postgres.new_database()
    settings.write_text(SETTINGS)
    file = tmp_path / "league.toml"
    entrants = [f'[[entrants]]\nbot = "sample:{name}"' for name in ("honest", "counter", "gambler", "planner")]
    file.write_text("\n".join([LEAGUE.format(games=18), *entrants]))
    choose_place(data, url)
    token = run_arena(capsys, "token", "create", "ann", "--data", data, "--json").json["token"]
    with start_command("serve", "--config", settings, "--data", data, "--port", 0, "--web", 0) as server:
        site = Site(server, data, token)
        with start_command("league", "run", file, *site.access) as following:
            following.wait_for_line("cheatarena league autumn: ")
            play_on(postgres)
            assert (site.page()[0], site.author_call()[0]) == (200, grpc.StatusCode.OK)

            postgres.stop()
            pages, call = [site.page(), site.page("/matches.json")], site.author_call()
            time.sleep(1.5)  # longer than the pause of the command that follows the league
            postgres.start()
            wait_until(lambda: site.page()[0] == 200)
            wait_until(lambda: site.author_call()[0] is grpc.StatusCode.OK)
            play_on(postgres)

            postgres.run_sql(FULL, "test1")
            code = run_arena(capsys, "owner", "list", "--data", data).code
            read = site.page()[0], site.author_call()[0]
            before = count_games(postgres)
            refused = run_arena(capsys, "token", "create", "bob", "--data", data)
            assert count_games(postgres) == before
            postgres.run_sql("DROP FUNCTION refuse CASCADE", "test1")

            assert following.wait_for_exit(200) == 0, following.err
        assert server.is_running
        server.signal(signal.SIGTERM)
        assert server.wait_for_exit(60) == 0, server.err

    for status, retry_after, text in pages:
        assert (status, retry_after, AWAY[1:] in text) == (503, "5", True)
    assert call == (grpc.StatusCode.UNAVAILABLE, AWAY)
    assert (code, *read) == (0, 200, grpc.StatusCode.OK), "reading goes on"
    assert "No space left on device" in refused.last_line
    assert not [line for line in server.out + server.err if "Traceback" in line]
    assert run_arena(capsys, "audit", "--data", data).code == 0


def test_standby_takes_over_with_all_that_was_acknowledged(tmp_path, postgres, capsys):
    """The URL names both machines, and the first one confirms only what the second one has."""
    file = write_league(tmp_path / "bots", bots=4, games=12, think=0.02)
    data, name = tmp_path / "data", postgres.new_database().partition("?")[0].rpartition("/")[2]
    standby = postgres.start_standby()
    try:
        choose_place(
            data, f"postgresql://arena@/{name}?host={postgres.folder},{standby.folder}&target_session_attrs=read-write"
        )
        asyncio.run(seal(file, data))
        with start_command("league", "run", file, "--data", data, "--nodes", 1) as playing:
            wait_until(lambda: count_games(postgres) >= 2)
            known = postgres.run_sql("SELECT match_id FROM game", name).split()
            postgres.stop()
            standby.promote()
            code = playing.wait_for_exit(200)

        assert code == 0, playing.err
        assert set(known) <= set(standby.run_sql("SELECT match_id FROM game", name).split())
        assert asyncio.run(league_of(file, data)).ledger.game_count == 12
        assert run_arena(capsys, "audit", "--data", data).code == 0
    finally:
        standby.close()
