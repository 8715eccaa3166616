"""Results: stored values round-trip, exactly once, from another process too."""

import asyncio
import dataclasses
import time

import pytest

from arena.errors import MatchMovedError, StoreError, UnknownNameError
from arena.match.referee.ports import MatchId, MatchRow, ResultStore
from arena.server.store.open_store import Store, open_store


async def test_match_round_trips(store: Store, match_row):
    results: ResultStore = store.results  # the type checker compares it with the port
    row = match_row()

    await results.add_match(row)

    assert await results.match(row.match_id) == row


async def test_match_ends_with_its_final_state(store: Store, match_row):
    await store.results.add_match(match_row())
    final = dataclasses.replace(
        match_row(),
        state="ended",
        termination="played",
        strikes=({"late": 1, "illegal": 0}, {"late": 0, "illegal": 2}),
        statistics=({"lies": 12.0}, {"lies": 0.5}),
    )

    await store.results.end_match(final)

    assert await store.results.match(final.match_id) == final


async def test_games_are_read_back_in_order(store: Store, match_row, game_row):
    await store.results.add_match(match_row())
    await store.results.add_games(match_row(), [game_row(2), game_row(0)])
    await store.results.add_games(match_row(), [game_row(1, places=(1, 1))])

    games = await store.results.games(match_row().match_id)

    assert games == [game_row(0), game_row(1, places=(1, 1)), game_row(2)]


async def test_matches_are_returned_with_any_stored_games(store: Store, match_row, game_row):
    first, second, none = (match_row(match_id=MatchId(name)) for name in ("M1", "M2", "M3"))
    await store.results.add_match(second)
    await store.results.add_match(first)
    games = [game_row(number, match_id=first.match_id) for number in (0, 1, 2)]
    await store.results.add_games(first, [games[2], games[0]])
    await store.results.add_games(first, [games[1]])

    found = await store.results.matches_with_games([none.match_id, second.match_id, first.match_id])

    assert found == {first.match_id: (first, games), second.match_id: (second, [])}


async def test_game_exists_exactly_once(store: Store, match_row, game_row):
    """Reporting a block twice, or an existing game with another result, changes nothing."""
    await store.results.add_match(match_row())
    await store.results.add_games(match_row(), [game_row(0), game_row(1)])

    await store.results.add_games(match_row(), [game_row(0), game_row(1, places=(1, 2)), game_row(2)])

    assert await store.results.games(match_row().match_id) == [game_row(0), game_row(1), game_row(2)]


async def test_games_are_stored_all_or_none(store: Store, match_row, game_row):
    """One row that cannot be stored, of an unknown match, rolls back the others."""
    await store.results.add_match(match_row())

    with pytest.raises(StoreError, match=r"(?i)foreign key"):
        await store.results.add_games(match_row(), [game_row(0), game_row(0, match_id="01JZ8QK3T5V7X9B2D4F6H8NONE")])

    assert await store.results.games(match_row().match_id) == []


async def test_no_games_are_no_work(store: Store, match_row):
    await store.results.add_games(match_row(), [])

    assert await store.results.games(MatchId("none")) == []


async def test_match_may_be_added_again_after_lost_reply(store: Store, match_row):
    """It stays unchanged, even if it has moved or ended meanwhile."""
    await store.results.add_match(match_row())
    await store.results.move_matches([match_row(journal="13.journal")])
    await store.results.end_match(match_row(journal="13.journal", state="ended"))

    await store.results.add_match(match_row())

    assert await store.results.match(match_row().match_id) == match_row(journal="13.journal", state="ended")


async def test_games_of_moved_match_are_those_of_its_new_journal(store: Store, match_row, game_row):
    """A node was lost between a game and the end of its match: the same game has other instants in the new journal."""
    old, new = match_row(), match_row(journal="13.journal", number=2)
    await store.results.add_match(old)
    await store.results.add_games(old, [game_row(0, events=b"old")])

    await store.results.move_matches([new])
    await store.results.add_games(new, [game_row(0, events=b"new")])
    await store.results.move_matches([new])  # told again after a lost reply

    assert await store.results.games(new.match_id) == [game_row(0, events=b"new")]


async def test_two_matches_cannot_share_an_id(store: Store, match_row):
    await store.results.add_match(match_row())

    with pytest.raises(StoreError, match="another match '01JZ8QK3T5V7X9B2D4F6H8M0NP' already"):
        await store.results.add_match(match_row(preset="other"))

    assert await store.results.match(match_row().match_id) == match_row()


async def test_unknown_match_is_named_in_the_error(store: Store, match_row):
    with pytest.raises(UnknownNameError, match="unknown match 'nobody'"):
        await store.results.match(MatchId("nobody"))
    with pytest.raises(UnknownNameError):
        await store.results.end_match(match_row())


