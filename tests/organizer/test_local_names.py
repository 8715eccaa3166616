"""Bots that the arena starts never have the name of an owner's bot, whose token would open their seats."""

from pathlib import Path

import pytest

from arena.bots.launch.launcher import Launcher
from arena.cli.match.order import find_players
from arena.errors import OptionError
from arena.fleet.runner.host import Host, TemporaryTokens
from arena.fleet.runner.match_bots import launch_bots, start_bot
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.seal.open_league import open_league_to_play
from arena.server.store.open_store import Store, open_store
from tests.organizer.leagues import seal, write_league


async def own_bot(store: Store, name: str) -> None:
    """Let Mallory have a bot of this name."""
    await store.owners.add("mallory", "", 5)
    await store.owners.create_bot("mallory", name)


async def test_no_bot_of_a_match_starts_if_one_has_the_name_of_an_owners_bot(tmp_path: Path):
    players = find_players(["sample:counter", "sample:gambler"])
    async with await open_store(tmp_path / "data") as store:
        await own_bot(store, "gambler")
        host = Host("127.0.0.1:1", None, TemporaryTokens(store.tokens), tmp_path)  # type: ignore[arg-type]  # no match is played

        with pytest.raises(OptionError, match="bot = 'gambler' is refused"):
            async with launch_bots(host, players, 1.0, lambda _: None):
                pass
        with pytest.raises(OptionError, match="bot = 'gambler' is refused"):
            await start_bot(host, Launcher(tmp_path), players[1], "league")

    assert not host.bot_output_folder.exists()


async def test_league_is_not_sealed_with_the_name_of_an_owners_bot(tmp_path: Path):
    file = write_league(tmp_path)
    async with await open_store(tmp_path / "data") as store:
        await own_bot(store, "bot1")

    with pytest.raises(OptionError, match="bot = 'bot1' is refused"):
        await seal(file, tmp_path / "data")

    async with await open_store(tmp_path / "data") as store:
        assert await store.leagues.league("test") is None


async def test_names_of_a_sealed_league_are_not_free(tmp_path: Path):
    file = write_league(tmp_path)
    await seal(file, tmp_path / "data")

    async with await open_store(tmp_path / "data") as store:
        await store.owners.add("mallory", "", 5)
        with pytest.raises(OptionError, match="looks like 'bot1'"):
            await store.owners.create_bot("mallory", "b0t1")


async def test_league_does_not_go_on_with_a_name_that_an_owner_was_given(tmp_path: Path):
    file = write_league(tmp_path)
    await seal(file, tmp_path / "data")

    async with await open_store(tmp_path / "data") as store:
        await store.owners.add("mallory", "", 5)
        await store.owners.register_bot("mallory", "bot1")
        with pytest.raises(OptionError, match="bot = 'bot1' is refused"):
            await open_league_to_play(read_league_file(file), store)
