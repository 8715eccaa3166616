"""Which matches are followed, for how many viewers, and what a stream is as HTTP."""

import asyncio
import http.client
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from arena.match.referee.ports import MatchId
from arena.web.errors import RefusedError
from arena.web.limits import WebLimits
from arena.web.live import live_tables
from arena.web.live.live_tables import LiveTables
from arena.web.live.viewer import Viewer
from tests.support.web_data import RUNNING, TWO_GAMES
from tests.web.conftest import ALLOWED, open_client, open_sources, run_site
from tests.web.live_viewers import FakeServer, FakeTransport, read_events, settle

OTHERS = [MatchId(f"01JZ8QK3T5V7X9B2D4F6H8M0{number:02}") for number in range(5)]


class RunningMatches:
    """A store in which every match runs."""

    async def summary(self, _: MatchId) -> SimpleNamespace:
        return SimpleNamespace(are_cards_open=False, row=SimpleNamespace(state="running"))


@asynccontextmanager
async def open_tables(server: FakeServer, limits: WebLimits) -> AsyncIterator[LiveTables]:
    tables = LiveTables(server.follow, RunningMatches(), limits)  # type: ignore[arg-type]  # only `summary` is used
    yield tables
    await tables.close()


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch):
    """A page does not wait for the first state."""
    monkeypatch.setattr(live_tables, "_FIRST_S", 0.0)


async def view(tables: LiveTables, match_id: MatchId, address: str = "203.0.113.1") -> FakeTransport:
    """Let a viewer join a match."""
    match = await tables.find(match_id)
    assert match is not None
    tables.reserve_place(address, match_id)
    transport = FakeTransport()
    match.admit(Viewer(match, address, 60, is_chunked=True), transport, "")
    return transport


async def test_all_viewers_of_a_match_share_one_stream_of_the_server():
    server = FakeServer()
    async with open_tables(server, WebLimits()) as tables:
        for number in range(50):
            await view(tables, OTHERS[0], f"203.0.113.{number}")
        await settle()

        assert (server.streams, tables.viewer_count) == (1, 50)
    assert server.streams == 0


async def test_stream_of_the_server_ends_after_the_last_viewer():
    server = FakeServer()
    async with open_tables(server, replace(WebLimits(), linger_s=0.3)) as tables:
        first, other = await view(tables, OTHERS[0]), await view(tables, OTHERS[0])
        first.protocol.connection_lost(None)
        await settle()
        assert server.streams == 1
        other.protocol.connection_lost(None)
        while server.streams or tables.followed_ids:
            await asyncio.sleep(0.01)

        assert (tables.viewer_count, tables.followed_ids) == (0, [])


async def test_page_that_was_only_loaded_is_followed_for_a_while():
    """Its viewer comes a moment later."""
    server = FakeServer()
    async with open_tables(server, replace(WebLimits(), linger_s=60.0)) as tables:
        await tables.find(OTHERS[0])
        await settle()
        await view(tables, OTHERS[0])

        assert (server.streams, server.opened) == (1, 1)


async def test_matches_that_are_followed_are_limited():
    """One without viewers gives way; one with viewers does not."""
    server = FakeServer()
    async with open_tables(server, replace(WebLimits(), viewed_matches=2)) as tables:
        await view(tables, OTHERS[0])
        await tables.find(OTHERS[1])
        assert await tables.find(OTHERS[2]) is not None
        await view(tables, OTHERS[2])
        await settle()

        assert await tables.find(OTHERS[3]) is None
        assert tables.followed_ids == [OTHERS[0], OTHERS[2]]
        assert server.streams == 2


@pytest.mark.parametrize(("limits", "others"), [({"viewers": 3}, True), ({"viewers_an_address": 3}, False)])
async def test_viewers_are_limited(limits, others):
    """In all, and of one address. Whoever leaves makes room."""
    async with open_tables(FakeServer(), replace(WebLimits(), **limits)) as tables:
        viewers = [await view(tables, OTHERS[0]) for _ in range(3)]

        with pytest.raises(RefusedError) as refused:
            tables.reserve_place("203.0.113.1", OTHERS[0])
        assert refused.value.status_code == 503
        assert refused.value.headers == {"Retry-After": "30"}
        if not others:
            tables.reserve_place("203.0.113.2", OTHERS[0])
        viewers[0].protocol.connection_lost(None)
        tables.reserve_place("203.0.113.1", OTHERS[0])


