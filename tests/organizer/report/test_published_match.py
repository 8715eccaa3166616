"""Which matches of a data folder are told, and which are not yet."""

import asyncio
import re
from dataclasses import replace

import pytest

from arena.errors import RequestError
from arena.games.catalogue import games
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheater.rules.game import CHEATER
from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.match.referee.replay import Replay
from arena.organizer.report.game_page import render_game_page
from arena.organizer.report.published_match import PublishedMatch, build_published_match, read_published_matches
from arena.replays.library.library import Library
from arena.server.store.open_store import open_store
from tests.match.referee.driver import MS
from tests.organizer.report.reading import Page
from tests.replays.narration.random_match import MATCH, RandomMatch
from tests.support.league_stories import entry_of, proven_story
from tests.support.recorded_matches import DataFolder, ManualMatch


async def read_matches(folder: DataFolder, match_id: str) -> list[PublishedMatch]:
    async with await open_store(folder.path) as store:
        library = Library(folder.path, store, games())
        return [match async for match in read_published_matches(library, [match_id], games())]


async def keep_match(folder: DataFolder, match: RandomMatch, is_opened: bool) -> None:
    folder.write_journal("j", match)
    row = match.row()
    async with await open_store(folder.path) as store:
        await store.deals.commit(replace(row, revealed=None))
        if is_opened and row.revealed is not None:
            await store.deals.reveal(row.match_id, row.revealed)


def played_match(games_played: int = 1) -> PublishedMatch:
    """Return a match in which Ann plays a true ace, Bob lies with a three, and Cid calls Bob."""
    match = ManualMatch("M", games=games_played)
    match.answer(0, "1A AC", at=12 * MS, note="they must not know")
    match.answer(1, "decline", at=20 * MS)
    match.answer(2, "decline", at=25 * MS)
    match.answer(1, "1A 3H", at=40 * MS)
    match.answer(0, "decline", at=50 * MS)
    match.answer(2, "call", at=60 * MS)
    match.play_out()
    return build_published_match(entry_of("M", match.bench.terms), Replay(match.records, games()))


def test_caught_lie_is_listed_with_its_turn_and_who_lied():
    (page,) = played_match().pages
    html = Page(render_game_page(page))

    assert page.caught_lies == [(1, "Bob")]
    assert "#t1" in html.values("href")
    assert "turn 1 Bob" in html.words


def test_private_notes_of_bots_are_not_published():
    (page,) = played_match().pages

    assert any("Ann claims 1 x A and lays AC" in step.text for step in page.steps)
    assert "must not know" not in render_game_page(page)
    assert "must not know" not in repr(page)


def test_each_game_of_a_match_has_its_own_page():
    pages = played_match(games_played=3).pages

    assert [page.game for page in pages] == [0, 1, 2]
    assert [(page.steps[0].line.kind, page.steps[-1].line.kind) for page in pages] == [("game", "end")] * 3
    assert all(len(page.hands_at_end) == 3 for page in pages)


@pytest.mark.parametrize(("game", "counts"), [(CHEAT, r"\w+ \d+(, \w+ \d+){2}; pile \d+"),
                                              (CHEATER, r"\w+ \d+(, \w+ \d+){2}; to draw \d+, discards \d+")],
                         ids=["cheat", "cheater"])  # fmt: skip
def test_page_says_how_many_cards_lie_where(game, counts):
    story, _ = proven_story(game, seats=3)

    (page,) = story.pages

    dealt = [step for step in page.steps if step.line.kind == "event"]
    assert all(re.fullmatch(counts, step.table.counts) for step in dealt)
    assert any(step.shows_counts for step in dealt)


def test_page_of_a_long_game_stays_small():
    """At most 1 kB a line beside what each page has: the style sheet and the player, about 20 kB."""
    story, _ = proven_story(CHEAT, seats=4)

    (page,) = story.pages

    assert len(render_game_page(page).encode()) < 20_000 + 1_000 * len(page.steps)


async def test_game_with_opened_deal_is_narrated_with_its_proof(tmp_path):
    folder = DataFolder(tmp_path / "data")
    await keep_match(folder, RandomMatch(CHEAT, 3).play(), is_opened=True)

    (match,) = await read_matches(folder, MATCH)

    assert match.match_id == MATCH
    assert match.document.startswith(b"{")
    (page,) = match.pages
    assert page.remark == ""
    assert len(page.hands_at_end) == 3


async def test_game_whose_deal_may_be_reused_is_not_narrated(tmp_path):
    folder = DataFolder(tmp_path / "data")
    await keep_match(folder, RandomMatch(CHEAT, 3).play(), is_opened=False)

    assert await read_matches(folder, MATCH) == []


async def test_unknown_match_is_left_out(tmp_path):
    folder = DataFolder(tmp_path / "data")
    await keep_match(folder, RandomMatch(CHEAT, 3).play(), is_opened=True)

    assert await read_matches(folder, "01JB0000000000000000000009") == []


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

    (told,) = asyncio.run(read_matches(folder, "01JB0000000000000000000001"))

    assert told.document == b""
    assert "no commitment" in told.pages[0].remark
    assert told.pages[0].steps[-1].line.kind == "end"


def test_game_under_older_rules_is_narrated_as_plain_facts(tmp_path):
    folder = DataFolder(tmp_path / "data")
    match = ManualMatch("01JB0000000000000000000001").play_out()
    folder.write_journal("j", match)
    folder.store_matches("j", match, version="0")

    (told,) = asyncio.run(read_matches(folder, "01JB0000000000000000000001"))

    assert "other rules" in told.pages[0].remark
    assert told.pages[0].steps[-1].line.kind == "end"
