"""The result writer: when a match has ended and is stored, and what is derived from it before."""

import asyncio
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from arena.errors import StoreLockedError
from arena.games.catalogue import games
from arena.match.referee.facts import DealRevealed
from arena.match.referee.match_record import derive_match_record, new_match_row
from arena.match.referee.ports import MatchId
from arena.server.node.hosted_match import MatchStage
from arena.server.node.result_writer import ResultWriter
from arena.server.store.open_store import Store
from tests.support.recorded_matches import CREATED_AT, ManualMatch


def hosted_match_of(match: ManualMatch, stage: MatchStage = MatchStage.ENDED) -> Any:
    """What a registry tells of a match."""
    table = match.table
    opened = SimpleNamespace(
        reveal=lambda: DealRevealed("", b"", b"", b"", b"", (), (), ()), secret=SimpleNamespace(is_shared=False)
    )
    return SimpleNamespace(
        match_id=table.match_id, number=table.number, terms=table.terms, table=table, deal=opened,
        created_at=CREATED_AT, stage=stage, is_resumed=False,
    )  # fmt: skip


async def wait_until_stored(match: ManualMatch, result_writer: ResultWriter) -> None:
    """Wait until a match that is over is stored."""
    work = asyncio.ensure_future(result_writer.run())
    await asyncio.wait_for(result_writer.wait_until_stored(match.table.match_id), 10)
    work.cancel()
    with suppress(asyncio.CancelledError):
        await work


async def test_result_waits_for_match_whose_seats_are_only_offered(store: Store):
    """A client that asks for the result right after creating the match must not hear that it does not exist."""
    result_writer = ResultWriter(store.results, journal="j")
    result_writer.expect(MatchId("M"))

    waiting = asyncio.ensure_future(result_writer.wait_until_stored(MatchId("M")))
    done, _ = await asyncio.wait({waiting}, timeout=0.01)
    waiting.cancel()

    assert not done
    await result_writer.wait_until_stored(MatchId("never made"))


async def test_results_written_during_match_equal_those_derived_from_records(store: Store):
    """A match of several games is stored as played, and derived from its journal as after a crash."""
    result_writer = ResultWriter(store.results, "j")
    match = ManualMatch("M", games=3)
    result_writer.on_match_started(hosted_match_of(match))
    match.play_out()
    result_writer.on_match_ended(hosted_match_of(match))
    await wait_until_stored(match, result_writer)

    expected = derive_match_record(
        new_match_row(MatchId("M"), 1, match.bench.terms, "j", CREATED_AT), match.records, games()
    )
    assert await store.results.match(MatchId("M")) == expected.match
    assert list(await store.results.games(MatchId("M"))) == list(expected.games)
    assert len(expected.games) == 3


@pytest.mark.replaces_code
async def test_match_that_cannot_be_stored_still_ends(store: Store, monkeypatch):
    def fail(order: object) -> None:
        raise RuntimeError("a fault")

    match = ManualMatch("M")
    result_writer = ResultWriter(store.results, "j")
    result_writer.on_match_started(hosted_match_of(match))
    monkeypatch.setattr(match.table.recorder, "_end_game", fail)
    match.play_out()
    result_writer.on_match_ended(hosted_match_of(match))
    await wait_until_stored(match, result_writer)

    assert (await store.results.match(MatchId("M"))).termination == "unreadable"


async def test_results_of_a_match_that_goes_on_elsewhere_are_dropped(store: Store):
    """Nobody waits for them, and a node that was given up can still stop."""
    result_writer = ResultWriter(store.results, "j")
    match = ManualMatch("M")
    result_writer.on_match_started(hosted_match_of(match))
    match.play_out()
    await store.results.add_match(new_match_row(MatchId("M"), 1, match.bench.terms, "j", CREATED_AT))
    moved = new_match_row(MatchId("M"), 4, match.bench.terms, "elsewhere", CREATED_AT)
    await store.results.move_matches([moved])
    result_writer.on_match_ended(hosted_match_of(match))

    await wait_until_stored(match, result_writer)

    assert await store.results.match(MatchId("M")) == moved
    assert list(await store.results.games(MatchId("M"))) == []


@pytest.mark.replaces_code
async def test_results_of_a_store_that_was_taken_over_are_given_up_with_its_sentence(store: Store, monkeypatch):
    tries = []

    async def refuse(*args: object) -> None:
        tries.append(args)
        raise StoreLockedError("the store was taken over: nothing more is written")

    monkeypatch.setattr(store.results, "add_match", refuse)
    monkeypatch.setattr(store.results, "add_games", refuse)
    result_writer, match = ResultWriter(store.results, "j"), ManualMatch("M")
    result_writer.on_match_started(hosted_match_of(match))
    match.play_out()
    result_writer.on_match_ended(hosted_match_of(match))

    with pytest.raises(StoreLockedError, match="was taken over"):
        await wait_until_stored(match, result_writer)

    assert len(tries) == 2, "the start and the end, each once"
