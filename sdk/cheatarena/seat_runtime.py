"""What a seat needs of the world around it. A session is one, a rehearsal in `cheatarena.testing` is another."""

from collections.abc import Callable, Coroutine, Generator
from typing import Any, Protocol

from cheatarena.clock import ServerClock
from cheatarena.errors import ProtocolError
from cheatarena.match_table import MatchTable
from cheatarena.receipts import Receipt


class Cancellable(Protocol):
    """Work that is under way."""

    def cancel(self) -> Any:
        """Stop it."""


class TaskHandle(Cancellable, Protocol):
    """A coroutine that is under way."""

    def done(self) -> bool:
        """Tell whether it is over."""

    def __await__(self) -> Generator[Any, None, None]: ...


class SeatRuntime(Protocol):
    """The world of a seat."""

    clock: ServerClock
    is_strict: bool
    """Errors in a bot's code are raised, not logged."""

    def send(self, request: bytes) -> None:
        """Send an encoded PlayRequest as soon as possible."""

    def create_task(self, work: Coroutine[Any, Any, None]) -> TaskHandle:
        """Run a coroutine."""

    def call_later(self, delay_s: float, work: Callable[[], None]) -> Cancellable:
        """Call something after a delay in seconds."""

    def report_protocol_error(self, table: MatchTable, error: ProtocolError) -> None:
        """Give the stream up and begin anew: what the server has sent about a table makes no sense."""

    def on_receipt(self, table: MatchTable, receipt: Receipt) -> None:
        """Keep a table's receipt, if receipts are kept."""

    def on_queue_delay(self, queued_s: float, allowed_s: float) -> None:
        """Hear that a question lay in this process for a large part of the time for it."""
