"""Bots and pages behind the proxies of the guide: nginx, haproxy and Caddy, with the files in `deploy/`."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
import httpx
import pytest

from arena.server.rpc.health_service import is_serving
from cheatarena import Bot, Client, Move, Settings, Table, TurnOptions
from cheatarena.tls_settings import TlsSettings
from cheatarena.v1 import match_pb2
from tests.support.commands import CommandProcess, start_command
from tests.support.proxies import FILES, NO_CHANGES, StartedProxy, is_installed, start_proxy
from tests.support.server import ServerClients, slow_pace, visit_server

KINDS: Final = [kind for kind in FILES if is_installed(kind)]
BOTS: Final = [f"bot-{number}" for number in range(10)]
"""More than the streams that one connection may have: a proxy may give all of them one connection."""
TIME_S: Final = 100
FLUSHING: Final = {"h2c://127.0.0.1:7777": "h2c://127.0.0.1:7777 {\n\t\tflush_interval -1\n\t}"}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.skipif(not KINDS, reason="no proxy is installed")]


@dataclass
class Site:
    """A server with pages, the proxy in front of both, and what ends with them."""

    clients: ServerClients
    proxy: StartedProxy
    stack: AsyncExitStack

    async def connect(self, bot_class: type[Bot], names: list[str]) -> None:
        """Let bots of the SDK play through the proxy, over TLS, until the end of the test."""
        for name in names:
            token = await self.clients.create_token(name)
            client = Client(bot_class, Settings(self.proxy.address, token, ca=self.proxy.authority))
            playing = asyncio.create_task(client.play())
            self.stack.push_async_callback(asyncio.wait, [playing])
            self.stack.callback(client.stop)

    async def begin_match(self, *names: str, turns: int, **pace: Any) -> match_pb2.Match:
        """Create a match as soon as its bots are connected."""
        options = [match_pb2.OptionSetting(name="max_turns", value=str(turns))]
        async with asyncio.timeout(TIME_S):
            while True:
                with suppress(grpc.aio.AioRpcError):
                    return await self.clients.create_match(*names, pace=slow_pace(**pace), options=options)
                await asyncio.sleep(0.1)

    async def find_strikes(self, match: match_pb2.Match) -> list[match_pb2.Strikes]:
        """Wait for the end of a match, and return the strikes of each entrant."""
        request = match_pb2.WaitForResultRequest(match_id=match.match_id)
        waiting = self.clients.matches.WaitForResult(request, metadata=self.clients.organizing, timeout=2 * TIME_S)
        return list((await waiting).match.strikes)

    async def read_page(self, path: str) -> httpx.Response:
        """Return a page at the address at which the bots connect."""
        context = ssl.create_default_context(cafile=self.proxy.authority)
        async with httpx.AsyncClient(base_url=f"https://{self.proxy.address}", verify=context, timeout=30) as browser:
            return await browser.get(path)


@asynccontextmanager
async def open_site(kind: str, folder: Path, changes: Mapping[str, str] = NO_CHANGES) -> AsyncIterator[Site]:
    """Run a server with pages, and a proxy in front of both. `changes` are for the proxy's file."""
    behind = ("--listen", "127.0.0.1:0", "--plaintext-behind-proxy", "127.0.0.1", "--public-address", "localhost:443")
    pages = ("--web", 0, "--web-url", "https://localhost")
    data = folder / f"data-{kind}"
    async with AsyncExitStack() as stack:
        server = stack.enter_context(start_command("serve", "--data", data, "--grace", 0, *behind, *pages))
        address, web = await find(server, "LISTENING"), await find(server, "WEB")
        proxy = stack.enter_context(start_proxy(kind, folder / kind, address, web.removeprefix("http://"), changes))
        yield Site(await stack.enter_async_context(visit_server(data, address)), proxy, stack)


async def find(server: CommandProcess, start: str) -> str:
    return (await asyncio.to_thread(server.wait_for_line, start)).split()[1]


@pytest.mark.parametrize("kind", KINDS)
async def test_bots_and_pages_share_a_name_and_bots_keep_their_seats_over_a_reload(tmp_path, kind):
    turns = 0

    class Player(Bot):
        async def turn(self, table: Table, options: TurnOptions) -> Move:
            nonlocal turns
            turns += 1
            await asyncio.sleep(0.1)  # so that the reload comes in mid match
            return options.smallest_lie()

    async with open_site(kind, tmp_path) as site:
        await site.connect(Player, BOTS)
        match = await site.begin_match(BOTS[0], BOTS[-1], turns=40)
        await until(lambda: turns >= 5)
        page = await site.read_page(f"/matches/{match.match_id}")
        await asyncio.to_thread(site.proxy.reload)
        strikes = await site.find_strikes(match)
        is_healthy = await is_serving(site.proxy.address, TlsSettings(site.proxy.authority), 30)

    assert strikes == [match_pb2.Strikes()] * 2
    assert "<h1" in page.text
    assert is_healthy


@pytest.mark.skipif("caddy" not in KINDS, reason="caddy is missing")
@pytest.mark.long
async def test_bots_come_back_from_streams_on_which_caddy_drops_what_they_send(tmp_path):
    """As Caddy 2.6.2 does after a reload, if the guide's advice is not followed. Later versions do not."""
    turns = 0

    class Player(Bot):
        async def turn(self, table: Table, options: TurnOptions) -> Move:
            nonlocal turns
            turns += 1
            return options.smallest_lie()

    async with open_site("caddy", tmp_path, FLUSHING) as site:
        await site.connect(Player, BOTS[:2])
        match = await site.begin_match(*BOTS[:2], turns=200, turn_ms=150_000, call_ms=150_000)
        await until(lambda: turns >= 5)
        await asyncio.to_thread(site.proxy.reload)
        strikes = await site.find_strikes(match)

    assert strikes == [match_pb2.Strikes()] * 2


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(TIME_S):
        while not is_so():
            await asyncio.sleep(0.02)


@pytest.mark.long
async def test_bots_may_think_for_longer_than_a_minute(tmp_path):
    """By default, proxies end streams that are silent for a minute."""

    class Thinker(Bot):
        async def turn(self, table: Table, options: TurnOptions) -> Move:
            await asyncio.sleep(70)
            return options.smallest_lie()

    async def play(kind: str) -> list[match_pb2.Strikes]:
        async with open_site(kind, tmp_path) as site:
            await site.connect(Thinker, BOTS[:2])
            return await site.find_strikes(await site.begin_match(*BOTS[:2], turns=1, turn_ms=TIME_S * 1000))

    assert await asyncio.gather(*map(play, KINDS)) == [[match_pb2.Strikes()] * 2] * len(KINDS)
