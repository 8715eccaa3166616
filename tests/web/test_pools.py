"""The pages of pools and bots, and the seating of a match: what they show, and what they keep to themselves."""

import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from arena.competition.pools.matchmaking import (
    MatchmakingInput,
    Seeker,
    describe_inputs,
    inputs_from_plain,
    seat_tables,
)
from arena.competition.pools.ports import RatingRow, RoundRow, SeasonRow, SeatedBot, SeatingRow
from arena.match.referee.match_record import new_match_row
from arena.match.referee.ports import MatchId, MatchRow
from arena.server.store.open_store import open_store
from arena.web.pages.pool_files import POLICY
from arena.web.pool_standings import build_standings
from tests.organizer.report.reading import Page
from tests.support.pool_data import (
    BOTS,
    ENDED,
    FOREIGN,
    HOUSE,
    MASKED,
    MASKED_RUNNING,
    POOL,
    PROFILE,
    REPORT,
    ROUND,
    RUNNING,
)
from tests.support.recorded_matches import CREATED_AT
from tests.support.web_data import play
from tests.web.conftest import PoolSite, open_client, open_sources

PAGE = f"/pools/{quote(POOL)}"


async def read(site: PoolSite, path: str) -> dict[str, Any]:
    answer = await site.client.get(path)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_first_page_has_the_pools_with_their_first_three(pool_site):
    pools = {each["pool"]: each for each in (await read(pool_site, "/index.json"))["pools"]}

    shown = pools[POOL]
    assert (shown["season"], shown["bots"], shown["games"], shown["running"]) == (2, 4, 100, 1)
    assert [each["bot"] for each in shown["top"]] == ["Ann", "Bob"], "Cid is provisional"
    assert (pools[MASKED]["running"], pools[MASKED]["top"]) == (1, [])
    assert (await read(pool_site, "/pools.json"))["pools"] == list(pools.values())


async def test_standings_have_ranks_owners_versions_and_the_provisional_ones_below(pool_site):
    """Ann and Bob have enough games. Cid is rated highest, after 29 games; the house bot's interval is too wide."""
    standings = (await read(pool_site, f"{PAGE}.json"))["standings"]

    assert [(each["rank"], each["bot"], each["owner"]) for each in standings] == [
        (1, "Ann", "Ada"),
        (2, "Bob", "Bea"),
        (None, "Cid", None),
        (None, HOUSE, None),
    ]
    assert [each["is_house"] for each in standings] == [False, False, False, True]
    assert (standings[0]["version"], standings[0]["rating"], standings[0]["games"]) == ("2", 1540.0, 60)
    assert standings[0]["earlier"] == [
        {"version": "1", "rating": 1450.0, "low": 1400.0, "high": 1500.0, "games": 50},
    ]
    assert [(each["versions"], each["owner_bots"]) for each in standings] == [(2, 1), (1, 1), (1, 1), (1, 1)]
    assert [each["rated_games"] for each in standings] == [each["games"] for each in standings]


async def test_long_standings_have_pages(pool_site, monkeypatch):
    monkeypatch.setattr("arena.web.pages.pool._STANDINGS", 3)

    first = await read(pool_site, f"{PAGE}.json")
    last = await read(pool_site, f"{PAGE}.json?{first['next']}")
    pages = [(await pool_site.client.get(f"{PAGE}?below={bot}")).text for bot in ("", "Ann", "Cid", "nobody")]

    assert [each["bot"] for view in (first, last) for each in view["standings"]] == ["Ann", "Bob", "Cid", HOUSE]
    assert (first["bots"], first["next"], last["next"]) == (4, "below=Cid", None)
    links = [('rel="first"' in page, 'rel="next"' in page) for page in pages]
    assert links == [(False, True), (True, False), (True, False), (True, False)]
    assert "Nobody stands below that bot." in pages[-1]
    assert first["meetings"] == last["meetings"]


def test_standings_say_how_much_an_owner_has_tried_and_how_many_games_count():
    rows = [
        RatingRow(bot, version, 1500.0, 20.0, 80, MatchId(version), 1450.0, 1550.0, {"rated_games": 40.5})
        for bot, version in (("one", "1"), ("one", "2"), ("one", "3"), ("two", "1"), ("alone", "1"))
    ]
    season = SeasonRow("p", 1, 0.0, "", {})
    lines = {each.bot: each for each in build_standings(season, rows, {"one": "Ada", "two": "Ada"})}
    assert {bot: (each.versions, each.owner_bots) for bot, each in lines.items()} == {
        "one": (3, 2),
        "two": (1, 2),
        "alone": (1, 1),
    }
    assert lines["one"].rated_games == 40.5


