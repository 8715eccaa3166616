"""The world of the SDK's seats in practice: what they say is kept, what is asynchronous runs to its end at once."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

from cheatarena.clock import ServerClock
from cheatarena.errors import ProtocolError
from cheatarena.match_table import MatchTable
from cheatarena.receipts import Receipt


class CoroutineRunner:
    """Runs what asynchronous bots do, to its end and at once."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._pending: list[asyncio.Task[None]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine. One that starts inside of another runs when that one gives way."""
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
        with ThreadPoolExecutor(1) as elsewhere:  # the caller has a loop of its own, as notebooks do
            elsewhere.submit(self._loop.run_until_complete, task).result()


class PracticeLine:
    """The world of all seats; implements `cheatarena.seat_runtime.Line`."""

    is_strict = True

    def __init__(self, workshop: CoroutineRunner, send: Callable[[bytes], None]) -> None:
        self.clock = ServerClock()
        self.send = send
        self._workshop = workshop

    def create_task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine of a bot."""
        return self._workshop.run(work)

    def call_later(self, delay_s: float, work: Callable[[], None]) -> asyncio.Task[None]:
        """Nothing is too early here."""
        raise NotImplementedError(f"nothing waits in practice, but something wants to wait {delay_s} s for {work}")

    def report_protocol_error(self, table: MatchTable, error: ProtocolError) -> None:  # noqa: ARG002  the error says which
        """What we sent makes no sense to the SDK."""
        raise error

    def on_receipt(self, table: MatchTable, receipt: Receipt) -> None:
        """Nobody has to be trusted here."""

    def on_queue_delay(self, queued_s: float, allowed_s: float) -> None:
        """Nothing is late here."""
