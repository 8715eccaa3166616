"""Attacks on the pages, as a table: each is refused with a status and a sentence, or inert: nothing comes of it."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import pytest

from arena.server.store.login_store import CODE_S, SESSION_S, LoginStore
from arena.server.store.secret_text import LOGIN_CODE_PREFIX, WEB_SESSION_PREFIX, make_secret
from arena.web.page_list import PAGES
from tests.support.hostile_data import make_hostile_data
from tests.support.pool_data import ENDED, RUNNING
from tests.web.conftest import ALLOWED, FROM_HERE, PoolSite, open_client, open_sources, run_site
from tests.web.inert import check_inert

EVIL: Final = "https://evil.example"


# ---- requests that are refused, or have no effect


@dataclass(frozen=True)
class Attack:
    """A request and what has to become of it."""

    path: str
    status: int
    """Below 400 if the request is answered, but the attack is inert."""
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] | None = None
    body: bytes | None = None
    absent: str = ""
    """What the answer may not have, in its headers or text."""


POSTED: Final[dict[str, Any]] = {"method": "POST", "form": {"code": "x"}}
REQUESTS: Final[dict[str, Attack]] = {
    # ids
    "climb out of the folder": Attack("/matches/%2e%2e%2f%2e%2e%2fetc%2fpasswd", 404, absent="root:"),
    "climb out with backslashes": Attack("/static/..%5c..%5carena.db", 404),
    "climb out, encoded twice": Attack("/static/%252e%252e%252farena.db", 404),
    "climb out of a report": Attack("/pools/main%20hall/seasons/1/report/%2e%2e%2f%2e%2e%2farena.db", 404),
    "SQL in an id": Attack("/matches/'%20OR%20'1'%3D'1", 404),
    "SQL in the name of a bot": Attack("/bots/x'%3B%20DROP%20TABLE%20match%3B--", 404),
    "SQL in a parameter": Attack("/matches?bot='%20OR%20'1'%3D'1", 200, absent=ENDED),
    "SQL pattern": Attack("/bots/%25", 404),
    "NUL in an id": Attack("/pools/open%00", 404),
    "NUL in a parameter": Attack("/matches?bot=%00", 200, absent=ENDED),
    "overlong UTF-8": Attack("/bots/%c0%ae%c0%ae%c0%af", 404),
    "broken UTF-8 in a parameter": Attack("/matches?bot=%ff%fe", 200, absent=ENDED),
    "huge number": Attack(f"/pools/open/seasons/{'9' * 400}", 400),
    "number in other digits": Attack("/pools/open/seasons/%EF%BC%91", 400),
    "negative number": Attack("/pools/open/seasons/-1", 400),
    "look-alike of a name": Attack("/bots/%D0%90nn", 404),
    "deep path": Attack("/bots/" + "a/" * 500, 404),
    "huge id": Attack("/bots/" + "a" * 2_000, 404),
    "huge query": Attack("/pools?x=" + "y" * 5_000, 414),
    # logins
    "forged code": Attack("/login", 403, "POST", FROM_HERE, {"code": make_secret(LOGIN_CODE_PREFIX)}),
    "code without a form": Attack("/login", 403, "POST", FROM_HERE, {"key": "x"}),
    "code in the address": Attack(f"/login?code={make_secret(LOGIN_CODE_PREFIX)}", 200),
    "forged session": Attack("/me", 401, headers={"Cookie": f"session={make_secret(WEB_SESSION_PREFIX)}"}),
    "login code as a session": Attack("/me", 401, headers={"Cookie": f"session={make_secret(LOGIN_CODE_PREFIX)}"}),
    "garbage as a session": Attack("/me", 401, headers={"Cookie": 'session="\\000; owner=Ada'}),
    "name of an owner as a session": Attack("/me", 401, headers={"Cookie": "session=Ada; owner=Ada; user=Ada"}),
    "token in a header": Attack("/me", 401, headers={"Authorization": f"Bearer {make_secret('cat_')}"}),
    # submissions
    "archive without a session": Attack("/me/submissions", 401, "POST", FROM_HERE, body=b"x" * 500_000),
    "archive that another site sends": Attack("/me/submissions", 403, "POST", {"Origin": EVIL}, body=b"x" * 500_000),
    "archive without an origin": Attack("/me/submissions", 403, "POST", body=b"x"),
    "archive for another page": Attack("/me/submissions/", 413, "POST", FROM_HERE, body=b"x" * 500_000),
    "submissions without a session": Attack("/me/submissions", 401),
    "overview without a session": Attack("/overview", 401),
    "name of an organizer as a session": Attack("/overview", 401, headers={"Cookie": "session=organizer:me"}),
    "submission without a session": Attack(f"/me/submissions/{ENDED}", 401),
    "submission by SQL": Attack("/me/submissions/'%20OR%20'1'%3D'1", 401),
    "withdrawal without a session": Attack(f"/me/submissions/{ENDED}/withdraw", 401, "POST", FROM_HERE, {"sure": "on"}),
    "withdrawal that another site sends": Attack(
        f"/me/submissions/{ENDED}/withdraw", 403, "POST", {"Origin": EVIL}, {"sure": "on"}
    ),
    "withdrawal by a link": Attack(f"/me/submissions/{ENDED}/withdraw", 405),
    # requests
    "form of another site": Attack("/login", 403, **POSTED, headers={"Origin": EVIL}),
    "form without an origin": Attack("/login", 403, **POSTED),
    "form with the origin null": Attack("/login", 403, **POSTED, headers={"Origin": "null"}),
    "form of another port": Attack("/login", 403, **POSTED, headers={"Origin": "http://127.0.0.1:8001"}),
    "form with another scheme": Attack("/login", 403, **POSTED, headers={"Origin": "https://127.0.0.1"}),
    "form with a deceiving origin": Attack(
        "/login", 403, **POSTED, headers={"Origin": "http://127.0.0.1@evil.example"}
    ),
    "form that the browser calls foreign": Attack(
        "/login", 403, **POSTED, headers={**FROM_HERE, "Sec-Fetch-Site": "cross-site"}
    ),
    "form of a neighbour": Attack("/login", 403, **POSTED, headers={**FROM_HERE, "Sec-Fetch-Site": "same-site"}),
    "form as plain text": Attack(
        "/login", 415, "POST", {**FROM_HERE, "Content-Type": "text/plain"}, body=b"code=x&form_token=y"
    ),
    "form of many fields": Attack("/login", 400, "POST", FROM_HERE, form={f"f{number}": "x" for number in range(99)}),
    "form that is too large": Attack("/login", 413, "POST", FROM_HERE, form={"code": "x" * 5_000}),
    "form that is no text": Attack(
        "/login",
        400,
        "POST",
        {**FROM_HERE, "Content-Type": "application/x-www-form-urlencoded"},
        body=b"code=\xff\xfe",
    ),
    "other method in a header": Attack("/logout", 405, headers={"X-HTTP-Method-Override": "POST"}),
    "other method in a parameter": Attack("/login?_method=DELETE", 200),
    "method that changes a page": Attack("/pools/open", 405, "DELETE"),
    "wrong host": Attack("/login", 400, headers={"Host": "evil.example"}),
    "host with a user": Attack("/login", 400, headers={"Host": "127.0.0.1@evil.example"}),
    "foreign host from a proxy": Attack(
        "/feed.atom", 200, headers={"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}, absent="evil"
    ),
    "foreign path from a proxy": Attack("/", 200, headers={"X-Original-URL": "/me", "X-Rewrite-URL": "/evil"}),
    "line break in a parameter": Attack("/matches?bot=x%0d%0aSet-Cookie:%20session=x", 200),
    "line break in a path": Attack("/bots/x%0d%0aSet-Cookie:%20session=x", 404),
    "redirect to another site": Attack(f"/login?next={EVIL}&url={EVIL}", 200, absent="evil.example"),
    "redirect by two slashes": Attack("//evil.example/pools/", 404, absent="evil.example"),
    "many ranges": Attack("/pools", 200, headers={"Range": "bytes=" + ",".join(["0-"] * 500)}),
}


@pytest.mark.parametrize("what", REQUESTS)
async def test_hostile_request_is_refused_or_inert(pool_site, what):
    """A refusal says one sentence, and no cache keeps it."""
    attack = REQUESTS[what]
    body: dict[str, Any] = {"data": attack.form} if attack.form is not None else {"content": attack.body}
    url = f"http://127.0.0.1{attack.path}"

    answer = await pool_site.client.request(attack.method, url, headers=dict(attack.headers), **body)

    assert answer.status_code == attack.status
    check_inert(answer.text) if answer.headers["content-type"].startswith("text/html") else None
    if attack.status >= 400:
        assert answer.headers["cache-control"] == "no-store"
        assert "<h1>" in answer.text
    assert "set-cookie" not in answer.headers
    seen = "\n".join([*answer.headers, *answer.headers.values(), answer.text]).lower()
    assert not attack.absent or attack.absent.lower() not in seen
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


# ---- logins that need more than one step


async def _post_code(site: PoolSite, code: str) -> httpx.Response:
    return await site.client.post("/login", data={"code": code}, headers=FROM_HERE)


async def _expired_code(site: PoolSite) -> httpx.Response:
    old = LoginStore(site.sources.store.database, now=lambda: time.time() - CODE_S - 1)
    return await _post_code(site, (await old.create_code("Bea"))[0])


async def _reused_code(site: PoolSite) -> httpx.Response:
    code, _ = await site.sources.store.logins.create_code("Ada")
    await _post_code(site, code)
    site.client.cookies.clear()
    return await _post_code(site, code)


async def _forged_code(site: PoolSite) -> httpx.Response:
    return await _post_code(site, make_secret(LOGIN_CODE_PREFIX))


async def _changed_code(site: PoolSite) -> httpx.Response:
    code, _ = await site.sources.store.logins.create_code("Ada")
    answer = await _post_code(site, code[:-1] + ("a" if code[-1] != "a" else "b"))
    await site.sources.store.logins.redeem_code(code)
    return answer


async def test_refused_codes_cannot_be_told_apart(pool_site):
    """Forged, changed, used or expired: the same status, the same headers and the same page."""
    answers = [await act(pool_site) for act in (_forged_code, _changed_code, _reused_code, _expired_code)]

    assert {answer.status_code for answer in answers} == {403}
    assert len({answer.text for answer in answers}) == 1
    assert len({tuple(sorted(answer.headers.items())) for answer in answers}) == 1


async def _tamper(site: PoolSite) -> int:
    cookie = site.client.cookies["session"]
    return await _ask_with(site, cookie[:20] + ("a" if cookie[20] != "a" else "b") + cookie[21:])


async def _expire(site: PoolSite) -> int:
    old = LoginStore(site.sources.store.database, now=lambda: time.time() - SESSION_S - 1)
    return await _ask_with(site, await old.redeem_code((await old.create_code("Ada"))[0]))


async def _steal_after_logout(site: PoolSite) -> int:
    cookie, token = site.client.cookies["session"], await _form_token(site)
    await site.client.post("/logout", data={"form_token": token}, headers=FROM_HERE)
    return await _ask_with(site, cookie)


async def _leave_without_token(site: PoolSite) -> int:
    return (await site.client.post("/logout", data={"x": "y"}, headers=FROM_HERE)).status_code


async def _leave_with_foreign_token(site: PoolSite) -> int:
    token = await _form_token(site)
    await site.log_in("Bea")
    return (await site.client.post("/logout", data={"form_token": token}, headers=FROM_HERE)).status_code


async def _leave_from_elsewhere(site: PoolSite) -> int:
    token = await _form_token(site)
    answer = await site.client.post("/logout", data={"form_token": token}, headers={"Origin": EVIL})
    return answer.status_code


async def _read_bot_of_another(site: PoolSite) -> int:
    return (await site.client.get(f"/me/bots/Bob/matches/{RUNNING}/games/0")).status_code


async def _ask_with(site: PoolSite, cookie: str) -> int:
    site.client.cookies.clear()
    site.client.cookies.set("session", cookie)
    return (await site.client.get("/me")).status_code


async def _form_token(site: PoolSite) -> str:
    return (await site.client.get("/me")).text.partition('name="form_token" value="')[2].partition('"')[0]


SESSIONS: Final[dict[str, tuple[Callable[[PoolSite], Awaitable[int]], int]]] = {
    "changed cookie": (_tamper, 401),
    "expired session": (_expire, 401),
    "cookie that was stolen, after the logout": (_steal_after_logout, 401),
    "logout without the token of the form": (_leave_without_token, 403),
    "logout with the token of another session": (_leave_with_foreign_token, 403),
    "logout that another site sends": (_leave_from_elsewhere, 403),
    "bot of another owner": (_read_bot_of_another, 404),
}


@pytest.mark.parametrize("what", SESSIONS)
async def test_hostile_use_of_a_session_is_refused(pool_site, what):
    act, status = SESSIONS[what]
    await pool_site.log_in("Ada")

    assert await act(pool_site) == status


async def test_session_that_an_attacker_has_chosen_is_never_used(pool_site):
    """Session fixation: a login makes a new secret, whatever cookie was there."""
    chosen = make_secret(WEB_SESSION_PREFIX)
    pool_site.client.cookies.set("session", chosen)

    answer = await pool_site.log_in("Ada")

    assert chosen not in answer.headers["set-cookie"]
    assert await _ask_with(pool_site, chosen) == 401


async def test_codes_cannot_be_tried_one_after_the_other(pool_data):
    """Ten attempts of an address; then not even a right code counts."""
    async with open_sources(pool_data, replace(ALLOWED, logins_a_minute=10)) as sources, open_client(sources) as client:
        site = PoolSite(client, sources)
        statuses = [(await _forged_code(site)).status_code for _ in range(11)]
        right = await site.log_in("Ada")

    assert statuses == [*[403] * 10, 429]
    assert (right.status_code, right.headers["retry-after"]) == (429, "60")


async def test_revoked_owner_is_logged_out_at_once(tmp_path):
    await asyncio.to_thread(make_hostile_data, tmp_path / "data")
    async with open_sources(tmp_path / "data") as sources, open_client(sources) as client:
        site = PoolSite(client, sources)
        await site.log_in("Ada")
        before = (await client.get("/me")).status_code
        await sources.store.tokens.revoke("Ada")
        after = (await client.get("/me")).status_code

    assert (before, after) == (200, 401)


# ---- cards, and connections


@pytest.mark.parametrize("reader", ["nobody", "Bea"])
async def test_no_url_of_a_running_match_shows_the_cards_of_others(pool_site, reader):
    """Every page that has the id of a match in its path, in every form, for nobody and for an opponent."""
    if reader != "nobody":
        await pool_site.log_in(reader)
    routes = [page for page in PAGES if "{match_id}" in page.path and page.media_type != "text/event-stream"]
    assert len(routes) >= 5
    for page in routes:
        for pattern in filter(None, (page.path, page.json_path)):
            path = pattern.format(match_id=RUNNING, game=0, name="Ann")
            for query in ("", "?seat=0", "?entrant=0", "?seat=0&entrant=0"):
                answer = await pool_site.client.get(path + query)
                is_summary = page.path == "/matches/{match_id}"
                assert answer.status_code == 200 if is_summary else answer.status_code in (401, 403, 404)
                assert '"hands"' not in answer.text
                assert 'class="cards"' not in answer.text


def test_form_that_never_becomes_whole_is_cut(pool_data):
    """Slow loris: the body of a login does not come."""
    with run_site(pool_data, replace(ALLOWED, request_s=0.2)) as url:
        parts = urlsplit(url)
        with socket.create_connection((parts.hostname, parts.port), timeout=20) as line:
            line.sendall(b"POST /login HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n")
            line.sendall(b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 50\r\n\r\ncode=")

            assert b"303" not in line.recv(65_536)


async def test_form_without_a_length_is_cut_at_its_limit(pool_site):
    """A body in chunks says nothing of its size; the site reads no more than it allows."""

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b"x" * 8_192

    headers = {**FROM_HERE, "Content-Type": "application/x-www-form-urlencoded"}
    answer = await pool_site.client.post("/login", content=chunks(), headers=headers)

    assert answer.status_code == 413
