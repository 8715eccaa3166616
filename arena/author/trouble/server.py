"""The server of a phase, which can be restarted in the middle of a match, and its bots, each with its own line."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

from arena.bots.launch.launcher import Launcher
from arena.bots.launch.process import BotProcess
from arena.fleet.assembly.server import RunningServer, start_server
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.host import HANDLE_LENGTH, TOKEN_TTL, Host
from arena.fleet.runner.match_bots import POLL_INTERVAL_S, MatchBots
from arena.fleet.runner.organizer import LocalOrganizer
from arena.fleet.runner.process_sampler import sample_processes
from arena.fleet.runner.started_bot import Access, StartedBot, leave_seats, start_process
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.ports import MatchId, MatchRow
from arena.replays.library.journals import JournalReader, read_match_records
from arena.server.config.server_config import ServerConfig
from arena.server.node.event_loop import NodeClock, StampingSelector
from cheatarena.tls_settings import TlsSettings


class PhaseServer:
    """A server in this process. Use it as a context manager."""

    def __init__(self, data: Path, clock: NodeClock, selector: StampingSelector, *, resumes: bool = False) -> None:
        """If `resumes` is set, a restarted server takes up the matches that are not over."""
        self._config = ServerConfig(data, grace_s=0)
        self._clock, self._selector = clock, selector
        self._resumes = resumes
        self._launchers: list[Launcher] = []
        self._running: asyncio.Future[RunningServer] = asyncio.get_running_loop().create_future()
        self._stopping = asyncio.Event()
        self._restarting: asyncio.Future[None] | None = None
        self._sampling, self._serving = AsyncExitStack(), AsyncExitStack()
        self._tokens: list[str] = []
        """The public parts of the tokens that were made."""

    async def __aenter__(self) -> Self:
        self._processes = await self._sampling.enter_async_context(sample_processes(self._launchers, self._clock.now))
        await self._start()
        self._config = replace(self._config, port=int(self.host.address.rpartition(":")[2]))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._restarting is not None:
            await asyncio.wait({self._restarting})
        if self._running.done():
            for handle in self._tokens:
                await self._running.result().store.tokens.revoke(handle)
        await self._serving.aclose()
        await self._sampling.aclose()

    @property
    def host(self) -> Host:
        """The server as it runs now. Its address stays the same."""
        server = self._running.result()
        return Host(server.address, LocalOrganizer(server.matches), None, self._config.data, server, self._launchers)

    async def make_token(self, name: str) -> str:
        """Create a token for a bot until the end of the phase, and return its secret. Raises OptionError."""
        secret = await self._running.result().store.tokens.create_local(name, TOKEN_TTL)
        self._tokens.append(secret[:HANDLE_LENGTH])
        return secret

    async def read_match(self, match_id: MatchId) -> tuple[MatchRow, Sequence[bytes]]:
        """Return the row and the records of a match that is over."""
        store = (await asyncio.shield(self._running)).store
        row = await store.results.match(match_id)
        reader = JournalReader(store.journals_folder / row.journal)
        return row, read_match_records(reader, [row.number])[row.number]

    async def restart(self, pause_s: float) -> None:
        """Stop the server, and start it again after a pause. The matches go on when their bots are back.

        If this task is cancelled, the server still starts again.
        """
        self._restarting = asyncio.ensure_future(self._restart(pause_s))
        await asyncio.shield(self._restarting)

    async def _restart(self, pause_s: float) -> None:
        self._running = asyncio.get_running_loop().create_future()
        self._stopping.set()
        await self._serving.aclose()
        await asyncio.sleep(pause_s)
        self._stopping.clear()
        await self._start()

    async def wait_for_result(self, match_id: MatchId) -> MatchReport:
        """Return the report of a match when it has ended, however often the server is restarted before that."""
        while True:
            organizer = LocalOrganizer((await asyncio.shield(self._running)).matches)
            waiting = asyncio.ensure_future(organizer.wait_for_result(match_id))
            stopping = asyncio.ensure_future(self._stopping.wait())
            try:
                await asyncio.wait({waiting, stopping}, return_when=asyncio.FIRST_COMPLETED)
                if not stopping.done():
                    return await waiting
            finally:
                waiting.cancel()
                stopping.cancel()
                await asyncio.gather(waiting, stopping, return_exceptions=True)

    async def _start(self) -> None:
        serving = start_server(
            self._config, self._clock, self._selector, processes=self._processes, resumes=self._resumes
        )
        self._running.set_result(await self._serving.enter_async_context(serving))


class SeatedBot:
    """A bot of a phase and its process."""

    def __init__(self, player: BotEntrant, access: Access, launcher: Launcher) -> None:
        self.player = player
        self._access = access
        self._launcher = launcher
        self._process: BotProcess | None = None
        self._is_restarting = False
        self._has_left = False

    @property
    def process(self) -> BotProcess:
        """The newest process of the bot."""
        assert self._process is not None, "the bot has not been started"
        return self._process

    async def start(self) -> StartedBot:
        """Start a process. Raises BotStartError."""
        self._process = await start_process(self._launcher, self.player, self._access)
        return StartedBot.of(self.player, self._process, self._access)

    async def restart(self, on_kill: Callable[[], None]) -> None:
        """Kill the process, call `on_kill`, and start another process, unless the bot has ended by itself.

        Raises BotStartError.
        """
        if self.process.exit_code is not None:
            return
        self._is_restarting = True
        await asyncio.to_thread(self.process.kill)
        on_kill()
        await self.start()
        self._is_restarting = False

    async def leave_if_ended(self) -> None:
        """Leave the seats of a bot that has ended by itself: nobody starts it again."""
        if not (self._is_restarting or self._has_left) and self.process.exit_code is not None:
            self._has_left = True
            await leave_seats(self._access, TlsSettings())

    def describe_end(self) -> str:
        """Return how the bot ended by itself, as words that follow its name; empty if it still runs."""
        return "" if self.process.exit_code is None else self.process.describe_end(is_early=False)


async def seat_bots(
    server: PhaseServer, launcher: Launcher, players: Sequence[BotEntrant], addresses: Sequence[str]
) -> list[SeatedBot]:
    """Return the bots of a phase, which are not started yet. `addresses` are the near ends of their lines."""
    return [
        SeatedBot(player, Access(address, await server.make_token(player.name)), launcher)
        for player, address in zip(players, addresses, strict=True)
    ]


async def unseat_ended(bots: Sequence[SeatedBot]) -> NoReturn:
    """Let each bot that ends by itself leave its seats. Runs until cancelled."""
    while True:
        for bot in bots:
            await bot.leave_if_ended()
        await asyncio.sleep(POLL_INTERVAL_S)


async def start_match(server: PhaseServer, bots: Sequence[SeatedBot], order: MatchOrder) -> MatchId:
    """Start the bots and their match. Raises BotStartError if a bot does not connect in time."""
    started = [await bot.start() for bot in bots]
    return await MatchBots(server.host, started).start_match(order)
