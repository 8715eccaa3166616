"""A whole server in the test's own event loop, with tokens, bots and an organizer that are connected to it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.competition.pools.pool_settings import PoolSettings
from arena.fleet.assembly.server import RunningServer, start_server
from arena.match.referee.inputs import Input, read_record
from arena.server.config.server_config import ServerConfig
from arena.server.node.limits import Limits
from arena.server.rpc.league_service import LeagueHost
from arena.server.store.journal_file import read_records
from arena.server.store.open_store import Store, open_store
from cheatarena.v1 import match_pb2, match_pb2_grpc, ruleset_pb2, watch_pb2_grpc
from tests.support.paces import pace_request_fields
from tests.support.stamping import loop_parts
from tests.support.wire_bot import WireBot, bearer, new_channel

SEED = bytes([4]) * 32
"""With this seed, entrant 0 begins, at tables of two, three and four seats."""
SHORT_GAME = (match_pb2.OptionSetting(name="max_turns", value="20"),)
"""Options that end a game early."""


class ServerClients:
    """The clients of a server: bots, an organizer and a spectator. All are disconnected at the end of the test."""

    def __init__(self, address: str, store: Store, stack: AsyncExitStack) -> None:
        self.address = address
        self.store = store
        self.tokens: dict[str, str] = {}
        self.organizing: tuple[tuple[str, str], ...] = ()
        """Metadata of an organizer."""
        self.watching: tuple[tuple[str, str], ...] = ()
        """Metadata of a spectator."""
        channel = new_channel(address)
        stack.push_async_callback(channel.close)
        self.matches: Any = match_pb2_grpc.MatchServiceStub(channel)
        self.watch: Any = watch_pb2_grpc.WatchServiceStub(channel)
        self._stack = stack

    async def create_token(self, name: str, *scopes: str) -> str:
        """Create a token with these scopes, by default only `play`."""
        return await self.store.tokens.create(name, scopes or ("play",))

    async def open_stream(self, name: str, *options: tuple[str, int]) -> WireBot:
        """Open a stream as this bot, without a hello."""
        if name not in self.tokens:
            self.tokens[name] = await self.create_token(name)
        return await self._stack.enter_async_context(WireBot(self.address, self.tokens[name], *options))

    async def connect_bot(self, name: str, **hello: Any) -> WireBot:
        """Connect a bot and open its session."""
        bot = await self.open_stream(name)
        await bot.open_session(**hello)
        return bot

    async def connect_bots(self, *names: str) -> list[WireBot]:
        """Connect several bots."""
        return [await self.connect_bot(name) for name in names]

    async def create_match(
        self, *entrants: str, pace: ruleset_pb2.Pace | None = None, **request: Any
    ) -> match_pb2.Match:
        """Create a match of Cheat; by default one short game in the sealed pace, always with the same cards."""
        asked: dict[str, Any] = {
            "game": "cheat", "preset": "standard", "game_count": 1, "seed": SEED, "options": SHORT_GAME
        } | request  # fmt: skip
        asked.setdefault("unrated", bool(asked["seed"]))
        made = await self.matches.CreateMatch(
            match_pb2.CreateMatchRequest(entrants=entrants, **pace_request_fields(pace), **asked),
            metadata=self.organizing,
        )
        match: match_pb2.Match = made.match
        return match

    async def wait_for_result(self, match: match_pb2.Match) -> match_pb2.Match:
        """Wait for the end of a match, and return the match."""
        request = match_pb2.WaitForResultRequest(match_id=match.match_id)
        ended: match_pb2.Match = (await self.matches.WaitForResult(request, metadata=self.organizing, timeout=30)).match
        return ended

    async def seat_bots(self, *names: str, **request: Any) -> tuple[match_pb2.Match, list[WireBot]]:
        """Connect bots, create a match for them, and let them accept their seats."""
        bots = await self.connect_bots(*names)
        match = await self.create_match(*names, **request)
        for bot in bots:
            await bot.answer_offer()
        return match, bots

    async def create_service_tokens(self) -> None:
        """Create the tokens of an organizer and of a spectator."""
        self.organizing = bearer(await self.create_token("organizer", "organize"))
        self.watching = bearer(await self.create_token("spectator", "spectate"))


class LocalServer(ServerClients):
    """A server in this process, and its clients."""

    def __init__(self, server: RunningServer, stack: AsyncExitStack) -> None:
        super().__init__(server.address, server.store, stack)
        self.server = server
        self.node = server.node

    async def wait_until_gone(self, name: str, instance: str = "one") -> None:
        """Wait until the server knows that a stream has ended."""
        while (name, instance) in self.node.sessions:
            await asyncio.sleep(0.001)

    def possible_delays_us(self) -> set[int]:
        """Return by how many microseconds a deadline may have moved later: the sums of credited stalls in a row."""
        stalls = self.node.stalls_us
        ends = range(len(stalls) + 1)
        return {sum(stalls[begin:end]) for end in ends for begin in range(end + 1)}

    def read_journal(self) -> list[Input]:
        """Return the inputs that the node has recorded so far."""
        path = self.store.journals_folder / f"{self.node.name}.journal"
        return [read_record(record) for record in read_records(path)]


@asynccontextmanager
async def open_server(
    data: Path,
    limits: Limits | None = None,
    grace_s: float = 0.0,
    journal: Literal["process", "disk"] = "process",
    pools: tuple[PoolSettings, ...] = (),
    web_url: str = "",
    listen: tuple[str, ...] = (),
    submissions: SubmissionSettings | None = None,
    *,
    proxies: tuple[str, ...] = (),
    resumes: bool = False,
    bot_return_s: float = 10.0,
    leagues: LeagueHost | None = None,
) -> AsyncIterator[LocalServer]:
    """Run a server on a free port, and on the Unix sockets in `listen`.

    With `resumes`, it leaves its matches to the next server, and takes up those of the last one, which wait for their
    bots for up to `bot_return_s`.
    """
    clock, selector = loop_parts()
    config = ServerConfig(
        data,
        limits=limits or Limits(),
        grace_s=grace_s,
        journal=journal,
        pools=pools,
        web_url=web_url,
        submissions=submissions or SubmissionSettings(),
        listen=listen,
        bot_return_s=bot_return_s,
        plaintext_behind_proxy=proxies,
    )
    async with (
        start_server(config, clock, selector, resumes=resumes, leagues=leagues) as server,
        AsyncExitStack() as stack,
    ):
        local = LocalServer(server, stack)
        await local.create_service_tokens()
        yield local


@asynccontextmanager
async def visit_server(data: Path, address: str) -> AsyncIterator[ServerClients]:
    """Connect clients to a server in another process, with tokens from its data folder."""
    async with await open_store(data) as store, AsyncExitStack() as stack:
        clients = ServerClients(address, store, stack)
        await clients.create_service_tokens()
        yield clients


def slow_pace(**changes: Any) -> ruleset_pb2.Pace:
    """Return a sealed pace whose time limits no test reaches by accident."""
    given = {"style": ruleset_pb2.PACE_STYLE_SEALED, "turn_ms": 60_000, "call_ms": 60_000, "reconnect_grace_ms": 10_000}
    return ruleset_pb2.Pace(**(given | changes))
