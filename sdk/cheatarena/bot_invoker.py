"""Asks a bot object questions, and keeps the bot's exceptions from affecting the seat.

A ``def`` method is called immediately. The coroutine of an ``async def`` method runs as a task. The result is used as
the answer if the question is still open when the task is done.
"""

import inspect
import logging
import traceback
from collections.abc import Awaitable, Callable, Container
from time import monotonic
from typing import Any

from cheatarena.answer_watch import SLOW_S
from cheatarena.errors import BotError, ProtocolError
from cheatarena.faults import is_retryable
from cheatarena.game import Breach, QuestionKind, describe_types
from cheatarena.match_table import MatchTable
from cheatarena.no_answer import no_answer_after_check, no_answer_after_error, no_answer_after_refusals
from cheatarena.player import Player
from cheatarena.prompts import Question, build_prompt_reader, split_prompt
from cheatarena.seat_runtime import BotRuntime, TaskHandle
from cheatarena.v1.decision_pb2 import NoAnswer

logger = logging.getLogger("cheatarena")

NEVER_S = float("inf")

MAX_OPEN_PROMPTS, MIN_OPEN_PROMPTS = 64, 16
"""If more than 64 prompts are open at the same time, all but the newest 16 are dropped."""

MAX_TRIES = 2
"""Most attempts per question. After a refusal, a question is asked once more if another answer may succeed."""

MAX_QUEUE_SHARE = 0.2
"""A warning is logged if a question waits in this process for more than this share of its time limit."""


