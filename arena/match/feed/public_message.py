"""A message to spectators as values: what the public stream of a match says, before or after it was bytes.

A decoder builds these values from the stream of a running match, and a replay builds the same values from a record. So
a program that follows a match needs to know neither the message format nor where the match comes from.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PublicMessage:
    """What spectators are told at one moment."""

    sequence: int
    """Counts the messages of a match from 1 without gaps. A snapshot has the number of the last message it covers."""
    facts: tuple[Any, ...]
    """What happened, in order: the `Terms` when the match begins, facts of the match, and public parts of events.

    Facts of the match are `GameStarted`, `GameEnded`, `IntermissionStarted` and `MatchEnded`. A snapshot has the terms,
    a `GameEnded` for each finished game, and then the start of the running game, the break, or the end of the match.
    """
    is_snapshot: bool = False
    """Whether the message replaces all earlier ones."""
    state: Any = None
    """In a snapshot: the running game, as `Game.snapshot` returns it for spectators; None between games."""
