"""A league on a server: its process, which is started again if it dies, and how far it is."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.errors import ArenaError, RequestError, StoreAwayError, StoreError, StoreLockedError
from arena.fleet.assembly.node import RunningNode
from arena.fleet.leagues.league_calls import LEAGUE, LEAGUE_EVENTS, LeagueSetting
from arena.fleet.leagues.league_marks import remove_mark
from arena.fleet.leagues.table_keeper import TableKeeper
from arena.fleet.runner.connection import Connection, LineCutError, StreamTransport
from arena.fleet.runner.host import Host, TemporaryTokens
from arena.fleet.runner.keep_running import keep_running
from arena.fleet.runner.node_services import NODE, RUNNER_EVENTS, RunnerEvents
from arena.fleet.runner.service import Handlers
from arena.fleet.runner.started_bot import BotExit
from arena.log_lines import get_logger
from arena.match.referee.match_order import MatchReport
from arena.match.referee.ports import MatchId
from arena.server.rpc.league_service import LeagueOrder, LeagueStatus

if TYPE_CHECKING:
    from arena.server.store.token_store import TokenStore

log = get_logger(__name__)


@asynccontextmanager
async def start_league_process(module: str, handlers: Handlers) -> AsyncIterator[Connection]:
    """Run `python -m MODULE SOCKET`, which may call the handlers' methods. On exit, kill it."""
    ours, theirs = socket.socketpair()
    with theirs:
        connection = Connection(StreamTransport(*await asyncio.open_connection(sock=ours)))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", module, str(theirs.fileno())),
            stdin=asyncio.subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C goes to the server alone
        )
    listening = asyncio.create_task(connection.run(handlers))
    try:
        yield connection
    finally:
        with suppress(ProcessLookupError):
            process.kill()  # what it has stored is whole at any moment
        connection.close()
        await asyncio.gather(process.wait(), listening, return_exceptions=True)


class _ExitNews:
    """Tells the process of a league, if it is there, which of its bots have ended. Implements `RunnerEvents`."""

    def __init__(self) -> None:
        self.process: RunnerEvents | None = None

    def on_bot_exit(self, loss: BotExit) -> None:
        if self.process is not None:
            self.process.on_bot_exit(loss)

    def on_match_started(self, key: str, match_id: MatchId) -> None:
        """A league orders no matches."""

    def on_progress(self, reports: tuple[MatchReport, ...]) -> None:
        """The process learns of finished tables by their calls."""


class ServedLeague:
    """A league of a server: starts its process, and holds its status. Implements `LeagueEvents`."""

    def __init__(
        self, setting: LeagueSetting, module: str, server: RunningNode, host: Host, keys: TemporaryTokens
    ) -> None:
        """`module` is what the process runs; `host` starts the bots, with tokens from `keys`."""
        self.order = LeagueOrder("", "")
        self.status: LeagueStatus | None = None
        """None until the league is sealed."""
        self.fault = ""
        """Why the league has stopped by itself; empty if it has not."""
        self.is_closed = False
        self._setting = setting
        self._module = module
        self._keys = keys
        self._news = _ExitNews()
        self.tables = TableKeeper(self._news, server, host)
        self._watching = asyncio.create_task(self.tables.watch_bots())
        self._playing: asyncio.Task[None] | None = None
        self._settled = asyncio.get_running_loop().create_future()
        """Resolves once the league is sealed and plays, or to the error that prevents it."""

    @property
    def is_playing(self) -> bool:
        return self._playing is not None and not self._playing.done()

    def start(self, order: LeagueOrder) -> None:
        """The league must not be playing."""
        self.order, self.fault = order, ""
        self._settled = asyncio.get_running_loop().create_future()
        self._playing = asyncio.create_task(self._play())

    async def wait_until_settled(self) -> None:
        """Return when the league is sealed and plays. Raises the error that prevents it."""
        await asyncio.wait([self._settled])
        self._settled.result()

    async def stop(self) -> None:
        """End the process, and forget tables that wait for free seats. The others go on to their ends."""
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.gather(self._playing, return_exceptions=True)

    async def unmark(self) -> None:
        """Let the next server leave the league alone."""
        await asyncio.to_thread(remove_mark, self._setting.data, self.order.name)

    async def close(self, reopened: "TokenStore | None" = None) -> None:
        """End the bots and revoke their tokens, in the store `reopened` if the server has closed its own.

        While the store cannot be written, the tokens stay valid until they expire: nobody else knows them.
        """
        self.is_closed = True
        self._watching.cancel()
        await self.tables.aclose()
        try:
            await self._keys.revoke_all(reopened)
        except StoreError as error:
            log.warning("the tokens of a league's bots stay valid", league=self.order.name, fault=str(error))

    def on_sealed(self, status: LeagueStatus) -> None:
        self.status = status
        if not self._settled.done():
            self._settled.set_result(None)

    def on_progress(self, game_count: int, planned_count: int | None, awaited: tuple[str, ...]) -> None:
        if self.status is not None:
            self.status = replace(self.status, game_count=game_count, planned_count=planned_count, awaited=awaited)

    async def _play(self) -> None:
        """Play to the end, or until the league cannot be played: then `fault` says why."""
        refusal: ArenaError = RequestError(f"the league {self.order.name!r} was stopped before it was sealed")
        try:
            await keep_running(f"league {self.order.name}", self._play_once)
        except _Finished:
            await self.unmark()
        except ArenaError as error:
            refusal, self.fault = error, str(error)
            log.warning("a league has stopped", league=self.order.name, fault=self.fault)
        finally:
            if not self._settled.done():
                self._settled.set_exception(refusal)
                self._settled.exception()  # marks it as retrieved, because nobody may wait

    async def _play_once(self) -> str:
        """Return why the process has ended too early.

        Raises _Finished, and ArenaError if the league cannot be played.
        """
        handlers = {**NODE.handlers(self.tables), **LEAGUE_EVENTS.handlers(self)}
        self.tables.welcome_process()
        async with start_league_process(self._module, handlers) as line:
            self._news.process = RUNNER_EVENTS.client(line)
            try:
                await LEAGUE.client(line).play(self.order, self._setting)
            except LineCutError:
                return "it has ended"
            except (StoreAwayError, StoreLockedError) as error:
                if self.status is None:
                    raise
                return str(error)
            finally:
                self._news.process = None
                self.tables.leave_alone()
        raise _Finished


class _Finished(Exception):  # noqa: N818  it ends `keep_running`
    """Nothing is left to play."""
