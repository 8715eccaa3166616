"""Reads the decisions that bots send and explains why a malformed one is refused."""

from typing import Any, NamedTuple

from arena.match.orders import Refusal
from arena.match.scalars import EntrantIndex, PromptId
from arena.node.limits import Limits
from arena.wire.game_codec import GameCodec
from cheatarena.v1 import play_pb2
from cheatarena.v1.decision_pb2 import Decision

_DEFAULT_LIMITS = Limits()


class ParsedDecision(NamedTuple):
    """A decision with its decoded action."""

    entrant: EntrantIndex
    prompt_id: PromptId
    action_id: int
    action: Any
    """The game's action value; None if it cannot be read."""
    note: str
    fault: str
    """The reason for a refusal; empty for a valid decision."""


def read_decision(game: GameCodec, decision: Decision, limits: Limits) -> tuple[Any, str]:
    """Return the action of a decision and the reason for a refusal. The reason is empty for a valid decision.

    The size is checked first, since reading a very large decision takes long.
    """
    if decision.ByteSize() > limits.decision_bytes or not (decision.action_id and decision.prompt_id):
        return None, Refusal.MALFORMED
    action, note = game.read_action(decision), decision.note
    if action is None:
        return None, Refusal.MALFORMED
    return action, Refusal.NOTE_TOO_LONG if note and len(note.encode()) > limits.note_bytes else ""


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
