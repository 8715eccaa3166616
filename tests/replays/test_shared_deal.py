"""A table of a shared deal has ended, and another one still plays: who reads the store learns none of its cards."""

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from arena.errors import RequestError
from arena.games.catalogue import games, load_codecs, phrasing_of
from arena.match.referee.deal import DealSecret, reveal_deal
from arena.match.referee.deal_serialization import describe_revealed_deal, new_deal_row
from arena.match.referee.inputs import Deal, write_record
from arena.match.referee.match_record import derive_match_record, new_match_row
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import Instant
from arena.organizer.audit.match_audit import compare_match
from arena.replays.archive.author_reader import AuthorReader, GameParts
from arena.replays.library.library import Library
from arena.replays.narration.narrate import narrate
from arena.server.node.result_writer import ResultWriter
from arena.server.store.open_store import Store, open_store
from arena.server.wire.author_messages import PageCall
from cheatarena.v1 import author_pb2
from tests.server.node.test_result_writer import hosted_match_of, wait_until_stored
from tests.support.recorded_matches import CREATED_AT, DataFolder, ManualMatch

MATCH_ID = MatchId("01JZ0000000000000000000AGE")
JOURNAL = "01HZ0000000000000000000NDE"
FORBIDDEN = "2K 3HJD"
"""A play of cards that seat 0 does not hold, so that its strike names cards."""
SECRET = DealSecret("block:01JX000000000000000000000L.1.0", b"", bytes(range(32)), (b"", b"", b""))


@pytest.fixture
def match() -> ManualMatch:
    played = ManualMatch(MATCH_ID)
    played.answer(0, FORBIDDEN, at=5_000)
    return played.play_out()


@pytest.fixture
async def ended(tmp_path, match: ManualMatch):
    """The store while the other table plays."""
    folder = DataFolder(tmp_path / "data")
    folder.write_journal(JOURNAL, match)
    async with await open_store(folder.path) as store:
        await store.deals.commit(new_deal_row(SECRET, MATCH_ID, 1, f"{JOURNAL}.journal", CREATED_AT))
        hosted = hosted_match_of(match)
        hosted.deal = SimpleNamespace(secret=SECRET)
        writer = ResultWriter(store.results, f"{JOURNAL}.journal", store.deals)
        writer.on_match_started(hosted)
        writer.on_match_ended(hosted)
        await wait_until_stored(match, writer)
        yield store


async def reveal(store: Store) -> None:
    await store.deals.reveal(MATCH_ID, describe_revealed_deal(reveal_deal(SECRET, None)))


def derived(match: ManualMatch) -> Any:
    row = new_match_row(MATCH_ID, 1, match.bench.terms, f"{JOURNAL}.journal", CREATED_AT)
    return derive_match_record(row, match.records, games())


async def own_actions(store: Store) -> list[str]:
    """Return what an author reads of the bot's strikes."""
    reader = AuthorReader(store.folder, store, GameParts(games, load_codecs, phrasing_of), time.monotonic)
    page = await reader.read(PageCall("faults", "Ann", "", 10, ""))
    return [fault.action for fault in author_pb2.GetFaultsResponse.FromString(page).faults]


async def test_no_row_has_a_card(ended: Store, match: ManualMatch):
    """Whoever reads the database itself finds neither the events nor what a strike says was played."""
    record = derived(match)
    with closing(sqlite3.connect(ended.folder / "arena.db")) as database:
        kept = [*database.execute("SELECT events FROM game"), *database.execute("SELECT faults FROM match")]

    assert record.match.faults[0]["action"] == FORBIDDEN
    assert FORBIDDEN not in str(kept)
    assert all(game.events[10:40] not in events for game in record.games for events, *_ in kept[: len(record.games)])
    assert len(kept) == len(record.games) + 1


async def test_results_are_read_as_played_once_the_deal_is_revealed(ended: Store, match: ManualMatch):
    hidden = await ended.results.matches_with_games([MATCH_ID])
    await reveal(ended)

    record = derived(match)
    assert await ended.results.match(MATCH_ID) == record.match
    assert await ended.results.games(MATCH_ID) == list(record.games)
    assert await ended.results.matches_with_games([MATCH_ID]) == {MATCH_ID: (record.match, list(record.games))}
    assert hidden[MATCH_ID][1] == [replace(game, events=hidden[MATCH_ID][1][0].events) for game in record.games]
    assert (await ended.results.summaries(1))[0].games[0].places == record.games[0].places


async def test_audit_while_the_other_table_plays_finds_nothing(ended: Store, match: ManualMatch):
    """It has the journal, and with it the seed."""
    row, stored = (await ended.results.matches_with_games([MATCH_ID]))[MATCH_ID]

    secret = write_record(1, Deal(Instant(0), Instant(0), SECRET))
    assert not list(compare_match(row, stored, [secret, *match.records], games()))


@pytest.mark.parametrize("knows_rules", [True, False], ids=["from-records", "from-stored-events"])
async def test_replay_is_refused_until_the_deal_is_revealed(ended: Store, knows_rules):
    """Also by an arena that no longer knows the rules of the match, and shows what is stored."""
    library = Library(ended.folder, ended, games())
    known = games() if knows_rules else {}

    with pytest.raises(RequestError, match="shares its cards with other games"):
        await narrate(library, MATCH_ID, known, phrasing_of)

    await reveal(ended)
    _, lines, _ = await narrate(library, MATCH_ID, known, phrasing_of)
    assert len(list(lines)) > 20


async def test_author_reads_actions_of_strikes_once_the_deal_is_revealed(ended: Store):
    before = await own_actions(ended)
    await reveal(ended)

    assert before == [""]
    assert await own_actions(ended) == [FORBIDDEN]


async def test_export_for_an_owner_has_no_card_of_anybody(ended: Store):
    await ended.owners.add("ann", "", 2)
    await ended.owners.add("bob", "", 2)
    await ended.owners.create_bot("ann", "Ann")
    await ended.owners.create_bot("bob", "Bob")

    own, other = [json.dumps(await ended.personal.export(owner), default=str) for owner in ("ann", "bob")]
    await reveal(ended)

    assert FORBIDDEN not in own + other
    assert FORBIDDEN in json.dumps(await ended.personal.export("ann"), default=str)
    assert FORBIDDEN not in json.dumps(await ended.personal.export("bob"), default=str)
