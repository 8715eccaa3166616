"""A store is copied whole, to PostgreSQL and back, or not at all."""

import asyncio
import shutil
from pathlib import Path

import pytest

from arena.competition.pools.ports import FitRow, RoundRow, SeatedBot, SeatingRow
from arena.match.referee.ports import MatchId, MatchRow
from arena.server.store.data_folder import acquire_folder_lock
from arena.server.store.open_store import open_store
from arena.server.store.store_copy import copy_store
from arena.server.store.store_place import choose_place, read_url
from tests.server.store.conftest import MATCH_ID
from tests.support.commands import run_arena
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.slow

RELEASES = sorted((Path(__file__).parents[2] / "releases").glob("*/data.tar.gz"))


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.parent.name)
def test_stores_of_a_release_go_there_and_back(tmp_path, postgres: PostgresServer, capsys, release):
    """Each time an audit computes all of it again from the same journals, and finds the same."""
    shutil.unpack_archive(release, tmp_path, filter="data")
    folders = [path.parent for path in tmp_path.rglob("arena.db")]
    assert folders
    for folder in folders:
        check_both_ways(folder, postgres.new_database(), capsys)


def check_both_ways(folder: Path, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = run_arena(capsys, "audit", "--data", folder, "--json")

    there = run_arena(capsys, "store", "copy", folder, url)
    assert there.out.endswith(" tables copied and compared\n"), there.err
    (folder / "arena.db").unlink()
    choose_place(folder, url)
    assert run_arena(capsys, "audit", "--data", folder, "--json").json == before.json

    assert run_arena(capsys, "store", "copy", url, folder).out == there.out
    (folder / "arena.store").unlink()
    assert run_arena(capsys, "audit", "--data", folder, "--json").json == before.json


SEATED = SeatedBot("ann", "", "", "one", 1500.0, 350.0, 0.5, is_house=False)


async def read_presets(folder: Path) -> list[str]:
    async with await open_store(folder) as store:
        return [(await store.results.match(MATCH_ID)).preset]


async def put_match(folder: Path, row: MatchRow) -> None:
    async with await open_store(folder) as store:
        await store.results.add_match(row)


def test_store_that_is_not_empty_stays_as_it_is(tmp_path, postgres: PostgresServer, capsys, match_row):
    url = postgres.new_database("empty")
    choose_place(tmp_path / "there", url)
    for name in ("here", "there", "file"):
        asyncio.run(put_match(tmp_path / name, match_row()))

    for target in (url, tmp_path / "file"):
        refused = run_arena(capsys, "store", "copy", tmp_path / "here", target)
        assert refused.last_line.endswith("is not empty: name another one")


def test_store_that_a_server_uses_is_not_copied(tmp_path, postgres: PostgresServer, capsys):
    url = postgres.new_database("empty")
    choose_place(tmp_path / "data", url)

    async def try_to_copy(target: Path) -> str:
        with acquire_folder_lock(tmp_path / "data") as held:
            async with await open_store(tmp_path / "data", held):
                return (await asyncio.to_thread(run_arena, capsys, "store", "copy", url, target)).last_line

    assert "is held by process" in asyncio.run(try_to_copy(tmp_path / "copy"))
    assert not (tmp_path / "copy" / "arena.db").exists()


def test_text_with_a_nul_is_copied_as_postgresql_keeps_it(tmp_path, postgres: PostgresServer, match_row):
    url = postgres.new_database()
    asyncio.run(put_match(tmp_path / "here", match_row(preset="a\0b")))

    copy_store(tmp_path / "here" / "arena.db", read_url(url))

    choose_place(tmp_path / "there", url)
    assert asyncio.run(read_presets(tmp_path / "there")) == ["a\N{SYMBOL FOR NULL}b"]


async def test_numbers_of_dropped_rows_are_not_used_again(tmp_path, postgres: PostgresServer):
    """A fit has counted them, and would take a new match with such a number for one that it knows."""
    url = postgres.new_database()
    async with await open_store(tmp_path / "data") as store:
        await store.pools.add_fit(FitRow("open", 1, 5.0, 41, (), 0))
    copy_store(tmp_path / "data" / "arena.db", read_url(url))
    choose_place(tmp_path / "there", url)

    async with await open_store(tmp_path / "there") as store:
        await store.pools.add_round(RoundRow("R1", "open", 1.0, {}))
        await store.pools.add_seating(SeatingRow(MatchId("M1"), "open", 1, "R1", 1.0, True, (SEATED,), {}))
        assert (await store.pools.read_season("open", 1)).upto == 42