async def test_one_address_cannot_take_the_place_of_every_match():
    """Further viewers of the same match are welcome, and other addresses may look at other matches."""
    async with open_tables(FakeServer(), replace(WebLimits(), viewed_matches_an_address=2)) as tables:
        viewers = [await view(tables, match_id) for match_id in OTHERS[:2]]

        await view(tables, OTHERS[0])
        await view(tables, OTHERS[2], "203.0.113.2")
        with pytest.raises(RefusedError, match="already watching 2 matches"):
            tables.reserve_place("203.0.113.1", OTHERS[2])
        viewers[1].protocol.connection_lost(None)
        await view(tables, OTHERS[2])


async def test_viewer_whose_match_gave_way_before_its_stream_began_asks_again():
    """Otherwise its page would stand still for ever, and keep its place."""
    async with open_tables(FakeServer(), replace(WebLimits(), viewed_matches=1)) as tables:
        match = await tables.find(OTHERS[0])
        assert match is not None
        tables.reserve_place("203.0.113.1", OTHERS[0])
        await tables.find(OTHERS[1])
        await settle()
        transport = FakeTransport()
        match.admit(Viewer(match, "203.0.113.1", 60, is_chunked=True), transport, "")

        assert transport.is_closing()
        transport.protocol.connection_lost(None)
        assert tables.viewer_count == 0


async def test_this_machine_is_limited_only_in_all():
    """A proxy on it may stand for everybody."""
    async with open_tables(FakeServer(), replace(WebLimits(), viewers=5, viewers_an_address=1)) as tables:
        for _ in range(5):
            await view(tables, OTHERS[0], "127.0.0.1")

        with pytest.raises(RefusedError):
            tables.reserve_place("127.0.0.1", OTHERS[0])


# ---- as HTTP


class Reader:
    """A client that has sent one request. `answer` is what came back."""

    def __init__(self, url: str, path: str) -> None:
        self._client = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
        self._client.request("GET", path)
        self.answer = self._client.getresponse()

    def close(self) -> None:
        self.answer.close()
        self._client.close()


Ask = Callable[..., Reader]


@pytest.fixture
def ask() -> Iterator[Ask]:
    """Sends a request, by default for the events of the running match. All clients are closed at the end."""
    readers = []

    def send(url: str, path: str = f"/matches/{RUNNING}/events") -> Reader:
        readers.append(Reader(url, path))
        return readers[-1]

    yield send
    for reader in readers:
        reader.close()


def test_stream_is_refused_with_503_when_there_are_too_many(web_data, ask):
    with run_site(web_data, replace(ALLOWED, viewers=2)) as url:
        held = [ask(url) for _ in range(2)]
        refused = ask(url).answer

        assert [each.answer.status for each in held] == [200, 200]
        assert (refused.status, refused.headers["Retry-After"]) == (503, "30")
        assert b"its most: reload the page later" in refused.read()
        held[0].close()
        while ask(url).answer.status == 503:  # the server hears of it a little later
            pass


def test_viewers_take_no_room_from_other_readers(web_data, ask):
    """Neither among the connections nor among the requests under way."""
    with run_site(web_data, replace(ALLOWED, connections=4, requests=2)) as url:
        held = [ask(url) for _ in range(20)]

        assert [each.answer.status for each in held] == [200] * 20
        assert ask(url, "/leagues").answer.status == 200


def test_stream_ends_cleanly_when_the_site_ends(web_data, ask):
    with run_site(web_data) as url:
        stream = ask(url).answer
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert stream.headers["Cache-Control"] == "no-store"
        assert "Content-Security-Policy" in stream.headers

    assert b"event: table" in stream.read()


async def test_stream_of_a_match_that_is_over_says_so(site):
    answer = await site.get(f"/matches/{TWO_GAMES}/events")

    assert read_events(answer.text) == [("over", {})]


async def test_stream_of_no_match_is_refused(site):
    assert (await site.get("/matches/nowhere/events")).status_code == 404


async def test_page_without_a_server_says_that_nothing_shows_the_table(web_data):
    async with open_sources(web_data, is_running=False) as sources, open_client(sources) as client:
        for _ in range(100):
            page = (await client.get(f"/matches/{RUNNING}")).text
            if "No server shows this table now" in page:
                break
            await asyncio.sleep(0.05)

    assert "No server shows this table now" in page
    assert "The match was interrupted" in page


async def test_page_without_room_has_no_table(web_data):
    async with open_sources(web_data, replace(ALLOWED, viewed_matches=0)) as sources, open_client(sources) as client:
        page = (await client.get(f"/matches/{RUNNING}")).text
        stream = await client.get(f"/matches/{RUNNING}/events")

    assert "This site follows as many matches as it can" in page
    assert stream.status_code == 503
