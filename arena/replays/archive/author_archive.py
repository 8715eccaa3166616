"""Answers authors in a process of its own, so that this work hardly slows the loop that referees matches.

A thread would not help. Narrating a match is pure Python, so the loop would often wait for the interpreter lock.

    AuthorService ──▶ AuthorArchive ──▶ worker process: AuthorReader ──▶ store and journals
"""

import asyncio
import os
import signal
import threading
import time
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, Final, TypeVar

from arena.errors import ArenaError, EnvironmentFaultError, RequestError, StoreError
from arena.log_lines import get_logger
from arena.plain_errors import PlainError, describe_error, restore_error
from arena.replays.archive.author_reader import AuthorReader, GameParts
from arena.replays.archive.fair_line import FairLine
from arena.server.store.open_store import open_store
from arena.server.wire.author_messages import ListedMatch, PageCall, ReplayCall

log = get_logger(__name__)

MAX_WAITING: Final = 64
"""The most calls that may wait at the same time."""
MAX_WAITING_AN_ACCOUNT: Final = 4
"""The most waiting calls of an owner's bots together, or of a bot without an owner."""
WARM_UP_AFTER_S: Final = 15.0
"""Seconds from the start of a server to that of its worker: matches that were interrupted wait 10 s for their bots."""
_NICENESS: Final = 10
"""The niceness of the worker, so that the server and its bots get a core first."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Says why the worker could not answer. Exceptions stay in the worker, since many cannot be sent to the server."""

    error: PlainError
    trace: str = ""
    """The stack of an unexpected error, for the server's log."""


class AuthorArchive:
    """Implements `arena.server.rpc.author_service.AuthorArchive` with a worker process.

    The first call starts the worker, unless `warm_up` has done so.
    """

    def __init__(self, folder: Path, parts: GameParts) -> None:
        """`folder` is the data folder."""
        self._setting = (folder, parts)
        self._pool: ProcessPoolExecutor | None = None
        self._is_closed = False
        self._line = FairLine(MAX_WAITING, MAX_WAITING_AN_ACCOUNT)

    async def list_games(self, account: str, call: PageCall) -> tuple[list[ListedMatch], str]:
        """Return a page of a bot's matches, and the token of the next page."""
        return await self._ask(account, partial(AuthorReader.list_games, call=call))

    async def read(self, account: str, call: PageCall | ReplayCall) -> bytes:
        """Return a page of a replay, of strikes or of figures."""
        return await self._ask(account, partial(AuthorReader.read, call=call))

    async def warm_up(self) -> None:
        """Start the worker a few seconds from now, so that no call has to wait while it starts."""
        await asyncio.sleep(WARM_UP_AFTER_S)
        try:
            await self._ask("", _open_folder)
        except ArenaError as error:
            log.warning(
                "the process that reads matches could not be started, the next call tries again", fault=str(error)
            )

    async def close(self) -> None:
        """End the worker after the call that it is answering."""
        self._is_closed = True  # a waiting call may not start another worker
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)

    async def _ask(self, account: str, read: Callable[[AuthorReader], Coroutine[Any, Any, T]]) -> T:
        """Let the worker read when it is the account's turn. Raises CapacityError, and whatever the reader raises."""
        async with self._line.take_turn(account):
            if self._is_closed:
                raise EnvironmentFaultError("the server stops: ask again when it is back")
            pool: ProcessPoolExecutor | None = None
            try:
                pool = self._pool = self._pool or ProcessPoolExecutor(1, get_context("spawn"), _set_up_worker)
                # The first call starts the worker, which takes too long for the loop.
                work = await asyncio.to_thread(pool.submit, _run_in_worker, self._setting, read)
                answer: T | _Refusal = await asyncio.wrap_future(work)
            except BrokenProcessPool as error:
                self._drop(pool)
                raise EnvironmentFaultError("the process that reads matches has ended: try again") from error
            except OSError as error:  # for example, clients have used up the descriptors
                self._drop(pool)
                raise EnvironmentFaultError(
                    f"the process that reads matches cannot be started: {error.strerror}; try again"
                ) from error
        if isinstance(answer, _Refusal):
            if answer.trace:
                log.error("an author's call failed in the worker", trace=answer.trace)
            raise restore_error(answer.error)
        return answer

    def _drop(self, pool: ProcessPoolExecutor | None) -> None:
        """Forget a worker that has failed, so that the next call starts another."""
        if self._pool is pool:
            self._pool = None


@asynccontextmanager
async def open_author_archive(folder: Path, parts: GameParts) -> AsyncIterator[AuthorArchive]:
    """Open the archive of a data folder; on exit, end its worker."""
    archive = AuthorArchive(folder, parts)
    try:
        yield archive
    finally:
        await archive.close()


# ---- in the worker


def _set_up_worker() -> None:
    """Let only the server end the worker, and let the server go first whenever both want a core."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End the worker if the server was killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


def _run_in_worker(
    setting: tuple[Path, GameParts], read: Callable[[AuthorReader], Coroutine[Any, Any, T]]
) -> T | _Refusal:
    """Answer one call."""
    try:
        runner, reader = _open_reader(*setting)
        return runner.run(read(reader))
    except (RequestError, EnvironmentFaultError) as error:
        return _Refusal(describe_error(error))
    except Exception:  # noqa: BLE001  it is logged by the server
        told = StoreError("this match cannot be read; the server's log says why")
        return _Refusal(describe_error(told), traceback.format_exc())


async def _open_folder(_: AuthorReader) -> None:
    """Do nothing: the worker opens the reader before any call, also before this one."""


@cache
def _open_reader(folder: Path, parts: GameParts) -> tuple[asyncio.Runner, AuthorReader]:
    """Open the data folder once for all calls. Raises StoreError."""
    runner = asyncio.Runner()

    async def open_() -> AuthorReader:
        return AuthorReader(folder, await open_store(folder), parts, time.monotonic)

    return runner, runner.run(open_())