async def test_pool_has_its_settings_season_matches_and_meetings(pool_site):
    view = await read(pool_site, f"{PAGE}.json")

    assert (view["season"]["season"], view["season"]["is_over"], view["season"]["report"]) == (2, False, None)
    assert [each["season"] for each in view["seasons"]] == [2, 1]
    assert view["settings"]["options"]["max_turns"] == "40"
    assert (view["settings"]["seats"], view["settings"]["house_bots"]) == (3, [HOUSE])
    assert [each["match_id"] for each in view["running"]] == [RUNNING]
    assert [each["match_id"] for each in view["newest"]] == [FOREIGN, ENDED]
    assert {"bot": "Ann", "other": "Bob", "games": 60, "ahead": 0.6} in view["meetings"]


async def test_pool_leads_to_its_live_tables_while_a_match_runs(pool_site):
    running = (await pool_site.client.get(PAGE)).text
    closed = (await pool_site.client.get(f"{PAGE}/seasons/1")).text

    assert f'<a href="{PAGE}/live">' in running
    assert "/live" not in closed


async def test_closed_season_has_its_report(pool_site):
    view = await read(pool_site, f"{PAGE}/seasons/1.json")
    page = await pool_site.client.get(view["season"]["report"])

    assert view["season"]["is_over"]
    assert (page.text, page.headers["content-type"]) == (REPORT, "text/html; charset=utf-8")
    assert page.headers["content-security-policy"] == POLICY
    assert "script-src" not in POLICY
    data = await pool_site.client.get(f"{PAGE}/seasons/1/report/report.json")
    assert data.headers["content-disposition"] == 'attachment; filename="report.json"'


@pytest.mark.parametrize(
    "path",
    [
        "/pools/nowhere",
        f"{PAGE}/seasons/3",
        f"{PAGE}/seasons/2/report/report.html",
        f"{PAGE}/seasons/1/report/secret.key",
        f"{PAGE}/seasons/1/report/..%2f..%2farena.db",
        f"{PAGE}/seasons/1/report/%2e%2e",
        "/pools/nowhere/feed.atom",
        "/bots/nobody",
    ],
)
async def test_what_is_not_there_is_said_in_a_sentence(pool_site, path):
    answer = await pool_site.client.get(path, headers={"Accept": "application/json"})

    assert answer.status_code == 404
    assert answer.json()["error"].startswith(("there is no ", "the report of season "))


async def test_feed_of_a_pool_has_its_matches_alone(pool_site):
    feed = ET.fromstring((await pool_site.client.get(f"{PAGE}/feed.atom")).content)

    atom = "{http://www.w3.org/2005/Atom}"
    assert [(each.findtext(f"{atom}id") or "").rpartition(":")[2] for each in feed.findall(f"{atom}entry")] == [
        FOREIGN,
        ENDED,
    ]
    assert feed.findtext(f"{atom}id") == f"http://127.0.0.1{PAGE}/feed.atom"


async def test_bot_has_its_versions_with_figures_of_its_game(pool_site):
    """60 games: 30 points and 20 first places; 400 decisions in 2 s."""
    view = await read(pool_site, "/bots/Ann.json")
    (season,) = view["seasons"]
    newest, earlier = season["versions"]

    assert (view["owner"], season["pool"], season["season"]) == ("Ada", POOL, 2)
    assert (newest["rating"]["version"], earlier["rating"]["version"]) == ("2", "1")
    assert (newest["points"], newest["first_places"], newest["think_s"]) == (0.5, 20, 0.005)
    assert newest["faults"] == {"late": 2}
    assert {"heading": "lies", "meaning": "told/caught", "text": "40/10"} in newest["figures"]
    assert [(each["other"], each["games"]) for each in season["opponents"]] == [("Bob", 60), ("Cid", 29)]
    assert [point["rating"]["rating"] for point in season["course"]] == [1450.0, 1540.0]
    assert {point["at"] for point in season["course"]} == {CREATED_AT}, "later than the computation"


async def test_bot_has_what_its_owner_says_as_plain_text(pool_site):
    answer = await pool_site.client.get("/bots/Ann")
    page = Page(answer.text)

    assert (await read(pool_site, "/bots/Ann.json"))["profile"] == asdict(PROFILE)
    assert "Counts &lt;every&gt; card, &amp; bluffs only when cornered." in answer.text
    assert ("a", "href", PROFILE.link) in page.attributes
    assert page.elements["a", ("class", "href", "rel"), "name"] == 1
    assert ("a", "rel", "nofollow noopener ugc") in page.attributes
    assert "owner&#39;s words" not in (await pool_site.client.get("/bots/Cid")).text


