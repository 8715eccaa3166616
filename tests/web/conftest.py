"""The site of one data folder: its sources, a client in this process, and a server that speaks HTTP."""

import asyncio
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser

from arena.games.catalogue import games, pack_of, phrasing_of, watched_game_of
from arena.replays.library.match_places import MatchPlaces
from arena.server.config.site_settings import SiteSettings
from arena.server.intake.intake import Intake
from arena.server.intake.server_intake import ServerIntake, open_own_submissions
from arena.server.store.data_folder import idle_house_bots_of_holder
from arena.server.store.open_store import open_store
from arena.web.application import build_application
from arena.web.limits import UploadSlots, WebLimits
from arena.web.live.live_match import MessageSource
from arena.web.live.live_tables import LiveTables
from arena.web.live.server_streams import ServerStreams
from arena.web.notable import NotableGames
from arena.web.page import PageRoute
from arena.web.page_list import PAGES
from arena.web.pool_standings import PoolStandings
from arena.web.server import open_listener, serve_site
from arena.web.session import count_logins
from arena.web.site import Site
from arena.web.sources import Sources
from arena.web.workshop import Workshop
from tests.organizer.leagues import write_league
from tests.support.chromium import call_in_thread, open_browser
from tests.support.commands import ARENA
from tests.support.pool_data import make_pool_data
from tests.support.recorded_matches import CREATED_AT
from tests.support.stamping import stamping_loop
from tests.support.web_data import make_web_data


def pytest_asyncio_loop_factories():
    """Run every test of this folder in a loop that stamps arrivals, as a server needs it."""
    return {"stamping": stamping_loop}


LEAGUE, LEAGUE_PATH = "Zoë-1", "Zo%C3%AB-1"
ALLOWED = WebLimits(requests_a_second=10_000, burst=10_000)
"""Limits that no test reaches by accident."""


@pytest.fixture(scope="session")
def web_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder with a match of every kind, which no test changes."""
    return call_in_thread(lambda: make_web_data(tmp_path_factory.mktemp("web") / "data"))


@pytest.fixture(scope="session")
def league_folder(tmp_path_factory) -> Path:
    """The folder of a league of four games that is over. Its file and its bots are gone, only `data` is left."""
    folder: Path = tmp_path_factory.mktemp("league")
    file = write_league(folder / "bots", bots=6, games=4, name=LEAGUE)
    command = [*ARENA, "league", "run", str(file), "--data", str(folder / "data"), "--nodes", "1"]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    (folder / "bots").rename(folder / "elsewhere")
    return folder


@asynccontextmanager
async def open_sources(
    folder: Path,
    limits: WebLimits = ALLOWED,
    *,
    is_running: bool = True,
    public_url: str = "",
    follow: MessageSource | None = None,
    find_intake: Callable[[], Intake | None] | None = None,
    site: Site | None = None,
) -> AsyncIterator[Sources]:
    """Open what the pages read. `follow` and `find_intake` take the place of a server."""
    replays, reports = Workshop(limits), Workshop(limits)
    async with await open_store(folder) as store:
        opened = Sources(
            store=store,
            games=games(),
            phrasing_of=phrasing_of,
            watched_game_of=watched_game_of,
            columns_of=lambda game: pack_of(game).columns,
            is_running=lambda: is_running,
            idle_house_bots=lambda: idle_house_bots_of_holder(folder),
            replays=replays,
            reports=reports,
            tables=LiveTables(follow or ServerStreams(folder, store).follow, store.results, limits),
            places=MatchPlaces(),
            site=site or Site(),
            notable=NotableGames(store, lambda game: pack_of(game).load_highlights(), _read_clock),
            standings=PoolStandings(store, _read_clock),
            clock=_read_clock,
            monotonic=_read_clock,
            limits=limits,
            login_attempts=count_logins(limits, _read_clock),
            own_submissions=open_own_submissions(store),
            find_intake=find_intake or ServerIntake(store).find,
            uploads=UploadSlots(limits.uploads),
            public_url=public_url,
        )
        yield opened
        await opened.notable.close()
        await opened.tables.close()
    replays.close()
    reports.close()


def _read_clock() -> float:
    """Return the time, which stands still."""
    return CREATED_AT


@asynccontextmanager
async def open_client(sources: Sources, pages: Collection[PageRoute] = PAGES) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client of the site in this process."""
    transport = httpx.ASGITransport(build_application(sources, pages=pages))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture
async def site(web_data: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the site of the data folder, beside which a server seems to run."""
    async with open_sources(web_data) as sources, open_client(sources) as client:
        yield client


@contextmanager
def run_site(folder: Path, limits: WebLimits = ALLOWED, site: SiteSettings | None = None) -> Iterator[str]:
    """Serve the site in a thread, and return its address."""
    is_ready, ends = threading.Event(), list[Callable[[], object]]()
    listener = open_listener("127.0.0.1", 0)

    async def serve() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        ends.append(lambda: loop.call_soon_threadsafe(stop.set))
        await serve_site(folder, listener, "", stop, is_ready.set, limits, site)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert is_ready.wait(30)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        ends[0]()
        thread.join(30)
        listener.close()


@pytest.fixture(scope="session")
def pool_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder with pools, owners and bots. Tests add login codes to it, and change nothing else."""
    folder: Path = tmp_path_factory.mktemp("pools") / "data"
    call_in_thread(lambda: make_pool_data(folder))
    return folder


@dataclass(frozen=True)
class PoolSite:
    """The site of the data folder with pools: a client that nobody has logged in, and what it reads."""

    client: httpx.AsyncClient
    sources: Sources

    async def log_in(self, owner: str) -> httpx.Response:
        """Log an owner in, as a browser does. The client keeps the cookie."""
        code, _ = await self.sources.store.logins.create_code(owner)
        return await self.client.post("/login", data={"code": code}, headers=FROM_HERE)


FROM_HERE = {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"}
"""What a browser says about a form of this site."""


@pytest.fixture
async def pool_site(pool_data: Path) -> AsyncIterator[PoolSite]:
    """The site of the data folder with pools."""
    async with open_sources(pool_data) as sources, open_client(sources) as client:
        yield PoolSite(client, sources)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a file, which have no event loop of their own."""
    with open_browser() as opened:
        yield opened
