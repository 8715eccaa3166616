"""Decisions as a bot sends them, read for a table that has no session."""

from typing import Any, NamedTuple

from arena.rpc.games import GameWire
from arena.rpc.limits import Limits
from arena.rpc.session import why_unreadable
from cheatarena.v1 import play_pb2

_LIMITS = Limits()


class Heard(NamedTuple):
    """One decision."""

    entrant: int
    prompt_id: int
    action_id: int
    action: Any
    """The game's value; None where it cannot be read."""
    note: str
    fault: str
    """Why it cannot be taken as a decision; empty where it can."""


def read_decisions(raw: bytes, game: GameWire) -> list[Heard]:
    """Read the decisions of a frame that the SDK has made."""
    heard = []
    for decision in play_pb2.PlayRequest.FromString(raw).decisions:
        action = game.read_action(decision)
        fault = why_unreadable(decision, action, decision.note, _LIMITS)
        heard.append(Heard(decision.entrant, decision.prompt_id, decision.action_id, action, decision.note, fault))
    return heard
