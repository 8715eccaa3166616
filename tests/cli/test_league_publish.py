"""The output of publishing a league: what it closes, and how its seal is checked."""

import asyncio
from pathlib import Path

import pytest

from arena.organizer.seal.open_league import mix_in_entropy
from arena.server.store.open_store import open_store
from tests.organizer.leagues import league_of, seal, write_league
from tests.support.commands import CommandResult, run_arena

CHECK = 'python3 verify/verify_league.py league.json --line "THE LINE THAT WAS POSTED"'


async def close(file: Path, data: Path, entropy: str) -> None:
    """Close a league without a game, as is done with one that is over."""
    league = await league_of(file, data)
    async with await open_store(data) as store:
        league.ledger._store = store.leagues
        await mix_in_entropy(league, entropy)
        await league.ledger.add_entry("closed", {})


def publish_league(capsys: pytest.CaptureFixture[str], file: Path, data: Path) -> CommandResult:
    site = file.parent / "site"
    ended = run_arena(capsys, "league", "publish", file, "--data", data, "--out", site)
    assert (ended.code, ended.out) == (0, f"{site / 'index.html'}\n")
    return ended


def test_publishing_in_mid_season_reveals_no_secret(tmp_path, capsys):
    file, data = write_league(tmp_path), tmp_path / "data"
    asyncio.run(seal(file, data))

    said = publish_league(capsys, file, data).err

    assert said.startswith("the league has not ended, so its secret is not published; ")
    assert said.endswith(f"run in {tmp_path / 'site'}: {CHECK}\n")


def test_published_finished_league_reveals_its_secret(tmp_path, capsys):
    file, data = write_league(tmp_path, public_entropy="the lotto"), tmp_path / "data"
    asyncio.run(seal(file, data))
    asyncio.run(close(file, data, "3 14 15"))

    said = publish_league(capsys, file, data).err

    assert said.startswith("the league is closed and its secret published: no game can be voided ")
    assert said.endswith(f': {CHECK} --entropy "WHAT WAS DRAWN"\n')