async def test_games_of_an_unknown_match_are_refused(store: Store, match_row, game_row):
    with pytest.raises(UnknownNameError, match="unknown match '01JZ8QK3T5V7X9B2D4F6H8M0NP'"):
        await store.results.add_games(match_row(), [game_row()])


@pytest.fixture
async def moved(store: Store, match_row) -> MatchRow:
    """A running match that began in one journal and goes on in another; the row is that of its first writer."""
    first: MatchRow = match_row()
    await store.results.add_match(first)
    await store.results.move_matches([match_row(journal="13.journal", number=2)])
    return first


async def test_late_writer_of_a_match_that_moved_is_refused(store: Store, moved: MatchRow, match_row, game_row):
    """It was given up, but lives: it must not end a match that is played elsewhere, nor add a game to it."""
    for refused in (moved, match_row(journal="13.journal")):
        with pytest.raises(MatchMovedError, match="'01JZ8QK3T5V7X9B2D4F6H8M0NP' is no longer played as number 7 of"):
            await store.results.add_games(refused, [game_row()])
        with pytest.raises(MatchMovedError, match="it goes on elsewhere"):
            await store.results.end_match(dataclasses.replace(refused, state="ended", termination="played"))

    assert await store.results.games(moved.match_id) == []
    assert await store.results.match(moved.match_id) == match_row(journal="13.journal", number=2)


async def test_new_writer_of_a_match_that_moved_ends_it(store: Store, moved: MatchRow, match_row, game_row):
    """The late writer's request in the same batch is refused without it."""
    final = match_row(journal="13.journal", number=2, state="ended")
    refused, stored = await asyncio.gather(
        store.results.add_games(moved, [game_row(places=(1, 2))]),
        store.results.add_games(final, [game_row()]),
        return_exceptions=True,
    )
    late, ended = await asyncio.gather(
        store.results.end_match(moved), store.results.end_match(final), return_exceptions=True
    )

    assert isinstance(refused, MatchMovedError)
    assert isinstance(late, MatchMovedError)
    assert (stored, ended) == (None, None)
    assert await store.results.games(moved.match_id) == [game_row()]
    assert await store.results.match(moved.match_id) == final


async def test_matches_are_listed_newest_first_in_pages(store: Store, match_row):
    ids = [f"01JZ8QK3T5V7X9B2D4F6H8M00{letter}" for letter in "ABCDE"]
    for match_id in ids:
        await store.results.add_match(match_row(match_id))

    first = await store.results.summaries(2)
    second = await store.results.summaries(2, before=first[-1].row.match_id)
    third = await store.results.summaries(2, before=second[-1].row.match_id)

    assert [each.row.match_id for page in (first, second, third) for each in page] == ids[::-1]


async def test_values_without_json_form_are_refused(store: Store, match_row):
    with pytest.raises(StoreError):
        await store.results.add_match(match_row(statistics=({"lies": float("nan")},)))

    assert await store.results.summaries(10) == []


async def test_another_connection_sees_stored_results(store: Store, match_row):
    """Results outlive the process that wrote them; a reader needs no lock."""
    await store.results.add_match(match_row())

    async with await open_store(store.folder) as reader:
        assert await reader.results.match(match_row().match_id) == match_row()


async def test_writers_of_two_connections_wait_for_each_other(store: Store, match_row):
    """No writer fails because the database is locked: writers queue."""
    async with await open_store(store.folder) as other:
        ids = [f"01JZ8QK3T5V7X9B2D4F6H8M{number:03}" for number in range(20)]

        await asyncio.gather(
            *(
                opened.results.add_match(match_row(match_id))
                for match_id, opened in zip(ids, [store, other] * 10, strict=True)
            )
        )

        assert len(await store.results.summaries(100)) == 20


async def test_commits_wait_for_the_disk_but_not_for_readers(file_store: Store):
    def read_pragmas(connection):
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        return {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in names}

    pragmas = await file_store.database.read(read_pragmas)

    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5_000}


async def test_thousand_games_are_stored_at_once(store: Store, match_row, game_row):
    """A league block in one transaction takes some 60 ms on a small machine."""
    await store.results.add_match(match_row())
    rows = [game_row(game, events=bytes(3_000)) for game in range(1_000)]

    start = time.perf_counter()
    await store.results.add_games(match_row(), rows)

    assert time.perf_counter() - start < 2
    assert len(await store.results.games(match_row().match_id)) == 1_000


async def test_started_work_is_finished_after_its_caller_leaves(tmp_path):
    """Closing takes no connection away from its thread: requested work is done, and then the store closes."""
    async with await open_store(tmp_path) as store:
        asking = asyncio.ensure_future(store.tokens.create("ann", ["play"]))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    async with await open_store(tmp_path) as store:
        assert [row.name for row in await store.tokens.list()] == ["ann"]
