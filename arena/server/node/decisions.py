"""Reads the decisions that bots send and explains why a malformed one is refused."""

from typing import Any, NamedTuple

from arena.match.referee.facts import NoAnswerCause, NoAnswerGiven
from arena.match.referee.inputs import Answer, NoAnswer, Reject
from arena.match.referee.orders import Refusal
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.server.node.limits import Limits
from arena.server.wire.bot_frames import SentDecision
from arena.server.wire.error_reasons import reason_word
from arena.server.wire.game_codec import GameCodec
from cheatarena.v1 import decision_pb2
from cheatarena.v1.decision_pb2 import Decision
from cheatarena.v1.decision_pb2 import NoAnswer as NoAnswerMessage

_CAUSES = {decision_pb2.NoAnswerCause.Value(f"NO_ANSWER_CAUSE_{cause.name}"): cause for cause in NoAnswerCause}
_MAX_REMEMBERED = 2048
"""The most contents that a reader remembers; when there would be more, it forgets all of them."""
_MAX_REMEMBERED_BYTES = 64
"""The size of the longest content that a reader remembers."""


class _Content(NamedTuple):
    action: Any
    """The game's action value or `NoAnswerGiven`; None if it cannot be read."""
    text: str
    """The action in the game's text form; empty if there is none."""
    note: str
    fault: str
    """The reason for a refusal; empty for a valid content."""


class DecisionReader:
    """Reads the decisions for the matches of one game. Remembers short contents, because the same few recur often."""

    def __init__(self, codec: GameCodec, limits: Limits) -> None:
        self._codec = codec
        self._limits = limits
        self._remembered: dict[bytes, _Content] = {}

    def read_input(self, decision: SentDecision, at: Instant, now: Instant) -> Answer | NoAnswer | Reject:
        """Return the input of a decision that arrived at `at` and is handled at `now`: `Reject` if it is malformed.

        The size is checked first, since reading a very large decision takes long.
        """
        _, entrant, prompt_id, action_id, content, size = decision
        if size > self._limits.decision_bytes or not (action_id and prompt_id):
            return Reject(at, now, EntrantIndex(entrant), PromptId(prompt_id), action_id, Refusal.MALFORMED)
        action, text, note, fault = self._remembered.get(content) or self._read_content(content)
        if fault:
            return Reject(at, now, EntrantIndex(entrant), PromptId(prompt_id), action_id, fault)
        if isinstance(action, NoAnswerGiven):
            return NoAnswer(at, now, EntrantIndex(entrant), PromptId(prompt_id), action_id, action)
        return Answer(at, now, EntrantIndex(entrant), PromptId(prompt_id), action_id, text, note, action)

    def _read_content(self, content: bytes) -> _Content:
        read = self._parse_content(Decision.FromString(content))
        if len(content) <= _MAX_REMEMBERED_BYTES and not read.note:
            if len(self._remembered) >= _MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[content] = read
        return read

    def _parse_content(self, decision: Decision) -> _Content:
        action, note = self._codec.read_action(decision), decision.note
        if action is None:
            if not decision.HasField("no_answer"):
                return _Content(None, "", "", Refusal.MALFORMED)
            action, note = _read_no_answer(decision.no_answer), decision.no_answer.text
        if note and len(note.encode()) > self._limits.note_bytes:
            return _Content(None, "", "", Refusal.NOTE_TOO_LONG)
        if isinstance(action, NoAnswerGiven):
            return _Content(action, "", note, "")
        return _Content(action, self._codec.game.write_action(action), note, "")


def _read_no_answer(message: NoAnswerMessage) -> NoAnswerGiven:
    cause = _CAUSES.get(message.cause, NoAnswerCause.EMPTY)
    reason = reason_word(message.reason) or Refusal.MALFORMED if cause is NoAnswerCause.ILLEGAL else ""
    return NoAnswerGiven(cause, reason, message.text)