class BotInvoker:
    """Puts the server's questions to the bot of one seat."""

    def __init__(
        self,
        bot: Player,
        table: MatchTable,
        runtime: BotRuntime,
        submit: Callable[[Question, Any], None],
        send_no_answer: Callable[[Question, NoAnswer], None],
    ) -> None:
        self._bot = bot
        self._table = table
        self._runtime = runtime
        self._submit = submit
        self._send_no_answer = send_no_answer
        self._open: dict[int, Question] = {}
        self._hooks: TaskHandle | None = None
        self._traced: set[tuple[type[BaseException], str]] = set()
        self._read = build_prompt_reader(type(bot))  # type: ignore[arg-type]  # a class has a hash
        self._watch = runtime.watch
        self._patience_s = 0.0
        """Seconds that a question may wait in this process before the delay is checked; 0 until the pace is known."""

    def ask(self, encoded: bytes, arrival_s: float, closed: Container[int] = ()) -> None:
        """Put an encoded prompt to the bot, unless the prompt's id is in `closed`.

        If the prompt is open already, only its times and options are updated.
        """
        prompt_id, options = split_prompt(encoded)
        if prompt_id in closed:
            return
        kind, legal = self._read(options)
        if kind is not None:
            self.put(prompt_id, kind, legal, arrival_s, encoded)

    def put(self, prompt_id: int, kind: QuestionKind, legal: Any, arrival_s: float, encoded: bytes = b"") -> None:
        """Put a question with these legal options to the bot. If it is open already, only update the options.

        ``encoded`` is the prompt with its times; empty if the question has none.
        """
        known = self._open.get(prompt_id)
        if known is not None:
            known.encoded, known.legal = encoded, legal
            return
        question = self._open[prompt_id] = Question(prompt_id, encoded, arrival_s, kind, legal)
        if len(self._open) > MAX_OPEN_PROMPTS:
            for oldest in tuple(self._open)[:-MIN_OPEN_PROMPTS]:
                self.withdraw(oldest)
        if self._hooks is None or self._hooks.done():
            self._ask_bot(question)
        else:
            question.running = self._runtime.create_task(self._ask_after_hooks(self._hooks, question))

    def withdraw(self, prompt_id: int) -> None:
        """Drop a closed prompt, and cancel the work on its answer."""
        question = self._open.pop(prompt_id, None)
        if question is not None and question.running is not None:
            question.running.cancel()

    def close(self) -> None:
        """Drop all prompts."""
        for prompt_id in tuple(self._open):
            self.withdraw(prompt_id)

    def is_open(self, question: Question) -> bool:
        """Return whether a question is still open."""
        return self._open.get(question.id) is question

    def call_hook(self, hook: Callable[..., Awaitable[None] | None], *facts: Any) -> None:
        """Call one of the bot's hooks. Asynchronous hooks run one after another, and questions wait for them."""
        try:
            waiting = hook(self._table, *facts)
        except ProtocolError:
            raise
        except Exception as error:
            self._handle_bot_error(error, hook.__name__)
            return
        if waiting is not None:
            self._hooks = self._runtime.create_task(self._run_hook(self._hooks, waiting, hook.__name__))

    def handle_refusal(self, question: Question, answer: Any, reason: str) -> None:
        """Tell the bot that the server refused an answer. If another answer may succeed, ask once more or give up."""
        self._report_refusal(question, answer, reason)
        if is_retryable(reason) and not self._ask_again(question) and reason != "TOO_EARLY":
            why = question.explain(self._table, answer)
            self._give_up(question, no_answer_after_refusals(question.kind.method, question.tries, reason, why))

    def handle_breach(self, question: Question, answer: Any, breach: Breach) -> None:
        """Tell the bot that its answer breaks a rule and was not sent. Ask once more, or give up."""
        legal = question.explain(self._table, None)
        said = f"{breach.text}; {legal}" if legal else breach.text
        self._table.log.error("%s() broke a rule: %s", question.kind.method, said)
        if type(self._bot).on_refused is not Player.on_refused:  # the default would tell it again as a refusal
            self._report_refusal(question, answer, breach.reason)
        if not self._ask_again(question):
            self._give_up(question, no_answer_after_check(question.kind.method, breach.reason, breach.text))

    def _report_refusal(self, question: Question, answer: Any, reason: str) -> None:
        self._table.question = question
        try:
            self._bot.on_refused(self._table, answer, reason)
        except Exception as error:
            self._handle_bot_error(error, "on_refused")

    def _ask_again(self, question: Question) -> bool:
        """Ask the bot a question once more if it may try again and there is time. Return whether it was asked."""
        if question.tries >= MAX_TRIES or not self.is_open(question):
            return False
        deadline_us = question.deadline_us
        if deadline_us and self._runtime.clock.local_s(deadline_us) <= monotonic():
            return False
        question.arrival_s = monotonic()
        self._ask_bot(question)
        return True

    def _give_up(self, question: Question, told: NoAnswer) -> None:
        """Tell the server that the bot has no answer, so that nobody waits for it."""
        if self.is_open(question):
            self._send_no_answer(question, told)

    def _ask_bot(self, question: Question) -> None:
        """Run the bot's method for a question. If the bot does not override the method, submit the default answer."""
        question.tries += 1
        kind = question.kind
        if kind.default_answer is not None:
            self._submit(question, kind.default_answer)
            return
        table = self._table
        table.question = question
        asked_s = monotonic()
        table.queued_s = queued_s = asked_s - question.arrival_s
        if queued_s > self._patience_s:
            self._check_queue_delay(queued_s, question)
        try:
            watch = self._watch
            watch.running = table
            if watch.is_asleep:
                watch.wake()
            try:
                answer = kind.put(self._bot, table, question.legal)
            finally:
                watch.running = None
                if monotonic() - asked_s > SLOW_S:
                    watch.check_lateness(question, table, asked_s)
            if type(answer) in kind.answers:
                self._submit(question, answer)
            else:
                self._handle_answer(question, answer)
        except ProtocolError:
            raise
        except Exception as error:
            self._handle_bot_error(error, kind.method, question)

    def _handle_answer(self, question: Question, answer: Any) -> None:
        """Submit an answer. If it is awaitable, submit its result later."""
        kind = question.kind
        if type(answer) in kind.answers:
            self._submit(question, answer)
        elif inspect.isawaitable(answer):
            question.running = self._runtime.create_task(self._await_answer(question, answer))
        else:
            extras = kind.extras(question.legal) if kind.extras else ()
            if type(answer) not in extras:
                raise BotError(
                    f"{kind.method}() returned {answer!r}, expected {describe_types((*kind.answers, *extras))}"
                )
            self._submit(question, answer)

    async def _await_answer(self, question: Question, answer: Awaitable[Any]) -> None:
        self._watch.begin_awaiting(question, self._table)
        try:
            try:
                given = await answer
            finally:
                self._watch.end_awaiting(question)
            if self.is_open(question):
                self._handle_answer(question, given)
        except ProtocolError as error:
            self._runtime.report_protocol_error(self._table, error)
        except Exception as error:
            self._handle_bot_error(error, question.kind.method, question)

    async def _run_hook(self, before: TaskHandle | None, waiting: Awaitable[None], name: str) -> None:
        try:
            if before is not None:
                await before
            await waiting
        except ProtocolError as error:
            self._runtime.report_protocol_error(self._table, error)
        except Exception as error:
            self._handle_bot_error(error, name)

    async def _ask_after_hooks(self, hooks: TaskHandle, question: Question) -> None:
        await hooks
        question.running = None
        if self.is_open(question):
            try:
                self._ask_bot(question)
            except ProtocolError as error:
                self._runtime.report_protocol_error(self._table, error)

    def _check_queue_delay(self, queued_s: float, question: Question) -> None:
        """Warn if a question waited in this process for too large a share of its time limit."""
        pace = self._table.pace
        self._patience_s = MAX_QUEUE_SHARE * min(pace.turn_s, pace.call_s) if pace.has_deadlines else NEVER_S
        allowed_s = pace.call_s if question.kind.is_reaction else pace.turn_s
        if pace.has_deadlines and queued_s > MAX_QUEUE_SHARE * allowed_s:
            self._runtime.on_queue_delay(queued_s, allowed_s)

    def _handle_bot_error(self, error: Exception, method: str, question: Question | None = None) -> None:
        """Log a bot's exception: with a traceback the first time, and in one line from then on.

        If the method was asked a question, tell the server that it has no answer. If the runtime is strict, raise the
        exception instead.
        """
        if self._runtime.is_strict:
            raise error
        place = traceback.extract_tb(error.__traceback__)[-1:]
        key = (type(error), str(place))
        is_new = key not in self._traced and not isinstance(error, BotError)
        self._traced.add(key)
        name = type(self._bot).__name__
        self._table.log.error("%s.%s failed: %r", name, method, error, exc_info=error if is_new else None)
        if question is not None:
            self._give_up(question, no_answer_after_error(method, error))
