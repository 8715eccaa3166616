"""What one client may cost: requests, sizes, hosts, and work that takes long."""

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from arena.errors import CapacityError
from arena.server.node.rate_limits import TokenBuckets
from arena.web.guards.rate_limit import RateLimit
from arena.web.limits import WebLimits
from arena.web.page import Asked, PageRoute
from arena.web.workshop import KeptValues, Workshop
from tests.web.conftest import ALLOWED, open_client, open_sources


class ManualClock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_bucket_refills_at_its_rate():
    """Three at once, then two a second."""
    clock = ManualClock()
    buckets = TokenBuckets(2.0, 3, 10, clock)

    assert [buckets.take("a") for _ in range(3)] == [0, 0, 0]
    assert buckets.take("a") == pytest.approx(0.5)
    clock.now = 0.49
    assert buckets.take("a") > 0
    clock.now = 0.5
    assert buckets.take("a") == 0
    clock.now = 1000.0
    assert [buckets.take("a") > 0 for _ in range(4)] == [False, False, False, True]


def test_each_address_has_its_own_bucket_and_few_are_known():
    clock = ManualClock()
    buckets = TokenBuckets(1.0, 1, 2, clock)

    assert [buckets.take(each) for each in "ab"] == [0, 0]
    assert buckets.take("a") > 0
    assert buckets.take("c") == 0
    assert buckets.take("b") == 0, "b was silent for longest, so it was forgotten"


async def test_too_many_requests_of_an_address_are_refused_with_a_sentence(web_data):
    limits = replace(ALLOWED, requests_a_second=0.5, burst=2)
    async with open_sources(web_data, limits) as sources, open_client(sources) as site:
        answers = [await site.get("/leagues") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].headers["retry-after"] == "2"
    assert "Too many requests" in answers[2].text
    assert "content-security-policy" in answers[2].headers


async def test_too_many_requests_under_way_are_refused(web_data):
    limits = replace(ALLOWED, requests=0)
    async with open_sources(web_data, limits) as sources, open_client(sources) as site:
        assert (await site.get("/leagues")).status_code == 429


async def _stream(_: Asked) -> Response:
    async def tell() -> AsyncIterator[str]:
        yield "data: 1\n\n"

    return StreamingResponse(tell(), media_type="text/event-stream")


async def test_streams_of_events_take_no_place_among_the_requests(web_data):
    """They stay open, so a few readers would otherwise keep everybody out."""
    under_way: list[int] = []

    async def note(scope: Scope, receive: Receive, send: Send) -> None:
        media_type = b"text/event-stream" if scope["path"] == "/events" else b"text/html"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", media_type)]})
        under_way.append(guard.under_way)

    guard = RateLimit(note, ALLOWED, ManualClock())
    for path in ("/events", "/"):
        await guard({"type": "http", "path": path, "client": ("a", 1)}, _receive, _send)

    assert under_way == [0, 1]
    assert guard.under_way == 0


async def test_stream_of_events_is_an_answer_of_a_page(web_data):
    events = PageRoute("/events", _stream, "Events", media_type="text/event-stream")
    async with open_sources(web_data) as sources, open_client(sources, [events]) as site:
        answer = await site.get("/events", headers={"Accept-Encoding": "gzip"})

    assert (answer.text, answer.headers["content-type"]) == ("data: 1\n\n", "text/event-stream; charset=utf-8")
    assert "content-encoding" not in answer.headers
    assert "content-security-policy" in answer.headers


async def _receive() -> Message:
    return {"type": "http.request"}


async def _send(_: Message) -> None:
    pass


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8000", 200),
        ("localhost", 200),
        ("[::1]:80", 200),
        ("arena.example", 200),
        ("ARENA.example:443", 200),
        ("evil.example", 400),
        ("arena.example.evil.example", 400),
        ("127.0.0.1.evil.example", 400),
        ("[::1].evil.example", 400),
        ("[::1]evil.example:80", 400),
        ("::1]", 400),
        ("localhost:evil.example", 400),
        ("", 400),
    ],
)
async def test_site_answers_only_under_its_own_names(web_data, host, status):
    async with open_sources(web_data, public_url="https://arena.example") as sources, open_client(sources) as site:
        assert (await site.get("/leagues", headers={"Host": host})).status_code == status


async def test_too_long_url_is_refused(site):
    assert (await site.get(f"/leagues?x={'y' * 2_100}")).status_code == 414


@pytest.mark.parametrize(("size", "status"), [(15_000, 200), (17_000, 431), (40_000, 431)])
@pytest.mark.parametrize("many", [False, True])
async def test_too_large_headers_are_refused_though_they_arrive_at_once(site, size, status, many):
    headers = {f"X-{each:06}": "" for each in range(size // len("X-000000: \r\n"))} if many else {"X": "x" * size}

    assert (await site.get("/leagues", headers=headers)).status_code == status


@pytest.mark.parametrize("size", ["65537", "many", "-1"])
async def test_too_large_body_is_refused(site, size):
    answer = await site.post("/leagues", headers={"Content-Length": size})

    assert answer.status_code == 413
    assert "too large" in answer.text


@dataclass(frozen=True)
class Thing:
    size: int
    name: str = ""


def test_kept_values_never_take_more_than_their_bytes():
    kept: KeptValues[Thing] = KeptValues(10)
    kept.put("a", Thing(4))
    kept.put("b", Thing(4))
    kept.get("a")
    kept.put("c", Thing(4))

    assert [kept.get(each) is not None for each in "abc"] == [True, False, True]
    kept.put("a", Thing(11))
    assert (kept.get("a"), kept.bytes) == (None, 4)
    kept.put("c", Thing(5))
    assert kept.bytes == 5


async def test_work_that_several_ask_for_is_done_once():
    workshop, begun, goes_on = Workshop(WebLimits()), [], threading.Event()

    def work() -> Thing:
        begun.append(1)
        goes_on.wait(10)
        return Thing(1, "made")

    asked = [asyncio.create_task(workshop.make("key", f"address {number}", work)) for number in range(5)]
    await asyncio.sleep(0)
    goes_on.set()

    assert {thing.name for thing in await asyncio.gather(*asked)} == {"made"}
    assert len(begun) == 1
    workshop.close()


async def test_work_above_the_limit_of_an_address_is_refused():
    workshop, goes_on = Workshop(WebLimits(works_an_address=2)), threading.Event()

    def work() -> Thing:
        goes_on.wait(10)
        return Thing(1)

    asked = [asyncio.create_task(workshop.make(number, "a", work)) for number in range(3)]
    other = asyncio.create_task(workshop.make("other", "b", work))
    await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
    goes_on.set()

    results = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(result) for result in results] == [Thing, Thing, CapacityError]
    assert await other == Thing(1)
    workshop.close()


async def test_work_that_fails_leaves_nothing_behind():
    workshop = Workshop(WebLimits())

    def fail() -> Thing:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await workshop.make("key", "a", fail)

    assert await workshop.make("key", "a", lambda: Thing(2)) == Thing(2)
    workshop.close()
