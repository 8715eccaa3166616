"""Which matches of a data folder are told, and which are not yet."""

import asyncio
from dataclasses import replace

import pytest

from arena.errors import RequestError
from arena.games.catalogue import games
from arena.match.deal import SHARED_DEAL_PREFIX
from arena.replays.library import Library
from arena.report.replay_page import ReplayPage, read_replay_pages
from arena.rules.cheat.game import CHEAT
from arena.store.open_store import open_store
from tests.replays.random_match import MATCH, RandomMatch
from tests.support.recorded_matches import DataFolder, ManualMatch


async def read_pages(folder: DataFolder, match_id: str) -> list[ReplayPage]:
    async with await open_store(folder.path) as store:
        library = Library(folder.path, store, games())
        return [page async for page in read_replay_pages(library, [match_id], games())]


async def keep_match(folder: DataFolder, match: RandomMatch, is_opened: bool) -> None:
    folder.write_journal("j", match)
    row = match.row()
    async with await open_store(folder.path) as store:
        await store.deals.commit(replace(row, revealed=None))
        if is_opened and row.revealed is not None:
            await store.deals.reveal(row.match_id, row.revealed)


async def test_game_with_opened_deal_is_narrated_with_its_proof(tmp_path):
    folder = DataFolder(tmp_path / "data")
    await keep_match(folder, RandomMatch(CHEAT, 3).play(), is_opened=True)

    (story,) = await read_pages(folder, MATCH)

    assert story.match_id == MATCH
    assert story.document.startswith(b"{")
    assert story.remark == ""
    assert len(story.hands[0]) == 3


async def test_game_whose_deal_may_be_reused_is_not_narrated(tmp_path):
    folder = DataFolder(tmp_path / "data")
    await keep_match(folder, RandomMatch(CHEAT, 3).play(), is_opened=False)

    assert await read_pages(folder, MATCH) == []


async def test_unknown_match_is_left_out(tmp_path):
    folder = DataFolder(tmp_path / "data")
    await keep_match(folder, RandomMatch(CHEAT, 3).play(), is_opened=True)

    assert await read_pages(folder, "01JB0000000000000000000009") == []


async def test_block_games_are_not_read_before_its_last_game_ends(tmp_path):
    folder, match = DataFolder(tmp_path / "data"), RandomMatch(CHEAT, 3).play()
    folder.write_journal("j", match)
    row = replace(match.row(), deal_id=f"{SHARED_DEAL_PREFIX}L.1.0", revealed=None)

    async with await open_store(folder.path) as store:
        await store.deals.commit(row)
        library = Library(folder.path, store, games())
        entry = await library.find(MATCH)
        with pytest.raises(RequestError, match="it can be read once they have all ended"):
            library.records(entry)
        await store.deals.reveal(MATCH, match.row().revealed or {})
        assert library.records(await library.find(MATCH))[0]


def test_game_without_commitment_is_narrated_with_reason_for_missing_proof(tmp_path):
    folder = DataFolder(tmp_path / "data")
    match = ManualMatch("01JB0000000000000000000001").play_out()
    folder.write_journal("j", match)
    folder.store_matches("j", match)

    (story,) = asyncio.run(read_pages(folder, "01JB0000000000000000000001"))

    assert story.document == b""
    assert "no commitment" in story.remark
    assert story.lines[-1].kind == "match"


def test_game_under_older_rules_is_narrated_as_plain_facts(tmp_path):
    folder = DataFolder(tmp_path / "data")
    match = ManualMatch("01JB0000000000000000000001").play_out()
    folder.write_journal("j", match)
    folder.store_matches("j", match, version="0")

    (story,) = asyncio.run(read_pages(folder, "01JB0000000000000000000001"))

    assert "other rules" in story.remark
    assert story.lines[-1].kind == "end"
