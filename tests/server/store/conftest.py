"""Opened stores and rows to keep in them."""

import asyncio
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from arena.match.referee.ports import GameRow, MatchId, MatchRow
from arena.server.store.open_store import Store, open_store
from arena.server.store.store_place import choose_place
from tests.support.postgres import IS_INSTALLED, PostgresServer
from tests.support.wall_clock import WallClock


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A server of PostgreSQL, whose database `empty` is a store without matches."""
    if not IS_INSTALLED:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    server = PostgresServer()
    try:
        server.run_sql("CREATE DATABASE empty TEMPLATE template0")
        with TemporaryDirectory() as folder:
            choose_place(Path(folder), server.url("empty"))
            asyncio.run(_open_and_close(Path(folder)))
        yield server
    finally:
        server.close()


async def _open_and_close(folder: Path) -> None:
    await (await open_store(folder)).close()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def data(request, tmp_path) -> Path:
    """A new data folder: one of its own file, and once more one whose database is in PostgreSQL."""
    folder: Path = tmp_path / "data"
    if request.param == "postgres":
        choose_place(folder, request.getfixturevalue("postgres").new_database("empty"))
    return folder


@pytest.fixture
async def store(data):
    """A new store that nobody else has."""
    async with await open_store(data) as opened:
        yield opened


@pytest.fixture
async def file_store(tmp_path):
    """A new store in a file of SQLite."""
    async with await open_store(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
def clock() -> WallClock:
    return WallClock()


@pytest.fixture
async def people(store: Store) -> Store:
    """Ann with the bot counter, and Bob without bots."""
    await store.owners.add("ann", "ann@example.org", 2)
    await store.owners.add("bob", "", 2)
    await store.owners.create_bot("ann", "counter")
    return store


MATCH_ID = MatchId("01JZ8QK3T5V7X9B2D4F6H8M0NP")

MATCH = MatchRow(
    match_id=MATCH_ID,
    number=7,
    journal="12.journal",
    created_at=1_700_000_000.25,
    game="cheat",
    preset="folk",
    terms={
        "game": "cheat",
        "rules_version": "1",
        "preset": "folk",
        "entrants": ["counter", "Žofie"],
        "game_count": 1,
        "ruleset": {"decks": 1, "jokers": True},
        "pace": {"turn_s": 2.5},
        "seating": ["given", None],
    },
    entrants=("counter", "Žofie"),
    rated=True,
)

GAME = GameRow(
    match_id=MATCH_ID,
    game=0,
    places=(2, 1),
    termination="out",
    turn_count=40,
    rules_version="1.0",
    digest="ab" * 32,
    events=b"\x00packed\xff",
)


@pytest.fixture
def match_row():
    """A running match between two bots, with every kind of plain value in its terms."""

    def build(match_id: str = MATCH_ID, **changes) -> MatchRow:
        return dataclasses.replace(MATCH, match_id=MatchId(match_id), **changes)

    return build


@pytest.fixture
def game_row():
    """A finished game of that match."""

    def build(game: int = 0, **changes) -> GameRow:
        return dataclasses.replace(GAME, game=game, **changes)

    return build
