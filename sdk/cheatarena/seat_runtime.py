"""The functions that a seat needs from its environment. `Session` and `cheatarena.testing.Rehearsal` provide them.

A bot that gets no messages, as in practice, needs only those of `BotRuntime`.
"""

from collections.abc import Callable, Coroutine, Generator
from typing import TYPE_CHECKING, Any, Protocol

from cheatarena.clock import ServerClock
from cheatarena.errors import ProtocolError
from cheatarena.match_table import MatchTable
from cheatarena.receipts import Receipt

if TYPE_CHECKING:
    from cheatarena.answer_watch import AnswerWatch


class Cancellable(Protocol):
    """Running or scheduled work."""

    def cancel(self) -> Any:
        """Stop the work."""


class TaskHandle(Cancellable, Protocol):
    """A running coroutine."""

    def done(self) -> bool:
        """Return whether the coroutine is done."""

    def __await__(self) -> Generator[Any, None, None]: ...


class BotRuntime(Protocol):
    """The environment in which a bot is asked."""

    clock: ServerClock
    watch: "AnswerWatch"
    """Watches how long the bots take."""
    is_strict: bool
    """Whether an exception in the bot's code is raised; otherwise it is only logged."""

    def create_task(self, work: Coroutine[Any, Any, None]) -> TaskHandle:
        """Start a coroutine as a task."""

    def report_protocol_error(self, table: MatchTable, error: ProtocolError) -> None:
        """Handle an error that was found in the server's messages when a task of the bot read the table."""

    def on_queue_delay(self, queued_s: float, allowed_s: float) -> None:
        """Called when a question waited in this process for a large part of its time limit."""


class SeatRuntime(BotRuntime, Protocol):
    """The environment of a seat that gets messages and sends decisions."""

    takes_no_answer: bool
    """Whether the server wants to be told that a bot has no answer."""

    def send(self, request: bytes) -> None:
        """Send an encoded PlayRequest as soon as possible."""

    def call_later(self, delay_s: float, work: Callable[[], None]) -> Cancellable:
        """Call `work` after a delay in seconds."""

    def on_receipt(self, table: MatchTable, receipt: Receipt) -> None:
        """Store a table's receipt, if receipts are stored."""
