"""The archivist: when is a match over and kept, and what is derived of it before."""

import asyncio
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from arena.match.archive import Derivation, derive, first_row
from arena.match.facts import DealRevealed
from arena.match.ports import MatchId
from arena.rpc.games import games
from arena.store import archivist as at_work
from arena.store.archivist import Archivist
from tests.support.played import CREATED_AT, Match

LONG = {"games": 12}


def booking_of(match: Match, *, is_running: bool = True) -> Any:
    """What a hall tells of a match."""
    table = match.table
    opened = SimpleNamespace(reveal=lambda: DealRevealed("", b"", b"", b"", b"", (), (), ()))
    return SimpleNamespace(
        match_id=table.match_id, number=table.number, terms=table.terms, table=table, deal=opened,
        created_at=CREATED_AT, is_running=is_running,
    )  # fmt: skip


async def kept_of(store, match: Match, archivist: Archivist) -> None:
    """Wait until a match that is over is stored."""
    work = asyncio.ensure_future(archivist.work())
    await asyncio.wait_for(archivist.kept(match.table.match_id), 10)
    work.cancel()
    with suppress(asyncio.CancelledError):
        await work


async def test_one_waits_for_a_match_whose_seats_are_only_offered(store):
    """Whoever asks for the result right after making the match must not be told that there is none."""
    archivist = Archivist(store.results, games={}, journal="j")
    archivist.expect(MatchId("M"))

    waiting = asyncio.ensure_future(archivist.kept(MatchId("M")))
    done, _ = await asyncio.wait({waiting}, timeout=0.01)
    waiting.cancel()

    assert not done
    await archivist.kept(MatchId("never made"))


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_records_in_pieces_give_what_they_give_at_once(size):
    """The first piece may be the match's first record alone, and a piece may end within a game."""
    match = Match("M", games=3).finish()
    row, records = first_row(MatchId("M"), 1, match.bench.terms, "j", CREATED_AT), match.records
    pieces = [records[first : first + size] for first in range(0, len(records), size)]

    derivation = Derivation(row, pieces[0], games())
    for piece in pieces[1:]:
        derivation.go_on(piece)

    assert derivation.record() == derive(row, records, games())


async def test_a_long_match_is_derived_while_it_goes_on(store, monkeypatch):
    """Its records are kept in memory no longer; what is stored is what would be derived at the end."""
    monkeypatch.setattr(at_work, "KEEP_UP_S", 0.01)
    archivist = Archivist(store.results, games(), "j")
    match = Match("M", **LONG)
    archivist.began(booking_of(match))
    match.bench.go_on(lambda: len(match.bench.referee.results) == LONG["games"] - 1)
    assert len(match.table.records) > at_work.CHUNK

    keeping_up = asyncio.ensure_future(archivist.keep_up())
    async with asyncio.timeout(10):
        while len(match.table.records) >= at_work.CHUNK:  # noqa: ASYNC110  nothing announces it
            await asyncio.sleep(0.01)
    match.finish()
    archivist.ended(booking_of(match))
    await kept_of(store, match, archivist)
    keeping_up.cancel()

    expected = derive(first_row(MatchId("M"), 1, match.bench.terms, "j", CREATED_AT), match.records, games())
    assert await store.results.match(MatchId("M")) == expected.match
    assert list(await store.results.games(MatchId("M"))) == list(expected.games)
    assert match.table.records == []


async def test_a_match_of_one_game_is_left_alone_while_it_goes_on(store, monkeypatch):
    monkeypatch.setattr(at_work, "KEEP_UP_S", 0)
    monkeypatch.setattr(at_work, "CHUNK", 1)
    archivist = Archivist(store.results, games(), "j")
    match = Match("M")
    archivist.began(booking_of(match))
    before = list(match.table.records)

    with suppress(TimeoutError):
        await asyncio.wait_for(archivist.keep_up(), 0.05)

    assert match.table.records == before != []


async def test_a_match_that_cannot_be_derived_ends_all_the_same(store, monkeypatch):
    """What fails on the way is told at the end, and nothing is derived from what comes behind it."""
    monkeypatch.setattr(at_work, "KEEP_UP_S", 0)
    archivist = Archivist(store.results, games(), "j")
    match = Match("M", **LONG)
    archivist.began(booking_of(match))
    match.bench.go_on(lambda: len(match.bench.referee.results) == LONG["games"] - 1)
    del match.table.records[5]
    match.table.records[20] = match.table.records[0]

    with suppress(TimeoutError):
        await asyncio.wait_for(archivist.keep_up(), 0.2)
    match.finish()
    archivist.ended(booking_of(match))
    await kept_of(store, match, archivist)

    assert (await store.results.match(MatchId("M"))).termination == "unreadable"
