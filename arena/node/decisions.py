"""Decisions as a bot sends them: read, and refused where they are none."""

from typing import Any, NamedTuple

from arena.match.orders import Refusal
from arena.match.scalars import EntrantIndex, PromptId
from arena.node.limits import Limits
from arena.wire.game_codec import GameCodec
from cheatarena.v1 import play_pb2
from cheatarena.v1.decision_pb2 import Decision

_DEFAULT_LIMITS = Limits()


class ParsedDecision(NamedTuple):
    """One decision."""

    entrant: EntrantIndex
    prompt_id: PromptId
    action_id: int
    action: Any
    """The game's value; None where it cannot be read."""
    note: str
    fault: str
    """Why it cannot be taken as a decision; empty where it can."""


def read_decision(game: GameCodec, decision: Decision, limits: Limits) -> tuple[Any, str]:
    """The action of a decision, and why it cannot be taken as one, as a reason; empty where it can.

    The size comes first: to read a very long one takes long.
    """
    if decision.ByteSize() > limits.decision_bytes or not (decision.action_id and decision.prompt_id):
        return None, Refusal.MALFORMED
    action, note = game.read_action(decision), decision.note
    if action is None:
        return None, Refusal.MALFORMED
    return action, Refusal.NOTE_TOO_LONG if note and len(note.encode()) > limits.note_bytes else ""


def read_decisions(raw: bytes, game: GameCodec) -> list[ParsedDecision]:
    """Read the decisions of a frame that the SDK has made."""
    heard = []
    for decision in play_pb2.PlayRequest.FromString(raw).decisions:
        action, fault = read_decision(game, decision, _DEFAULT_LIMITS)
        heard.append(
            ParsedDecision(
                EntrantIndex(decision.entrant),
                PromptId(decision.prompt_id),
                decision.action_id,
                action,
                decision.note,
                fault,
            )
        )
    return heard
