"""A runner killed between a block's last game and the opening of its deal: `resume` opens it."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.organizer.leagues import league, write_league


def hidden(data: Path) -> int:
    with closing(sqlite3.connect(data / "arena.db")) as store:
        return int(store.execute("SELECT count(*) FROM deal WHERE revealed IS NULL").fetchone()[0])


def forget_what_was_opened(data: Path) -> None:
    with closing(sqlite3.connect(data / "arena.db")) as store:
        store.execute("UPDATE deal SET revealed = NULL WHERE number <= 2")
        store.commit()


def events(data: Path) -> list[bytes]:
    with closing(sqlite3.connect(data / "arena.db")) as store:
        return [bytes(row[0]) for row in store.execute("SELECT events FROM game")]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
def test_hidden_deal_left_behind_is_opened_and_its_games_are_published(tmp_path):
    file, data = write_league(tmp_path / "bots", bots=4, games=2, seats=2), tmp_path / "data"
    assert league("run", file, "--data", data, "--nodes", 1) == 0
    assert [each[:7] for each in events(data)] == [b"sealed "] * 2  # the other table of the deal may still be played
    forget_what_was_opened(data)

    assert league("publish", file, "--data", data, "--out", tmp_path / "site") == 0

    assert hidden(data) == 0
    assert len(list((tmp_path / "site" / "replays").glob("*.replay.json"))) == 2
