"""A league whose results go to PostgreSQL, which is stopped in the middle of it."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.server.store.store_place import choose_place
from tests.organizer.leagues import league, league_of, outcome, seal, start, write_league
from tests.support.commands import run_arena
from tests.support.postgres import IS_INSTALLED, PostgresServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not IS_INSTALLED, reason="PostgreSQL is not installed: apt-get install postgresql"),
]


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    try:
        yield server
    finally:
        server.close()


def wait_for_games(server: PostgresServer, count: int) -> None:
    deadline = time.monotonic() + 100
    while int(server.run_sql("SELECT count(*) FROM game", "test1")) < count:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def played(file: Path, data: Path) -> list[Any]:
    return outcome(asyncio.run(league_of(file, data)).ledger.history)


@pytest.mark.timeout(300)
def test_league_goes_on_by_itself_after_its_database_was_restarted(tmp_path: Path, postgres: PostgresServer, capsys):
    """Nothing is lost or played twice: the table is that of a league in a file that nobody disturbed."""
    file = write_league(tmp_path / "bots", bots=4, games=8, think=0.02)
    asyncio.run(seal(file, tmp_path / "file"))
    assert league("run", file, "--data", tmp_path / "file", "--nodes", 1) == 0
    url = postgres.new_database()
    choose_place(tmp_path / "data", url)
    asyncio.run(seal(file, tmp_path / "data"))

    playing = start("run", file, tmp_path / "data", "--nodes", "1")
    wait_for_games(postgres, 2)
    postgres.stop()
    time.sleep(2)
    postgres.start()
    told, _ = playing.communicate(timeout=200)

    assert playing.returncode == 0, told
    assert played(file, tmp_path / "data") == played(file, tmp_path / "file")
    assert run_arena(capsys, "audit", "--data", tmp_path / "data").code == 0
