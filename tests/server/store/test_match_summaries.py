"""Lists of matches: games without events, deals, and the matches of one bot, found page by page."""

from typing import Any

import pytest

from arena.match.referee.facts import StrikeKind
from arena.match.referee.ports import DealRow, GameSummary, MatchId, MatchSearch
from arena.match.referee.strike_record import StrikeRecord, strike_to_plain
from arena.server.store.open_store import Store

IDS = [f"01JZ8QK3T5V7X9B2D4F6H8M00{letter}" for letter in "ABCDEFG"]


def deal_of(match_id: str) -> DealRow:
    """Return the deal of a match, which is not in the chain yet."""
    return DealRow(0, MatchId(match_id), match_id, "12.journal", 7, 1.5, bytes(32), bytes(32), b"")


async def test_summary_has_games_and_deal_but_no_events(store: Store, match_row, game_row):
    await store.results.add_match(match_row(IDS[0]))
    await store.results.add_match(match_row(IDS[1], faults=({"entrant": 0},)))
    await store.results.add_games(
        match_row(IDS[1]), [game_row(1, match_id=IDS[1]), game_row(0, match_id=IDS[1], places=(1, 1))]
    )
    deal = await store.deals.commit(deal_of(IDS[1]))

    newest, oldest = await store.results.summaries(10)

    assert newest.row == match_row(IDS[1])
    assert newest.games == (GameSummary(0, (1, 1), "out", 40), GameSummary(1, (2, 1), "out", 40))
    assert newest.deal == deal
    assert (oldest.row.match_id, oldest.games, oldest.deal) == (IDS[0], (), None)


FAULT = strike_to_plain(StrikeRecord(0, 0, 3, StrikeKind.LATE, 7, "turn", 200_000, 250_000))


async def test_one_summary_has_its_faults(store: Store, match_row):
    await store.results.add_match(match_row(IDS[0], faults=(FAULT,)))

    found = await store.results.summary(MatchId(IDS[0]))

    assert found is not None
    assert found.row.faults == (FAULT,)
    assert await store.results.summary(MatchId(IDS[1])) is None


async def add_matches_of(store: Store, match_row, names: str) -> None:
    """Add a match for each letter, between the bot of this letter and `zoe`."""
    for match_id, name in zip(IDS, names, strict=False):
        await store.results.add_match(match_row(match_id, entrants=(name, "zoe")))


async def search(store: Store, name: str, limit: int) -> list[list[MatchId]]:
    """Return the ids of a bot's matches, page by page."""
    pages, before = [], None
    while True:
        found, before = await store.results.summaries_of(name, limit, before)
        pages.append([summary.row.match_id for summary in found])
        if before is None:
            return pages


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
async def test_matches_of_a_bot_are_found_in_pages(store: Store, match_row, limit):
    """Newest first, each once, and no page after the last match."""
    await add_matches_of(store, match_row, "abaabba")
    wanted = [IDS[index] for index in (6, 3, 2, 0)]

    pages = await search(store, "a", limit)

    assert [each for page in pages for each in page] == wanted
    assert pages == [wanted[first : first + limit] for first in range(0, 4, limit)]


async def test_search_combines_bot_game_and_state(store: Store, match_row):
    """A match has to fit every part; an older page keeps the search."""
    rows = [("a", "cheat", "ended"), ("a", "cheater", "ended"), ("b", "cheat", "ended"), ("a", "cheat", "running")]
    rows.append(("a", "cheat", "ended"))
    for match_id, (bot, game, state) in zip(IDS, rows, strict=False):
        await store.results.add_match(match_row(match_id, entrants=(bot, "zoe"), game=game, state=state))

    async def find(before: str | None = None, **wanted: Any) -> list[str]:
        found = await store.results.summaries(10, MatchId(before) if before else None, MatchSearch(**wanted))
        return [summary.row.match_id for summary in found]

    assert await find(bot="a", game="cheat", state="ended") == [IDS[4], IDS[0]]
    assert await find(before=IDS[4], bot="a", game="cheat", state="ended") == [IDS[0]]
    assert await find(game="cheater") == [IDS[1]]
    assert await find(state="running") == [IDS[3]]
    assert await find(bot="zoe") == [IDS[4], IDS[3], IDS[2], IDS[1], IDS[0]]
    assert await find(bot="nobody") == []


async def test_bot_is_found_by_its_whole_name(store: Store, match_row):
    """An instance of it counts, another bot whose name begins alike does not, nor does a pattern."""
    names = [("ann", "x"), ("ann/two", "x"), ("anna", "x"), ("an", "x"), ("x", "a%"), ("Ann", "x"), ('a"n', "ann")]
    for match_id, entrants in zip(IDS, names, strict=True):
        await store.results.add_match(match_row(match_id, entrants=entrants))

    assert await search(store, "ann", 10) == [[IDS[6], IDS[1], IDS[0]]]
    assert await search(store, "a%", 10) == [[IDS[4]]]
    assert await search(store, "", 10) == [[]]
