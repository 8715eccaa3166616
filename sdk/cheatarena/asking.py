"""Puts questions to a bot object, and keeps what it raises from hurting the seat.

A ``def`` method is called at once. What an ``async def`` method returns becomes a task, and the answer is used when
the task is done, if the question is still open by then.
"""

import inspect
import logging
import traceback
from collections.abc import Awaitable, Callable, Container
from time import monotonic
from typing import Any

from cheatarena.errors import BotError, ProtocolError
from cheatarena.faults import MENDABLE
from cheatarena.game import in_words
from cheatarena.line import Line, Work
from cheatarena.match_table import MatchTable
from cheatarena.player import Player
from cheatarena.prompts import Question, reader_for, split_prompt

logger = logging.getLogger("cheatarena")

NEVER_S = float("inf")

MOST_REMEMBERED, LEAST_REMEMBERED = 64, 16
"""Prompts are remembered in case that they are sent again; now and then the oldest are forgotten."""

MOST_TRIES = 2
"""A question is put again once, when its first answer was refused for something that can be mended."""

MOST_QUEUED = 0.2
"""The part of a question's time that it may lie in this process before somebody is told."""


class Asking:
    """The questions of one seat."""

    def __init__(self, bot: Player, table: MatchTable, line: Line, give: Callable[[Question, Any], None]) -> None:
        self._bot = bot
        self._table = table
        self._line = line
        self._give = give
        self._open: dict[int, Question] = {}
        self._hooks: Work | None = None
        self._traced: set[tuple[type[BaseException], str]] = set()
        self._read = reader_for(type(bot))  # type: ignore[arg-type]  # a class has a hash
        self._patience_s = 0.0
        """Queueing up to so long is no news; 0 until the pace is known."""

    def ask(self, encoded: bytes, arrival_s: float, closed: Container[int] = ()) -> None:
        """Put an encoded prompt to the bot. One that it has been asked already only gets its new times and options."""
        prompt_id, options = split_prompt(encoded)
        if prompt_id in closed:
            return
        known = self._open.get(prompt_id)
        kind, legal = self._read(options)
        if known is not None:
            known.encoded, known.legal = encoded, legal
            return
        if kind is None:
            return
        question = self._open[prompt_id] = Question(prompt_id, encoded, arrival_s, kind, legal)
        if len(self._open) > MOST_REMEMBERED:
            self._forget()
        if self._hooks is None or self._hooks.done():
            self._put(question)
        else:
            question.running = self._line.start(self._put_after(self._hooks, question))

    def withdraw(self, prompt_id: int) -> None:
        """Forget a prompt that is closed."""
        question = self._open.pop(prompt_id, None)
        if question is not None and question.running is not None:
            question.running.cancel()

    def close(self) -> None:
        """Forget all prompts."""
        for prompt_id in tuple(self._open):
            self.withdraw(prompt_id)

    def is_open(self, question: Question) -> bool:
        """Tell whether a question still waits for an answer that could count."""
        return self._open.get(question.id) is question

    def hear(self, hook: Callable[..., Awaitable[None] | None], *facts: Any) -> None:
        """Call one of the bot's hooks. Asynchronous hooks run one after another, and questions wait for them."""
        try:
            waiting = hook(self._table, *facts)
        except ProtocolError:
            raise
        except Exception as error:  # noqa: BLE001 - a bot may raise anything, and plays on
            self._trouble(error, hook.__name__)
            return
        if waiting is not None:
            self._hooks = self._line.start(self._run_hook(self._hooks, waiting, hook.__name__))

    def refused(self, question: Question, answer: Any, reason: str) -> None:
        """Tell the bot that an answer was refused, and ask once more where that can help."""
        try:
            self._bot.on_refused(self._table, answer, reason)
        except Exception as error:  # noqa: BLE001 - a bot may raise anything, and plays on
            self._trouble(error, "on_refused")
        if reason in MENDABLE and question.tries < MOST_TRIES and self.is_open(question) and self._has_time(question):
            question.arrival_s = monotonic()
            self._put(question)

    def _put(self, question: Question) -> None:
        """Ask the bot."""
        question.tries += 1
        kind = question.kind
        if kind.unwritten is not None:
            self._give(question, kind.unwritten)
            return
        table = self._table
        table.question = question
        table.queued_s = queued_s = monotonic() - question.arrival_s
        if queued_s > self._patience_s:
            self._weigh(queued_s, question)
        try:
            answer = kind.put(self._bot, table, question.legal)
            if type(answer) in kind.answers:
                self._give(question, answer)
            else:
                self._use(question, answer)
        except ProtocolError:
            raise
        except Exception as error:  # noqa: BLE001 - a bot may raise anything, and plays on
            self._trouble(error, kind.method)

    def _use(self, question: Question, answer: Any) -> None:
        """Give an answer on, or wait for it."""
        kind = question.kind
        if type(answer) in kind.answers:
            self._give(question, answer)
        elif inspect.isawaitable(answer):
            question.running = self._line.start(self._wait(question, answer))
        else:
            extras = kind.extras(question.legal) if kind.extras else ()
            if type(answer) not in extras:
                raise BotError(f"{kind.method}() returned {answer!r}, expected {in_words((*kind.answers, *extras))}")
            self._give(question, answer)

    async def _wait(self, question: Question, answer: Awaitable[Any]) -> None:
        try:
            given = await answer
            if self.is_open(question):
                self._use(question, given)
        except ProtocolError as error:
            self._line.fail(self._table, error)
        except Exception as error:  # noqa: BLE001 - a bot may raise anything, and plays on
            self._trouble(error, question.kind.method)

    async def _run_hook(self, before: Work | None, waiting: Awaitable[None], name: str) -> None:
        try:
            if before is not None:
                await before
            await waiting
        except ProtocolError as error:
            self._line.fail(self._table, error)
        except Exception as error:  # noqa: BLE001 - a bot may raise anything, and plays on
            self._trouble(error, name)

    async def _put_after(self, hooks: Work, question: Question) -> None:
        await hooks
        question.running = None
        if self.is_open(question):
            try:
                self._put(question)
            except ProtocolError as error:
                self._line.fail(self._table, error)

    def _forget(self) -> None:
        """Forget the oldest questions."""
        for oldest in tuple(self._open)[:-LEAST_REMEMBERED]:
            self.withdraw(oldest)

    def _has_time(self, question: Question) -> bool:
        deadline_us = question.deadline_us
        return not deadline_us or self._line.clock.local_s(deadline_us) > monotonic()

    def _weigh(self, queued_s: float, question: Question) -> None:
        """Tell whoever runs the program when its own queue eats too much of the time."""
        pace = self._table.pace
        self._patience_s = MOST_QUEUED * min(pace.turn_s, pace.call_s) if pace.has_deadlines else NEVER_S
        allowed_s = pace.call_s if question.kind.is_reaction else pace.turn_s
        if pace.has_deadlines and queued_s > MOST_QUEUED * allowed_s:
            self._line.queued(queued_s, allowed_s)

    def _trouble(self, error: Exception, method: str) -> None:
        """Log what a bot raised: the whole story once, one line when it happens again."""
        if self._line.is_strict:
            raise error
        place = traceback.extract_tb(error.__traceback__)[-1:]
        key = (type(error), str(place))
        is_new = key not in self._traced and not isinstance(error, BotError)
        self._traced.add(key)
        name = type(self._bot).__name__
        self._table.log.error("%s.%s failed: %r", name, method, error, exc_info=error if is_new else None)
