"""The way from a pool to one of its running matches."""

from collections.abc import AsyncIterator

import httpx
import pytest

from arena.competition.pools.ports import RoundRow, SeasonRow, SeatedBot, SeatingRow
from arena.match.referee.ports import MatchId, MatchRow
from arena.server.store.open_store import Store
from tests.support.recorded_matches import CREATED_AT
from tests.support.web_data import HOSTILE, NOTED, RUNNING, SHARED
from tests.web.conftest import open_client, open_sources

POOL, PATH = "all bots", "/pools/all%20bots/live"
SEATED = tuple(SeatedBot(bot, "one", "", "", 1500, 100, 1) for bot in ("ann", "bob"))


async def seat(store: Store, match_id: MatchId, number: int, *, is_offered: bool = True) -> None:
    """Store a match of the pool that runs, or whose seats are not taken yet."""
    await store.pools.add_seating(SeatingRow(match_id, POOL, 1, "0" * 26, CREATED_AT, True, SEATED, {}))
    if is_offered:
        game = {"game": "cheat", "rules_version": "1", "preset": "standard", "entrants": ["ann", "bob"]}
        terms = {**game, "seating": "rotated", "game_count": 1}
        row = MatchRow(match_id, number, "j", CREATED_AT, "cheat", "standard", terms, ("ann", "bob"), rated=True)
        await store.results.add_match(row)


@pytest.fixture
async def pool_site(tmp_path) -> AsyncIterator[tuple[Store, httpx.AsyncClient]]:
    async with open_sources(tmp_path / "data") as sources, open_client(sources) as client:
        await sources.store.pools.open_season(SeasonRow(POOL, 1, CREATED_AT, "digest", {}))
        await sources.store.pools.add_round(RoundRow("0" * 26, POOL, CREATED_AT, {}))
        yield sources.store, client


async def test_pool_leads_to_its_newest_running_match(pool_site):
    """A match whose seats are only offered has no page yet."""
    store, client = pool_site
    await seat(store, NOTED, 1)
    await seat(store, SHARED, 2)
    await seat(store, HOSTILE, 3, is_offered=False)

    answer = await client.get(PATH)
    after = await client.get(PATH, params={"after": SHARED})
    asked = (await client.get("/pools/all%20bots/live.json")).json()

    assert (answer.status_code, answer.headers["location"]) == (303, f"/matches/{SHARED}?pool=all%20bots")
    assert after.headers["location"] == f"/matches/{NOTED}?pool=all%20bots"
    assert asked == {"pool": POOL, "match_id": SHARED}


async def test_pool_without_a_running_match_looks_again(pool_site):
    _, client = pool_site

    page = (await client.get(PATH)).text

    assert "No table is being played" in page
    assert '<meta http-equiv="refresh" content="5">' in page


async def test_unknown_pool_has_no_table(site):
    answer = await site.get("/pools/nowhere/live")

    assert (answer.status_code, "There is no pool" in answer.text) == (404, True)


async def test_page_of_a_match_leads_back_to_the_pool(site):
    page = (await site.get(f"/matches/{RUNNING}", params={"pool": 'a"b?'})).text

    assert f'data-next="/pools/a%22b%3F/live?after={RUNNING}"' in page