async def test_bot_has_no_anonymous_match_that_runs(pool_site):
    """A reader could otherwise tell who hides behind which entrant."""
    listed = [each["match_id"] for each in (await read(pool_site, "/bots/Ann.json"))["matches"]]
    searched = [each["match_id"] for each in (await read(pool_site, "/matches.json?bot=Ann"))["matches"]]

    assert listed == searched == [RUNNING, ENDED]


async def test_search_for_a_bot_does_not_count_anonymous_matches_that_run(pool_site):
    """Otherwise a page that is short, or the id with which the next page begins, would tell who plays there."""
    view = await read(pool_site, "/matches.json?bot=Ann&limit=1")

    assert [each["match_id"] for each in view["matches"]] == [RUNNING]
    assert MASKED_RUNNING not in str(view)


async def test_bot_without_a_rating_has_its_owner_or_its_matches(pool_site):
    assert (await read(pool_site, f"/bots/{HOUSE}.json"))["seasons"][0]["is_house"]
    assert "blame" not in (await pool_site.client.get("/bots/Ann")).text


async def test_match_of_a_pool_says_why_these_sit_together(pool_site):
    seating = (await read(pool_site, f"/matches/{ENDED}.json"))["pool_seating"]

    assert (seating["pool"], seating["season"], seating["round_id"], seating["first"]) == (POOL, 2, ROUND, "Ann")
    assert [(each["bot"], each["rating"], each["cost"]) for each in seating["seated"]] == [
        ("Ann", 1500.0, None),
        ("Bob", 1510.0, 0.25),
        ("Cid", 1520.0, 0.25),
    ]
    page = (await pool_site.client.get(f"/matches/{ENDED}")).text
    assert "arena pool check &#34;main hall&#34;" in page


async def test_pool_names_house_bots_that_do_not_run(pool_site):
    sources = replace(pool_site.sources, idle_house_bots=lambda: [HOUSE, "house-of-another-pool"])
    async with open_client(sources) as client:
        page, plain = await client.get(PAGE), await client.get(f"{PAGE}.json")

    assert plain.json()["idle_house_bots"] == [HOUSE]
    assert "is not running, so its seats stay empty" in page.text
    assert "is not running" not in (await pool_site.client.get(PAGE)).text


async def test_seating_of_an_anonymous_match_is_secret_while_it_runs(pool_site):
    """Ratings and names would say who sits there."""
    answer = await pool_site.client.get(f"/matches/{MASKED_RUNNING}.json")

    assert answer.json()["pool_seating"] is None
    assert not any(bot in answer.text for bot in BOTS)
    pool = (await pool_site.client.get(f"/pools/{MASKED}.json")).text
    assert not any(bot in pool for bot in BOTS)


@asynccontextmanager
async def open_new_site(folder: Path) -> AsyncIterator[PoolSite]:
    """Open the site of a data folder in which nothing was played."""
    async with await open_store(folder):
        pass
    async with open_sources(folder) as sources, open_client(sources) as client:
        yield PoolSite(client, sources)


async def test_inputs_of_a_round_are_public_without_the_names_of_processes(tmp_path):
    """Anybody can run the matchmaker again: the tables follow from what the page gives."""
    seekers = tuple(Seeker(bot, f"host-of-{bot}", "", "1", 1500.0, 50.0, 1.0) for bot in ("ann", "bob"))
    inputs = MatchmakingInput("R" * 26, 2, seekers, (), 2.0)
    async with open_new_site(tmp_path) as site:
        settings = {"terms": {"anonymous": False}}
        await site.sources.store.pools.open_season(SeasonRow("new", 1, 1.0, "digest", settings))
        await site.sources.store.pools.add_round(RoundRow(inputs.round_id, "new", 2.0, describe_inputs(inputs)))
        given = await read(site, f"/pools/new/rounds/{inputs.round_id}")
        missing = await site.client.get("/pools/new/rounds/X")
        elsewhere = await site.client.get(f"/pools/other/rounds/{inputs.round_id}")

    assert "host-of" not in str(given)
    for each in given["seekers"]:
        each["instance"] = ""
    (table,) = seat_tables(inputs_from_plain(given))
    assert [each.bot for each in table.seated] == [each.bot for each in seat_tables(inputs)[0].seated]
    assert (missing.status_code, elsewhere.status_code) == (404, 404)


