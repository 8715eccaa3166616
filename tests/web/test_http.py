"""How the site speaks HTTP: methods, forms, conditional requests, compression, headers, errors."""

from random import Random

import pytest
from starlette.routing import Route

from arena.errors import StoreAwayError, StoreDamagedError, StoreLockedError
from arena.web.application import build_application
from arena.web.page import Asked, Page, PageRoute
from tests.support.web_data import RUNNING, TWO_GAMES
from tests.web.conftest import open_client, open_sources

PATHS = (
    "/",
    "/matches",
    f"/matches/{TWO_GAMES}",
    f"/matches/{TWO_GAMES}/games/0",
    "/leagues",
    "/verify",
    "/feed.atom",
    "/api/openapi.json",
    "/pools",
    "/bots/Ann",
    "/login",
)
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@pytest.mark.parametrize("path", [*PATHS, "/nowhere"])
async def test_every_answer_binds_the_browser(site, path):
    headers = (await site.get(path)).headers

    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("path", PATHS)
async def test_page_has_no_script_or_style_that_the_policy_forbids(site, path):
    text = (await site.get(path)).text

    assert "<style" not in text
    assert " style=" not in text
    assert "<script>" not in text
    assert " onclick=" not in text


@pytest.mark.parametrize("path", PATHS)
async def test_unchanged_page_is_not_sent_again(web_data, path):
    async with open_sources(web_data) as sources, open_client(sources) as site:
        await sources.notable.look()  # or the first page would change when it has ended
        first = await site.get(path)

        again = await site.get(path, headers={"If-None-Match": f'"other", {first.headers["etag"]}'})
        changed = await site.get(path, headers={"If-None-Match": '"other"'})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert changed.status_code == 200


@pytest.mark.parametrize("path", [*PATHS, "/nowhere"])
async def test_head_has_the_headers_of_get(site, path):
    got, head = await site.get(path), await site.head(path)

    assert head.status_code == got.status_code
    assert head.headers["content-type"] == got.headers["content-type"]


@pytest.mark.parametrize("path", ["/", f"/matches/{TWO_GAMES}", "/feed.atom"])
async def test_other_methods_are_refused(site, path):
    answer = await site.post(path, content=b"x")

    assert answer.status_code == 405
    assert {*answer.headers["allow"].replace(" ", "").split(",")} == {"GET", "HEAD"}
    assert "does not allow that request method" in answer.text


async def test_client_that_prefers_json_gets_it_at_the_same_path(site):
    answer = await site.get("/matches", headers={"Accept": "application/json"})
    browser = await site.get("/matches", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})

    assert answer.json() == (await site.get("/matches.json")).json()
    assert answer.headers["vary"].startswith("Accept")
    assert browser.headers["content-type"] == "text/html; charset=utf-8"


async def test_errors_are_json_for_machines(site):
    answer = await site.get("/matches/x.json")

    assert answer.status_code == 404
    assert answer.json() == {"status": 404, "error": "there is no match 'x' here"}


async def test_long_answers_are_compressed_if_the_client_takes_it(site):
    path = f"/matches/{TWO_GAMES}/games/0"
    packed = await site.get(path, headers={"Accept-Encoding": "gzip"})
    plain = await site.get(path, headers={"Accept-Encoding": "identity"})

    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text
    assert int(packed.headers["content-length"]) < len(plain.content) / 4


async def test_static_file_is_kept_forever_under_the_hash_of_its_content(site):
    home = (await site.get("/")).text
    path = home.partition('rel="stylesheet" href="')[2].partition('"')[0]

    answer = await site.get(path)

    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"].startswith("text/css")
    assert "--paper" in answer.text


async def _fail(_: Asked) -> Page:
    raise ZeroDivisionError("secret of the inside")


async def test_own_error_is_logged_and_says_nothing_of_the_inside(web_data, capsys):
    """The process goes on."""
    broken = PageRoute("/broken", _fail, "It fails", dict[str, int])
    async with open_sources(web_data) as sources, open_client(sources, [broken]) as site:
        answer = await site.get("/broken")
        again = await site.get("/broken.json")

    assert (answer.status_code, again.status_code) == (500, 500)
    assert "is in the server log" in answer.text
    assert "secret of the inside" not in answer.text + again.text


@pytest.mark.parametrize(
    ("error", "status"),
    [(StoreAwayError("db.example is full"), 503), (StoreLockedError("db.example has another server"), 503),
     (StoreDamagedError("a row of db.example"), 500)],
)  # fmt: skip
async def test_store_that_is_away_asks_readers_to_come_back(web_data, error, status):
    """They get one sentence, which does not name the database; a damaged row is no reason to come back."""

    async def fail(_: Asked) -> Page:
        raise error

    waiting = PageRoute("/waiting", fail, "It waits", dict[str, int])
    async with open_sources(web_data) as sources, open_client(sources, [waiting]) as site:
        answers = [await site.get("/waiting"), await site.get("/waiting.json")]

    for answer in answers:
        assert (answer.status_code, answer.headers.get("Retry-After")) == (status, "5" if status == 503 else None)
        assert ("at the moment: try again in a moment" in answer.text) == (status == 503)
        assert "db.example" not in answer.text


async def test_every_page_has_a_route_for_each_form(web_data):
    async with open_sources(web_data) as sources:
        routes = [route for route in build_application(sources).routes if isinstance(route, Route)]

    served = [(route.path, method) for route in routes for method in route.methods or ()]
    assert len(served) == len(set(served))
    assert {"/", "/index.json", "/matches/{match_id}", "/matches/{match_id}.json"} <= {path for path, _ in served}


PARTS = ("", "/", "..", "%00", "%2F", "%ff", "é", "0", "-1", "9" * 40, TWO_GAMES, RUNNING, "games", "matches", ".json")
NAMES = ("bot", "game", "before", "limit", "seat", "x")


@pytest.mark.parametrize("seed", range(4))
async def test_no_request_is_answered_with_an_error_of_ours(site, seed):
    """Whatever is asked for: there is a page, or a sentence that says why not."""
    random = Random(seed)
    for _ in range(150):
        path = "/" + random.choice(["", "matches/", "leagues/", "verify/", "static/", f"matches/{TWO_GAMES}/games/"])
        path += "/".join(random.choice(PARTS) for _ in range(random.randrange(4)))
        query = "&".join(f"{random.choice(NAMES)}={random.choice(PARTS)}" for _ in range(random.randrange(4)))
        method = random.choice(["GET", "GET", "HEAD", "PUT", "OPTIONS"])

        headers = {"Accept": random.choice(["*/*", "application/json", ""])}
        answer = await site.request(method, f"http://127.0.0.1{path}?{query}", headers=headers)

        assert answer.status_code in {200, 307, 400, 403, 404, 405}, (method, path, query)
