"""Owners log in with a code, and see what their own bots knew and did wrong, and nothing of others."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import update

from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.server.store.tables import DEALS
from tests.organizer.report.reading import Page
from tests.support.pool_data import ENDED, FOREIGN, MASKED_RUNNING, RUNNING, SPOKEN
from tests.support.server import open_server, slow_pace
from tests.support.wire_bot import begins_game, play_lowest
from tests.web.conftest import FROM_HERE, PoolSite, open_client, open_sources

PRIVATE = (
    "/me",
    "/me.json",
    "/me/bots/Ann",
    "/me/bots/Ann.json",
    f"/me/bots/Ann/matches/{ENDED}",
    f"/me/bots/Ann/matches/{ENDED}/games/0",
    f"/me/bots/Ann/matches/{RUNNING}/games/0.json",
)


async def test_code_opens_a_session_once(pool_site):
    code, _ = await pool_site.sources.store.logins.create_code("Ada")

    first = await pool_site.client.post("/login", data={"code": f" {code} "}, headers=FROM_HERE)
    pool_site.client.cookies.clear()
    again = await pool_site.client.post("/login", data={"code": code}, headers=FROM_HERE)

    assert (first.status_code, first.headers["location"]) == (303, "/me")
    cookie = first.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/", "Max-Age=1209600"))
    assert code not in cookie
    assert again.status_code == 403
    assert 'action="/login"' in again.text, "the next code can be entered at once"
    assert "set-cookie" not in again.headers


async def test_cookie_is_bound_to_the_host_and_to_tls_if_the_site_has_tls(pool_data):
    async with open_sources(pool_data, public_url="https://arena.example") as sources, open_client(sources) as client:
        code, _ = await sources.store.logins.create_code("Ada")
        headers = {"Host": "arena.example", "Origin": "https://arena.example"}
        answer = await client.post("/login", data={"code": code}, headers=headers)

    assert answer.headers["set-cookie"].startswith("__Host-session=cas_")
    assert "; Secure" in answer.headers["set-cookie"]
    assert "Domain" not in answer.headers["set-cookie"]


@pytest.mark.parametrize("path", PRIVATE)
async def test_private_page_needs_a_login_and_is_kept_by_nobody(pool_site, path):
    refused = await pool_site.client.get(path)
    await pool_site.log_in("Ada")
    shown = await pool_site.client.get(path)

    assert (refused.status_code, shown.status_code) == (401, 200)
    assert refused.headers["cache-control"] == shown.headers["cache-control"] == "no-store"


async def test_owner_sees_tokens_without_their_secrets(pool_site):
    await pool_site.log_in("Ada")

    account = (await pool_site.client.get("/me.json")).json()

    (bot,) = account["bots"]
    (token,) = bot["tokens"]
    assert (account["owner"], bot["name"], token["scopes"]) == ("Ada", "Ann", ["play"])
    assert (len(token["handle"]), token["last_used_at"]) == (12, None)
    assert [(each["state"], each["bot_limit"]) for each in account["invitations"]] == [("open", 2)]
    assert "Bea" not in (await pool_site.client.get("/me")).text


async def test_owner_sees_own_notes_and_faults_with_their_causes(pool_site):
    await pool_site.log_in("Ada")

    game = (await pool_site.client.get(f"/me/bots/Ann/matches/{ENDED}/games/0")).text
    own = (await pool_site.client.get(f"/me/bots/Ann/matches/{ENDED}.json")).json()["own"]

    assert SPOKEN in game
    (fault,) = own["faults"]
    assert (fault["kind"], fault["blame"], fault["turn"]) == ("late", "bot", 3)
    assert "the bot's own fault" in fault["explanation"].lower()
    assert "only for Bea" not in str(own)
    assert SPOKEN not in (await pool_site.client.get(f"/matches/{ENDED}/games/0")).text


async def test_matches_are_told_by_places_and_opponents(pool_site):
    await pool_site.log_in("Ada")

    page = (await pool_site.client.get("/me/bots/Ann")).text
    listed = (await pool_site.client.get("/me/bots/Ann.json")).json()["matches"]

    assert [(each["standing"], each["opponents"]) for each in listed] == [
        ("", ["entrant 1", "entrant 2"]),
        ("", ["Bob", "Cid"]),
        ("shared 1st of 3", ["Bob", "Cid"]),
    ]
    assert f'href="/me/bots/Ann/matches/{ENDED}/games/0#t3"' in page, "a fault leads to its turn"


@pytest.mark.parametrize(
    "path",
    ["/", "/matches", "/pools/main hall", "/bots/Ann", f"/matches/{ENDED}/games/0", "/me", "/me/bots/Ann",
     f"/me/bots/Ann/matches/{ENDED}/games/0"],
)  # fmt: skip
async def test_ids_are_in_links_and_not_in_texts(pool_site, path):
    """A match's own page alone says its id, for commands."""
    await pool_site.log_in("Ada")

    texts = " ".join(Page((await pool_site.client.get(path)).text).texts)

    assert "Ann" in texts
    assert re.search(r"\b01[0-9A-Z]{24}\b", texts) is None


