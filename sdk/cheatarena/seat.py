"""One seat of one match. It handles the server's messages and writes the bot's decisions, but knows no network.

Messages come in the order of their sequence numbers. Prompts, and the server's answers to decisions, are handled
immediately. Facts are only queued. The table applies them when the bot reads the table.
"""

import logging
import time
from collections.abc import Iterable, Sequence
from typing import Any

from cheatarena.bot_invoker import BotInvoker
from cheatarena.encoding import DecisionWriter, encode_accepted, encode_ready
from cheatarena.errors import ProtocolError
from cheatarena.faults import describe_strike, reason_name
from cheatarena.match_facts import read_strike
from cheatarena.match_log import MatchLog
from cheatarena.missing_run import note_play
from cheatarena.player import Player
from cheatarena.prompts import Question
from cheatarena.receipts import read_receipt
from cheatarena.scanning import MessageParts, read_varints
from cheatarena.seat_runtime import SeatRuntime
from cheatarena.v1 import decision_pb2, snapshot_pb2
from cheatarena.v1.decision_pb2 import DecisionAnswer, NoAnswer
from cheatarena.v1.event_pb2 import Event

logger = logging.getLogger("cheatarena")

FIRST_PLAY_FACT_BYTE = b"\x80"
"""The first byte of every encoded fact of Cheat or CHEATER has at least this value.

Such facts have field numbers above 15. Their tags take two bytes, and the first of these is at least 0x80. All other
facts, such as the start of a game, have field numbers up to 15. Their tags are single bytes below 0x80.
"""

END_FACTS = frozenset({"game_ended", "match_ended"})
"""Facts reported to the bot before the table applies any later fact."""

STATUS_HELD = decision_pb2.DECISION_STATUS_HELD
STATUS_REFUSED = decision_pb2.DECISION_STATUS_REFUSED


class GapError(ProtocolError):
    """At least one message is missing between the last handled message and this one."""


SentDecision = tuple[Question, Any, bytes]
"""A question, its answer, and the encoded decision, which may have to be sent again on a new stream."""

RefusedAnswer = tuple[Question, Any, DecisionAnswer]
"""A question, its refused answer, and the refusal."""


