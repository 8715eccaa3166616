"""Runs a bot of any game without a server, message by message."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator, Iterable
from typing import Any

from cheatarena.answer_watch import AnswerWatch
from cheatarena.clock import ServerClock
from cheatarena.errors import BotError, ProtocolError
from cheatarena.match_table import MatchTable
from cheatarena.player import Player
from cheatarena.receipts import Receipt
from cheatarena.scanning import split_message
from cheatarena.seat import Seat
from cheatarena.v1 import play_pb2


def play_through(bot: Player | type[Player], messages: Iterable[play_pb2.SeatMessage]) -> list[Any]:
    """Give scripted or recorded messages to a bot, and return its answers in the order of the prompts.

    A prompt without an answer yields None. The bot's answers do not change the messages that follow.
    """
    rehearsal = Rehearsal(bot)
    return [answer for message in messages for answer in rehearsal.take(message)]


class Rehearsal:
    """Runs one bot at one table, message by message. Implements `SeatRuntime`.

    Match and entrant are taken from the first message. They replace values that were given to the constructor.
    """

    is_strict = True
    """Errors of the bot are raised, so that its test fails."""
    takes_no_answer = False
    """A bot without an answer does not say so: there is no server to spare."""

    def __init__(self, bot: Player | type[Player], match: int = 1, entrant: int = 0) -> None:
        self.clock = ServerClock()
        """A clock that was never set, since no question has a deadline."""
        self.watch = AnswerWatch(self, has_thread=False)
        """The watch of answers that take too long; it has nothing to report here."""
        self.answers: dict[int, Any] = {}
        """The bot's answers by prompt id."""
        self._seat = Seat(match, entrant, bot() if isinstance(bot, type) else bot, self)
        self._is_first = True

    @property
    def table(self) -> Any:
        """The bot's table."""
        return self._seat.table

    def take(self, message: play_pb2.SeatMessage) -> list[Any]:
        """Give one message to the bot, and return its answers to the message's prompts, in order.

        Raises every exception that the bot raises, and BotError if an answer or a message is invalid.
        """
        if self._is_first:
            self._is_first = False
            if (message.match, message.entrant) != (self.table.match, self.table.entrant):
                self._seat = Seat(message.match, message.entrant, self._seat.bot, self)
        self._seat.handle_message(split_message(message.SerializeToString()), 0.0)
        prompts = (*message.snapshot.prompts, *message.prompts)
        return [self.answers.get(prompt.id) for prompt in prompts]

    # ---- SeatRuntime

    def send(self, request: bytes) -> None:
        """Record the decisions of a request."""
        for decision in play_pb2.PlayRequest.FromString(request).decisions:
            self.answers[decision.prompt_id] = self._seat.bot.game.read_answer(decision)

    def create_task(self, work: Coroutine[Any, Any, None]) -> "_FinishedTask":
        """Run a coroutine to its end. It gets its own thread, because the test may already run an event loop."""
        raised: list[BaseException] = []

        def run() -> None:
            try:
                asyncio.run(work)
            except BaseException as error:  # noqa: BLE001 - raised again below
                raised.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        if raised:
            raise raised[0]
        return _FinishedTask()

    def call_later(self, delay_s: float, work: Callable[[], None]) -> "_FinishedTask":  # noqa: ARG002 - there is no clock
        """Call `work` immediately."""
        work()
        return _FinishedTask()

    def report_protocol_error(self, table: MatchTable, error: ProtocolError) -> None:
        """Raise the error as a BotError, which names the match."""
        raise BotError(f"match {table.match} makes no sense: {error}") from error

    def on_receipt(self, table: MatchTable, receipt: Receipt) -> None:
        """Do nothing: there is no receipt to store."""

    def on_queue_delay(self, queued_s: float, allowed_s: float) -> None:
        """Do nothing: no question waits in a queue."""


class _FinishedTask:
    """Finished work."""

    def cancel(self) -> None:
        """Do nothing."""

    def done(self) -> bool:
        return True

    def __await__(self) -> Generator[Any, None, None]:
        yield from ()