async def test_view_of_a_match_that_runs_has_finished_games_and_one_hand(pool_site):
    await pool_site.log_in("Ada")

    listed = (await pool_site.client.get("/me/bots/Ann.json")).json()["matches"]
    shown = await pool_site.client.get(f"/me/bots/Ann/matches/{RUNNING}/games/0.json")
    later = await pool_site.client.get(f"/me/bots/Ann/matches/{RUNNING}/games/1")

    assert [(each["match"]["match_id"], each["games_finished"]) for each in listed[:2]] == [
        (MASKED_RUNNING, 1),
        (RUNNING, 1),
    ]
    assert {len(line["hands"]) for line in shown.json()["lines"]} == {1}
    assert (later.status_code, "is not over" in later.text) == (403, True)


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[tuple[PoolSite, str]]:
    """A match of three games that a server runs, the first of which is over, and the site of its data folder."""
    async with open_server(tmp_path / "data") as arena:
        await arena.store.owners.add("Ada", "", 3)
        await arena.store.tokens.create("Ada", ["own"], owner="Ada")
        arena.tokens["Ann"] = (await arena.store.owners.create_bot("Ada", "Ann")).secret
        match, bots = await arena.seat_bots("Ann", "Bob", pace=slow_pace(), game_count=3, anonymous=True)
        await asyncio.gather(*(bot.play(play_lowest, stop=begins_game(1)) for bot in bots))
        async with open_sources(tmp_path / "data") as sources, open_client(sources) as client:
            site = PoolSite(client, sources)
            await site.log_in("Ada")
            yield site, match.match_id


async def test_match_that_a_server_runs_shows_its_finished_games_to_owners(served):
    site, match_id = served
    (listed,) = (await site.client.get("/me/bots/Ann.json")).json()["matches"]
    page = (await site.client.get(f"/me/bots/Ann/matches/{match_id}")).text
    first = await site.client.get(f"/me/bots/Ann/matches/{match_id}/games/0.json")
    second = await site.client.get(f"/me/bots/Ann/matches/{match_id}/games/1.json")

    assert (listed["match"]["state"], listed["games_finished"], listed["match"]["games_finished"]) == ("running", 1, 0)
    assert (f"/matches/{match_id}/games/0" in page, f"/matches/{match_id}/games/1" in page) == (True, False)
    assert {len(line["hands"]) for line in first.json()["lines"]} == {1}
    assert "Bob" not in page + first.text
    assert (second.status_code, "game 1 is not over" in second.text) == (403, True)
    assert (await site.client.get(f"/matches/{match_id}/games/0")).status_code == 403