class Seat:
    """One bot object and its table."""

    def __init__(self, match: int, entrant: int, bot: Player, runtime: SeatRuntime) -> None:
        note_play()
        game = bot.game
        self.table: Any = game.table(game, match, entrant, runtime.clock)
        """The bot's table: an instance of the game's own subclass of `MatchTable`."""
        self.bot = bot
        self.sequence = 0
        """Sequence number of the last handled message."""
        self.is_over = False
        self.is_in_break = False
        """Whether the match is in a break, so that the server waits until the seat is ready."""
        self.sent: dict[bytes, SentDecision] = {}
        """Decisions that the server has not judged yet.

        The key of each decision is the encoded DecisionAnswer that would accept this decision.
        """
        self.unanswered: dict[bytes, float] = {}
        """When each decision was sent that has had no answer at all, not even HELD; the oldest comes first.

        The keys are those of `sent`, the times seconds by `time.monotonic`.
        """
        self._moot: set[bytes] = set()
        """The keys of decisions whose prompts are closed, so that nothing depends on them any more."""
        self._runtime = runtime
        self._game = game
        self._checks, self._waits = game.checks, game.waits
        self._prefix = f"{game.name}_"
        """Prefix of the field names of the game's facts."""
        self._writer = DecisionWriter(match, entrant, game.write_action)
        self._invoker = BotInvoker(bot, self.table, runtime, self._submit, self._send_no_answer)
        self._action_id = 0
        self._log = MatchLog(self.table)
        self._sees = type(bot).saw is not Player.saw

    def __str__(self) -> str:
        return f"entrant {self.table.entrant} of match {self.table.match}"

    def handle_message(self, parts: MessageParts, arrival_s: float) -> None:
        """Handle one message and answer its prompts. A repeated message is ignored.

        Raises GapError if earlier messages are missing.
        """
        _, _, sequence, events, prompts, withdrawn, answers, snapshot, joined_count = parts
        first = sequence - joined_count
        if first != self.sequence + 1 or snapshot is not None:
            if not self._should_take(first, sequence, snapshot):
                return
            if snapshot is not None:
                self._restore(snapshot_pb2.SeatSnapshot.FromString(snapshot), arrival_s)
        self.sequence = sequence
        refused = self._handle_answers(answers) if answers else ()
        if events:
            if self._sees or min(events) < FIRST_PLAY_FACT_BYTE:
                self._handle_facts(events)
            else:
                self.table.add(events)
        closed = tuple(read_varints(withdrawn)) if withdrawn else ()
        for prompt_id in closed:
            self._invoker.withdraw(prompt_id)
        if closed and self.sent:
            self._moot.update(key for key, (question, _, _) in self.sent.items() if question.id in closed)
        self._handle_refusals(refused)
        for encoded in prompts:  # a message may withdraw a prompt that it also opens
            self._invoker.ask(encoded, arrival_s, closed)

    def _should_take(self, first: int, sequence: int, snapshot: bytes | None) -> bool:
        """Return whether to handle a message that has a snapshot or is not the next in sequence.

        `first` is the sequence of the first message that is joined to it, or its own if none is. Raises GapError if
        earlier messages are missing.
        """
        if snapshot is not None and sequence >= self.sequence:
            return True
        if first > self.sequence + 1:
            raise GapError(f"{self} has message {self.sequence}, and the next one is {first}")
        return sequence > self.sequence

    def close(self) -> None:
        """Stop all running work."""
        self._invoker.close()

    def _handle_answers(self, answers: Iterable[bytes]) -> list[RefusedAnswer]:
        """Handle the server's answers to decisions, and return the refused decisions."""
        refused: list[RefusedAnswer] = []
        for encoded in answers:
            if self.sent.pop(encoded, None) is not None:
                self.unanswered.pop(encoded, None)
                continue  # the decision was accepted
            result = DecisionAnswer.FromString(encoded)
            key = encode_accepted(result.prompt_id, result.action_id)
            self.unanswered.pop(key, None)
            if result.status == STATUS_HELD:
                continue
            sent = self.sent.pop(key, None)
            if sent is not None and result.status == STATUS_REFUSED and not isinstance(sent[1], NoAnswer):
                if result.late_us:
                    self.table.log.warning("the answer came %.1f ms after its deadline", result.late_us / 1000)
                question, answer, _ = sent
                refused.append((question, answer, result))
        return refused

    def _handle_refusals(self, refused: Iterable[RefusedAnswer]) -> None:
        """Send calls that came too early again when they count, and tell the bot about every other refusal."""
        for question, answer, result in refused:
            if not result.HasField("retry_at_us"):
                self._invoker.handle_refusal(question, answer, reason_name(result.reason))
            elif self._invoker.is_open(question):
                self._send_at(question, answer, result.retry_at_us)

    def _handle_facts(self, events: Sequence[bytes]) -> None:
        """Apply facts and report them. The end of a game or match is reported before later facts are applied."""
        facts: list[Event] = []
        applied = 0
        for index, encoded in enumerate(events):
            event = Event.FromString(encoded)
            facts.append(event)
            if event.WhichOneof("fact") in END_FACTS:
                self._apply_facts(events[applied : index + 1], facts)
                applied, facts = index + 1, []
        self._apply_facts(events[applied:], facts)

    def _apply_facts(self, events: Sequence[bytes], facts: list[Event]) -> None:
        """Add facts to the table, then report those that the bot listens to."""
        self.table.add(events)
        for encoded, event in zip(events, facts, strict=True):
            kind = event.WhichOneof("fact")
            if kind is None or not kind.startswith(self._prefix):
                self._handle_match_fact(kind, event)
            elif self._sees:
                self._invoker.call_hook(self.bot.saw, self._game.read_event(encoded)[1])

    def _handle_match_fact(self, kind: str | None, event: Event) -> None:
        self._log.note_fact(kind)
        match kind:
            case "match_started":
                self._invoker.call_hook(self.bot.match_started)
            case "game_started":
                self.is_in_break = False
                self._invoker.call_hook(self.bot.game_started)
            case "game_ended":
                self._moot.update(self.sent)
                self._invoker.call_hook(self.bot.game_ended)
            case "match_ended":
                self.is_over = True
                self._invoker.call_hook(self.bot.match_ended)
            case "fault":
                self.table.log.warning("%s", describe_strike(read_strike(event.fault, self.table.game)))
            case "deal_receipt":
                self._runtime.on_receipt(self.table, read_receipt(event.deal_receipt))
            case "intermission_started":
                self.is_in_break = True
                self._runtime.send(encode_ready(self.table.match, self.table.entrant))
            case _:
                pass

    def _restore(self, snapshot: snapshot_pb2.SeatSnapshot, arrival_s: float) -> None:
        """Forget everything known so far, read the snapshot instead, and put its open prompts to the bot."""
        before = self.table.game if self.sequence else None
        self.is_in_break = False
        refused = self._handle_answers([each.SerializeToString() for each in snapshot.answers])
        receipt = self.table.receipt
        self.table.restore(snapshot)
        if self.table.receipt is not None and self.table.receipt != receipt:
            self._runtime.on_receipt(self.table, self.table.receipt)
        last = snapshot.events[-1] if snapshot.events else None
        if before is None:
            self._log.note_fact("match_started")
            self._invoker.call_hook(self.bot.match_started)
        if snapshot.WhichOneof("game") == self._game.name and before != self.table.game:
            self._invoker.call_hook(self.bot.game_started)
        if last is not None and last.WhichOneof("fact") in {"match_ended", "intermission_started"}:
            self._handle_match_fact(last.WhichOneof("fact"), last)
        self._handle_refusals(refused)
        answered = frozenset(snapshot.answered)
        for prompt in snapshot.prompts:
            self._invoker.ask(prompt.SerializeToString(), arrival_s, answered)

    def _submit(self, question: Question, answer: Any) -> None:
        """Send an answer as soon as the server allows it. If the answer is illegal, tell the bot and send nothing."""
        kind = type(answer)
        if kind in self._checks and (breach := self._checks[kind](self.table, answer)):
            self._invoker.handle_breach(question, answer, breach)
            return
        self._send_at(question, answer, question.earliest_us if kind in self._waits else 0)

    def _send_at(self, question: Question, answer: Any, at_us: int) -> None:
        """Send an answer at an instant of the server's clock, in microseconds; 0 means immediately."""
        delay_s = self._runtime.clock.local_s(at_us) - time.monotonic() if at_us else 0.0
        if delay_s > 0:  # if the question closes during the delay, the answer is dropped
            question.running = self._runtime.call_later(delay_s, lambda: self._send(question, answer))
        else:
            self._send(question, answer)

    def _send(self, question: Question, answer: Any) -> None:
        self._action_id = action_id = self._action_id + 1
        request = self._writer.write(question.id, action_id, answer)
        self._note_sent(question, answer, action_id, request)

    def _send_no_answer(self, question: Question, told: NoAnswer) -> None:
        """Tell the server that the bot has no answer to a question, if the server understands that."""
        if not self._runtime.takes_no_answer:
            return
        self._action_id = action_id = self._action_id + 1
        request = self._writer.write_no_answer(question.id, action_id, told)
        self._note_sent(question, told, action_id, request)

    def _note_sent(self, question: Question, answer: Any, action_id: int, request: bytes) -> None:
        """Send a decision, and keep it until the server has judged it."""
        key = encode_accepted(question.id, action_id)
        self.sent[key] = (question, answer, request)
        self.unanswered[key] = time.monotonic()
        self._runtime.send(request)

    def requests_to_repeat(self) -> list[bytes]:
        """Return what must be sent again on a new stream, on which it then waits for its answer."""
        self.sent = {key: sent for key, sent in self.sent.items() if key not in self._moot}
        self._moot.clear()
        self.unanswered = dict.fromkeys(self.sent, time.monotonic())
        ready = [encode_ready(self.table.match, self.table.entrant)] if self.is_in_break else []
        return [request for _, _, request in self.sent.values()] + ready
