"""An organizer logs in to the overview, and sees everybody's bots and logs. Nobody else does."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest

from arena.errors import DeniedError
from arena.server.store.account_values import Scope
from arena.server.store.open_store import open_store
from tests.support.hostile_data import HOSTILE_TEXTS, make_hostile_data
from tests.support.submission_data import add_owners, add_submission, refuse_submission
from tests.web.conftest import FROM_HERE, PoolSite, open_client, open_sources
from tests.web.inert import check_inert

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
async def site(tmp_path) -> AsyncIterator[PoolSite]:
    """Ada has submitted a version that was refused, and "me" is the name of an organizer's token."""
    async with await open_store(tmp_path / "data") as store:
        await add_owners(store)
        row = await add_submission(store, "1.0")
        await refuse_submission(store, row.submission_id, HOSTILE, f"no compiler\n{HOSTILE}")
        await store.tokens.create("me", [Scope.ORGANIZE], timedelta(days=1))
        async with open_sources(tmp_path / "data") as sources, open_client(sources) as client:
            yield PoolSite(client, sources)


async def log_in(site: PoolSite) -> httpx.Response:
    code, _ = await site.sources.store.logins.create_organizer_code("me")
    return await site.client.post("/login", data={"code": code}, headers=FROM_HERE)


async def test_organizer_sees_every_bot_and_its_log(site: PoolSite):
    assert (await log_in(site)).headers["location"] == "/overview"

    overview = await site.client.get("/overview")
    [line] = [each for each in (await site.client.get("/overview.json")).json()["lines"] if each["bot"] == "counter"]
    submission = await site.client.get(f"/overview/submissions/{line['submission_id']}")

    assert (line["owner"], line["version"], line["state"]) == ("Ada", "1.0", "refused")
    assert line["sentence"].endswith(HOSTILE)
    assert "no compiler" in submission.text
    assert "<form" not in submission.text
    check_inert(overview.text)
    check_inert(submission.text)


async def test_overview_is_closed_to_owners_and_strangers(site: PoolSite):
    [row] = await site.sources.store.submissions.list()
    paths = (
        "/overview",
        "/overview.json",
        f"/overview/submissions/{row.submission_id}",
        "/overview/submissions/unknown",
    )

    assert {(await site.client.get(path)).status_code for path in paths} == {401}
    await site.log_in("Ada")
    assert {(await site.client.get(path)).status_code for path in paths} == {403}


async def test_organizer_has_no_pages_of_an_owner(site: PoolSite):
    await log_in(site)

    assert (await site.client.get("/me")).status_code == 403
    assert (await site.client.get("/me/submissions")).status_code == 403


async def test_session_ends_with_the_token_and_at_log_out(site: PoolSite):
    await log_in(site)
    form = (await site.client.get("/overview")).text.partition('name="form_token" value="')[2].partition('"')[0]
    await site.client.post("/logout", data={"form_token": form}, headers=FROM_HERE)
    assert (await site.client.get("/overview")).status_code == 401

    await log_in(site)
    await site.sources.store.tokens.revoke("me")
    assert (await site.client.get("/overview")).status_code == 401


async def test_only_a_valid_token_of_an_organizer_gets_a_code(site: PoolSite):
    await site.sources.store.tokens.create("guest", [Scope.SPECTATE], timedelta(days=1))

    for name in ("Ada", "guest", "nobody"):
        with pytest.raises(DeniedError, match="has the scope 'organize'"):
            await site.sources.store.logins.create_organizer_code(name)


async def test_hostile_texts_are_inert_in_the_overview(tmp_path):
    await asyncio.to_thread(make_hostile_data, tmp_path / "data")
    async with open_sources(tmp_path / "data") as sources, open_client(sources) as client:
        await sources.store.tokens.create("me", [Scope.ORGANIZE], timedelta(days=1))
        site = PoolSite(client, sources)
        await log_in(site)

        overview = await client.get("/overview")
        lines = (await client.get("/overview.json")).json()["lines"]
        pages = [
            await client.get(f"/overview/submissions/{each['submission_id']}") for each in lines if each["version"]
        ]

    assert any(text in str(lines) for text in HOSTILE_TEXTS.values())
    for page in (overview, *pages):
        assert page.status_code == 200
        check_inert(page.text)
