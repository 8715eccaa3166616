"""Strikes and results of a match, as the values that a table hands out."""

from dataclasses import dataclass

from cheatarena.faults import reason_name
from cheatarena.terms import enum_word
from cheatarena.v1 import event_pb2


@dataclass(frozen=True, slots=True)
class Strike:
    """A recorded fault of this bot."""

    kind: str
    """``late``, ``illegal``, ``crashed``, ``no_answer``, ``missing`` or ``gone``. A newer server may send others."""
    prompt_id: int
    """The prompt that the strike concerns; 0 if there is none."""
    reason: str
    """Name of the rule that was broken, such as ``NOT_IN_HAND``; empty if there is none."""
    game: int
    """Index of the game in the match."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of one game of the match."""

    game: int
    """Index of the game in the match."""
    entrants: tuple[int, ...]
    """The index of the entrant in each seat."""
    places: tuple[int, ...]
    """The place of each seat; 1 is the best."""
    termination: str
    """Why the game ended, for example ``finished``."""


def read_strike(fault: event_pb2.Fault, game: int) -> Strike:
    """Return the `Strike` in a message."""
    known = event_pb2.FaultKind.DESCRIPTOR.values_by_number.get(fault.kind)
    kind = enum_word(known.name, "FAULT_KIND_") if known else f"kind {fault.kind}"
    return Strike(kind, fault.prompt_id, reason_name(fault.reason) if fault.reason else "", game)
