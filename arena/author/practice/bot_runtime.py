"""The runtime of the bots in a practice match: runs each coroutine immediately to its end."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

from cheatarena.answer_watch import AnswerWatch
from cheatarena.clock import ServerClock
from cheatarena.errors import ProtocolError
from cheatarena.match_table import MatchTable


class CoroutineRunner:
    """Runs each coroutine of an asynchronous bot immediately to its end."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._pending: list[asyncio.Task[None]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine to its end. If another coroutine is running, start the new one when the running one waits."""
        task = self._loop.create_task(work)
        self._pending.append(task)
        if not self._loop.is_running():
            while self._pending:
                self._finish(self._pending.pop())
        return task

    def _finish(self, task: asyncio.Task[None]) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._loop.run_until_complete(task)
            return
        with ThreadPoolExecutor(1) as elsewhere:  # this thread already runs a loop, as in notebooks
            elsewhere.submit(self._loop.run_until_complete, task).result()


class PracticeRuntime:
    """The runtime that all seats share. It implements `cheatarena.seat_runtime.BotRuntime`."""

    is_strict = True

    def __init__(self, runner: CoroutineRunner) -> None:
        self.clock = ServerClock()
        self.watch = AnswerWatch(self, has_thread=False)
        self._runner = runner

    def create_task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return self._runner.run(work)

    def report_protocol_error(self, table: MatchTable, error: ProtocolError) -> None:  # noqa: ARG002  the error says which
        """Raise the error, because a message that the SDK cannot use is a mistake of the arena."""
        raise error

    def on_queue_delay(self, queued_s: float, allowed_s: float) -> None:
        """Ignore the delay, because nothing is late in practice."""