FIRST, SECOND = MatchId("1" * 26), MatchId("2" * 26)
MADE = CREATED_AT - 7_200.0
"""When an anonymous match was made, two hours ago."""


@asynccontextmanager
async def open_masked_site(folder: Path) -> AsyncIterator[PoolSite]:
    """Open the site of an open and an anonymous pool. Ann and Bob play in the anonymous one."""
    async with open_new_site(folder) as site:
        store = site.sources.store
        for pool, anonymous in (("open", False), ("masked", True)):
            await store.pools.open_season(SeasonRow(pool, 1, 1.0, "digest", {"terms": {"anonymous": anonymous}}))
        await add_seating(site, FIRST, MADE)
        await store.results.add_match(masked_row(FIRST))
        yield site


async def add_seating(site: PoolSite, match_id: MatchId, at: float) -> None:
    """Store a seating of Ann and Bob in the anonymous pool, with its round."""
    pools, round_id = site.sources.store.pools, f"R-{match_id}"
    await pools.add_round(RoundRow(round_id, "masked", at, {"version": 1}))
    seated = tuple(SeatedBot(bot, "one", "", "", 1500.0, 350.0, 1.0) for bot in ("ann", "bob"))
    await pools.add_seating(SeatingRow(match_id, "masked", 1, round_id, at, True, seated, {"costs": {"bob": 0.2}}))


def masked_row(match_id: MatchId) -> MatchRow:
    """Return an anonymous match that runs."""
    terms = play(match_id, anonymous=True).bench.terms
    return new_match_row(match_id, 1, terms, f"{match_id}-1.journal", MADE)


def over(row: MatchRow) -> MatchRow:
    return replace(row, state="ended", termination="finished")


@pytest.mark.parametrize("pool", ["masked", "open"])
@pytest.mark.parametrize(
    "after_s",
    [
        pytest.param(-30.0, id="who waited before it"),
        pytest.param(0.2, id="who is missing among the seekers"),
        pytest.param(3_600.0, id="who met whom"),
    ],
)
async def test_rounds_around_an_anonymous_match_are_secret_until_it_is_over(tmp_path, pool, after_s):
    async with open_masked_site(tmp_path) as site:
        await site.sources.store.pools.add_round(RoundRow("R2", pool, MADE + after_s, {"version": 1}))
        while_it_runs = await site.client.get(f"/pools/{pool}/rounds/R2")
        await site.sources.store.results.end_match(over(masked_row(FIRST)))
        afterwards = await site.client.get(f"/pools/{pool}/rounds/R2")

    assert (while_it_runs.status_code, afterwards.status_code) == (403, 200)


async def test_round_is_secret_while_those_who_waited_may_begin_an_anonymous_match(tmp_path):
    async with open_masked_site(tmp_path) as site:
        store = site.sources.store
        await store.results.end_match(over(masked_row(FIRST)))
        await store.pools.add_round(RoundRow("R2", "open", CREATED_AT - 30.0, {"version": 1}))
        answer = await site.client.get("/pools/open/rounds/R2")

    assert answer.status_code == 403


async def test_seating_of_an_anonymous_match_that_is_over_waits_for_those_beside_it(tmp_path):
    """The costs of the second seating count the meeting of Ann and Bob in the first match, which still runs."""
    async with open_masked_site(tmp_path) as site:
        results = site.sources.store.results
        await add_seating(site, SECOND, MADE + 60.0)
        await results.add_match(masked_row(SECOND))
        await results.end_match(over(masked_row(SECOND)))
        while_it_runs = await read(site, f"/matches/{SECOND}.json")
        await results.end_match(over(masked_row(FIRST)))
        afterwards = await read(site, f"/matches/{SECOND}.json")

    assert while_it_runs["pool_seating"] is None
    assert [each["bot"] for each in afterwards["pool_seating"]["seated"]] == ["ann", "bob"]


async def test_round_is_secret_while_the_seats_of_its_anonymous_match_are_offered(tmp_path):
    async with open_new_site(tmp_path) as site:
        pools = site.sources.store.pools
        await pools.open_season(SeasonRow("masked", 1, 1.0, "digest", {"terms": {"anonymous": True}}))
        await add_seating(site, FIRST, MADE)
        answer = await site.client.get(f"/pools/masked/rounds/R-{FIRST}")

    assert answer.status_code == 403
