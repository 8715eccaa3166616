"""The description of the JSON fits the JSON."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from arena.web.page_list import PAGES
from arena.web.pages.bot import BotView
from arena.web.pages.home import Home
from arena.web.pages.match import MatchView
from arena.web.pages.matches import MatchList
from arena.web.pages.owner.account import Account
from arena.web.pages.owner.own_bot import OwnBotView, OwnMatchView
from arena.web.pages.owner.submission import SubmissionView
from arena.web.pages.owner.submissions import SubmissionList
from arena.web.pages.pool import PoolList, PoolView
from arena.web.pages.replay import ReplayView
from tests.support.pool_data import ENDED
from tests.support.submission_data import add_owners, add_submission, try_submission
from tests.support.web_data import IDS, RUNNING, TWO_GAMES
from tests.web.conftest import PoolSite, open_client, open_sources


def test_paths_stay():
    assert [f"{page.method} {page.path}" for page in PAGES] == [
        "GET /",
        "GET /search",
        "GET /matches",
        "GET /matches/{match_id}",
        "GET /matches/{match_id}/events",
        "GET /pools/{name}/live",
        "GET /matches/{match_id}/games/{game}",
        "GET /matches/{match_id}/replay-file",
        "GET /pools",
        "GET /pools/{name}",
        "GET /pools/{name}/seasons/{season}",
        "GET /pools/{name}/rounds/{round_id}",
        "GET /pools/{name}/seasons/{season}/report/{file}",
        "GET /bots/{name}",
        "GET /bots/{name}/against/{other}",
        "GET /leagues",
        "GET /leagues/{name}",
        "GET /leagues/{name}/proof",
        "GET /verify",
        "GET /verify/{name}",
        "GET /feed.atom",
        "GET /pools/{name}/feed.atom",
        "GET /embed/matches/{match_id}",
        "GET /imprint",
        "GET /privacy",
        "GET /site/logo",
        "GET /robots.txt",
        "GET /login",
        "POST /login",
        "POST /logout",
        "GET /me",
        "GET /me/bots/{name}",
        "GET /me/bots/{name}/matches/{match_id}",
        "GET /me/bots/{name}/matches/{match_id}/games/{game}",
        "GET /me/submissions",
        "POST /me/submissions",
        "GET /me/submissions/{submission_id}",
        "POST /me/submissions/{submission_id}/{change}",
        "GET /overview",
        "GET /overview/submissions/{submission_id}",
        "GET /api/openapi.json",
    ]


async def test_description_names_every_page_with_its_parameters(site):
    document = (await site.get("/api/openapi.json")).json()

    assert document["openapi"].startswith("3.1.")
    assert {*document["paths"]} == {page.json_path or page.path for page in PAGES}
    for path, methods in document["paths"].items():
        for described in methods.values():
            in_path = {each["name"] for each in described["parameters"] if each["in"] == "path"}
            assert in_path == {part[1:].partition("}")[0] for part in path.split("/") if part.startswith("{")}
            assert described["responses"]["200"]["description"]


def references(value: Any) -> set[str]:
    """Return the schemas to which a document refers."""
    if isinstance(value, dict):
        return {value["$ref"]} if "$ref" in value else set().union(*map(references, value.values()))
    return set().union(*map(references, value)) if isinstance(value, list) else set()


async def test_every_reference_leads_to_a_schema(site):
    document = (await site.get("/api/openapi.json")).json()

    names = {each.removeprefix("#/components/schemas/") for each in references(document)}
    assert names <= {*document["components"]["schemas"]}
    assert {"Home", "MatchList", "MatchLine", "MatchView", "ReplayView", "Error"} <= names


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/index.json", Home),
        ("/pools.json", PoolList),
        ("/pools/main%20hall.json", PoolView),
        ("/pools/main%20hall/seasons/1.json", PoolView),
        ("/bots/Ann.json", BotView),
        ("/bots/Cid.json", BotView),
        (f"/matches/{ENDED}.json", MatchView),
        ("/me.json", Account),
        ("/me/bots/Ann.json", OwnBotView),
        (f"/me/bots/Ann/matches/{ENDED}.json", OwnMatchView),
        (f"/me/bots/Ann/matches/{ENDED}/games/0.json", ReplayView),
    ],
)
async def test_json_of_pools_and_owners_is_a_value_of_its_described_type(pool_site, path, kind):
    await pool_site.log_in("Ada")
    answer = (await pool_site.client.get(path)).json()

    value = TypeAdapter(kind).validate_python(answer)
    assert TypeAdapter(kind).dump_python(value, mode="json") == answer


async def test_json_of_submissions_is_a_value_of_its_described_type(tmp_path):
    async with open_sources(tmp_path / "data") as sources, open_client(sources) as client:
        await add_owners(sources.store)
        row = await add_submission(sources.store, "1")
        await try_submission(sources.store, row.submission_id, log="a log\n")
        await PoolSite(client, sources).log_in("Ada")
        for path, kind in (
            ("/me/submissions.json", SubmissionList),
            (f"/me/submissions/{row.submission_id}.json", SubmissionView),
            ("/bots/counter.json", BotView),
            ("/me/bots/counter.json", OwnBotView),
        ):
            answer = (await client.get(path)).json()
            adapter = TypeAdapter(kind)
            assert adapter.dump_python(adapter.validate_python(answer), mode="json") == answer


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/index.json", Home),
        ("/matches.json", MatchList),
        *((f"/matches/{match_id}.json", MatchView) for match_id in IDS),
        (f"/matches/{TWO_GAMES}/games/0.json", ReplayView),
        (f"/matches/{TWO_GAMES}/games/1.json?seat=2", ReplayView),
    ],
)
async def test_json_is_a_value_of_its_described_type(site, path, kind):
    """No field more, none fewer, each of its type."""
    answer = (await site.get(path)).json()

    value = TypeAdapter(kind).validate_python(answer)
    assert TypeAdapter(kind).dump_python(value, mode="json") == answer


async def test_described_fields_have_their_meaning(site):
    schemas = (await site.get("/api/openapi.json")).json()["components"]["schemas"]

    assert set(schemas["MatchLine"]["required"]) >= {"match_id", "state", "entrants"}
    assert RUNNING not in str(schemas)
