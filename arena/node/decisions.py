"""Reads the decisions that bots send and explains why a malformed one is refused."""

from typing import Any, NamedTuple

from arena.match.facts import NoAnswerCause, NoAnswerGiven
from arena.match.inputs import Answer, NoAnswer
from arena.match.orders import Refusal
from arena.match.scalars import EntrantIndex, Instant, PromptId
from arena.node.limits import Limits
from arena.rules.game import Game
from arena.wire.error_reasons import reason_word
from arena.wire.game_codec import GameCodec
from cheatarena.v1 import decision_pb2, play_pb2
from cheatarena.v1.decision_pb2 import Decision
from cheatarena.v1.decision_pb2 import NoAnswer as NoAnswerMessage

_DEFAULT_LIMITS = Limits()
_CAUSES = {decision_pb2.NoAnswerCause.Value(f"NO_ANSWER_CAUSE_{cause.name}"): cause for cause in NoAnswerCause}


class ParsedDecision(NamedTuple):
    """A decision with its decoded action."""

    entrant: EntrantIndex
    prompt_id: PromptId
    action_id: int
    action: Any
    """The game's action value or `NoAnswerGiven`; None if it cannot be read."""
    note: str
    fault: str
    """The reason for a refusal; empty for a valid decision."""


def read_decision(game: GameCodec, decision: Decision, limits: Limits) -> tuple[Any, str]:
    """Return the action of a decision and the reason for a refusal. The reason is empty for a valid decision.

    The action of a bot that has no answer is `NoAnswerGiven`. The size is checked first, since reading a very large
    decision takes long.
    """
    if decision.ByteSize() > limits.decision_bytes or not (decision.action_id and decision.prompt_id):
        return None, Refusal.MALFORMED
    action, note = game.read_action(decision), decision.note
    if action is None:
        if not decision.HasField("no_answer"):
            return None, Refusal.MALFORMED
        action, note = _read_no_answer(decision.no_answer), decision.no_answer.text
    return action, Refusal.NOTE_TOO_LONG if note and len(note.encode()) > limits.note_bytes else ""


def _read_no_answer(message: NoAnswerMessage) -> NoAnswerGiven:
    cause = _CAUSES.get(message.cause, NoAnswerCause.EMPTY)
    reason = reason_word(message.reason) or Refusal.MALFORMED if cause is NoAnswerCause.ILLEGAL else ""
    return NoAnswerGiven(cause, reason, message.text)


def build_input(
    game: Game, at: Instant, now: Instant, entrant: EntrantIndex, decision: Decision, action: Any
) -> Answer | NoAnswer:
    """Return the input of a valid decision with this action, which arrived at `at` and is handled at `now`."""
    prompt_id, action_id = PromptId(decision.prompt_id), decision.action_id
    if isinstance(action, NoAnswerGiven):
        return NoAnswer(at, now, entrant, prompt_id, action_id, action)
    return Answer(at, now, entrant, prompt_id, action_id, game.write_action(action), decision.note, action)


def read_decisions(raw: bytes, game: GameCodec) -> list[ParsedDecision]:
    """Return the decisions of a frame that the SDK has encoded."""
    parsed = []
    for decision in play_pb2.PlayRequest.FromString(raw).decisions:
        action, fault = read_decision(game, decision, _DEFAULT_LIMITS)
        parsed.append(
            ParsedDecision(
                EntrantIndex(decision.entrant),
                PromptId(decision.prompt_id),
                decision.action_id,
                action,
                decision.note,
                fault,
            )
        )
    return parsed
