"""The first page: what a visitor sees, and how soon."""

from collections.abc import AsyncGenerator

import pytest

from arena.games.catalogue import games
from arena.match.feed.public_message import PublicMessage
from arena.match.referee.ports import MatchId
from arena.match.referee.replay import Replay
from arena.replays.watch.recorded_match import recorded_messages
from tests.support.pool_data import FOREIGN
from tests.support.web_data import CHEATER_GAME, RUNNING, TWO_GAMES, play
from tests.web.conftest import open_client, open_sources


async def follow(_match: MatchId) -> AsyncGenerator[PublicMessage, None]:
    """Send the first messages of a match."""
    for message, _count in zip(recorded_messages(Replay(play(TWO_GAMES).records, games())), range(9), strict=False):
        yield message


async def test_running_table_is_on_the_first_page(web_data):
    async with open_sources(web_data, follow=follow) as sources, open_client(sources) as client:
        page, view = (await client.get("/")).text, (await client.get("/index.json")).json()

    assert f'data-events="/matches/{RUNNING}/events"' in page
    assert page.index('id="live"') < page.index('id="join"') < page.index('id="newest"')
    assert view["live"]["drawing"]["seats"]


async def test_without_a_server_there_is_no_table(web_data):
    async with open_sources(web_data, is_running=False) as sources, open_client(sources) as client:
        page = (await client.get("/")).text

    assert 'id="live"' not in page
    assert "python -m cheatarena join" in page


async def test_notable_games_link_to_their_moment(web_data):
    """The first answer does not wait for them. A match whose cards are secret is left out."""
    async with open_sources(web_data) as sources, open_client(sources) as client:
        assert (await client.get("/index.json")).json()["notable"] == []
        await sources.notable.look()
        notable = (await client.get("/index.json")).json()["notable"]
        page = (await client.get("/")).text
        links = [f"/matches/{each['match_id']}/games/{each['game']}" for each in notable]
        assert {(await client.get(link)).status_code for link in links} == {200}

    titles = [each["title"] for each in notable]
    assert len(titles) == len({*titles})
    assert {"largest lie that held", "largest pile", "most attacks"} <= {*titles}
    lie = next(each for each in notable if each["title"] == "largest lie that held")
    assert f"/matches/{lie['match_id']}/games/{lie['game']}#t{lie['turn']}" in page
    assert lie["text"].split()[0] in ("Ann", "Bob", "Cid")
    assert {TWO_GAMES, CHEATER_GAME} >= {each["match_id"] for each in notable if each["title"] == "most attacks"}


async def test_win_of_the_weaker_bot_is_an_upset(pool_site):
    await pool_site.sources.notable.look()

    upsets = [each for each in pool_site.sources.notable.newest() if each.title == "upset"]

    assert all(each.size >= 100 for each in upsets)
    assert all("rated" in each.text for each in upsets)


async def test_provisional_bots_stand_below_those_with_a_rank(pool_site):
    pools = (await pool_site.client.get("/index.json")).json()["pools"]

    assert any(pool["top"] or pool["provisional"] for pool in pools)
    for pool in pools:
        assert all(each["rank"] is not None for each in pool["top"])
        assert all(each["rank"] is None for each in pool["provisional"])


# ---- search, and two bots


async def test_search_finds_bots_by_a_part_of_their_names(pool_site):
    found = (await pool_site.client.get("/search.json?q=nn")).json()

    assert found["bots"] == ["Ann"]
    assert 'href="/bots/Ann"' in (await pool_site.client.get("/search?q=nn")).text


@pytest.mark.parametrize("text", ["%", "_", "'", "<script>", "", "   "])
async def test_search_takes_no_pattern(pool_site, text):
    answer = await pool_site.client.get("/search.json", params={"q": text})

    assert (answer.status_code, answer.json()["bots"]) == (200, [])


async def test_search_finds_a_match_by_the_beginning_of_its_id(site):
    found = (await site.get(f"/search.json?q={TWO_GAMES.lower()}")).json()["matches"]

    assert [each["match_id"] for each in found] == [TWO_GAMES]
    assert (await site.get("/search.json?q=01JZ8")).json()["matches"] == []


async def test_two_bots_have_their_meetings_and_the_matches_of_both(pool_site):
    view = (await pool_site.client.get("/bots/Bob/against/Cid.json")).json()
    page = (await pool_site.client.get("/bots/Bob/against/Cid")).text

    assert FOREIGN in [each["match_id"] for each in view["matches"]]
    assert all({"Bob", "Cid"} <= {*each["entrants"]} for each in view["matches"])
    assert not any(each["is_anonymous"] for each in view["matches"])
    assert "<h1>" in page
    assert {each["meeting"]["other"] for each in view["seasons"]} <= {"Cid"}


@pytest.mark.parametrize(("path", "status"), [("/bots/Ann/against/Ann", 400), ("/bots/Ann/against/Zoe", 404)])
async def test_page_of_bots_that_never_met_is_refused(pool_site, path, status):
    assert (await pool_site.client.get(path)).status_code == status