async def test_finished_game_whose_cards_other_tables_still_use_is_shown_to_nobody(served):
    site, match_id = served
    shared = update(DEALS).values(deal_id=f"{SHARED_DEAL_PREFIX}01ARYZ6S41TSV4RRFFQ69G5FAV.1.0")
    await site.sources.store.database.write(lambda connection: connection.execute(shared))

    own = (await site.client.get(f"/me/bots/Ann/matches/{match_id}.json")).json()["own"]
    refused = await site.client.get(f"/me/bots/Ann/matches/{match_id}/games/0.json")

    assert (own["games_finished"], own["is_secret"]) == (0, True)
    assert "shares its cards with other games" in refused.json()["error"]


async def test_names_of_an_anonymous_match_are_hidden_from_owners_too(pool_site):
    await pool_site.log_in("Ada")

    for path in ("", "/games/0", "/games/0.json"):
        text = (await pool_site.client.get(f"/me/bots/Ann/matches/{MASKED_RUNNING}{path}")).text
        assert "Bob" not in text
        assert "entrant 1" in text


@pytest.mark.parametrize(
    "path",
    [
        "/me/bots/Bob",
        "/me/bots/nobody",
        "/me/bots/house-honest",
        f"/me/bots/Bob/matches/{ENDED}",
        f"/me/bots/Bob/matches/{ENDED}/games/0",
        f"/me/bots/Ann/matches/{FOREIGN}",
        f"/me/bots/Ann/matches/{FOREIGN}/games/0",
    ],
)
async def test_pages_of_others_seem_not_to_exist(pool_site, path):
    """The same answer as for a name or a match that nobody has."""
    await pool_site.log_in("Ada")
    answer = await pool_site.client.get(path, headers={"Accept": "application/json"})
    nobody = await pool_site.client.get(path.replace("Bob", "Box").replace(FOREIGN, f"{FOREIGN[:-1]}Z") + ".json")

    assert answer.status_code == nobody.status_code == 404
    asked, other = answer.json()["error"], nobody.json()["error"]
    assert asked.replace("Bob", "Box").replace(FOREIGN, f"{FOREIGN[:-1]}Z") == other


async def test_seat_of_another_entrant_is_refused(pool_site):
    await pool_site.log_in("Ada")

    answer = await pool_site.client.get(f"/me/bots/Ann/matches/{ENDED}/games/0?entrant=1")

    assert answer.status_code == 403


async def log_out(site: PoolSite) -> int:
    page = (await site.client.get("/me")).text
    token = page.partition('name="form_token" value="')[2].partition('"')[0]
    answer = await site.client.post("/logout", data={"form_token": token}, headers=FROM_HERE)
    return answer.status_code


async def test_logout_ends_the_session_for_every_copy_of_the_cookie(pool_site):
    await pool_site.log_in("Ada")
    cookie = dict(pool_site.client.cookies)

    assert await log_out(pool_site) == 303
    assert (await pool_site.client.get("/me")).status_code == 401
    pool_site.client.cookies.update(cookie)
    assert (await pool_site.client.get("/me")).status_code == 401


async def test_banned_owner_is_told_why_and_sees_nothing_until_the_ban_is_lifted(pool_site):
    await pool_site.log_in("Ada")
    bans = pool_site.sources.store.bans
    await bans.ban("Ada", "two accounts")

    answer = await pool_site.client.get("/me.json")
    assert answer.status_code == 403
    assert answer.json()["error"] == "'Ada' is banned from this server: two accounts"

    await bans.lift("Ada")
    assert (await pool_site.client.get("/me.json")).json()["owner"] == "Ada"


async def test_login_replaces_the_session_that_there_was(pool_site):
    await pool_site.log_in("Ada")
    first = pool_site.client.cookies["session"]
    await pool_site.log_in("Bea")

    assert (await pool_site.client.get("/me.json")).json()["owner"] == "Bea"
    pool_site.client.cookies.clear()
    pool_site.client.cookies.set("session", first)
    assert (await pool_site.client.get("/me")).status_code == 401
