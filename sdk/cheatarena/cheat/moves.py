"""The most frequent fact of Cheat, as the plain value that the state applies."""

from dataclasses import dataclass

from cheatarena.cheat.cards import RANKS, Rank
from cheatarena.v1 import cheat_pb2


@dataclass(slots=True)
class Played:
    """A move."""

    seat: int
    rank: Rank
    count: int
    """The claimed number of cards."""
    to_move: int | None
    """The seat to move next; None if no seat is to move yet."""
    fact: cheat_pb2.CheatPlayed
    """The full message."""


def read_played(fact: cheat_pb2.CheatPlayed) -> Played:
    """Return the `Played` in a message."""
    return Played(fact.seat, RANKS[fact.rank], fact.count, read_to_move(fact), fact)


def read_to_move(
    fact: cheat_pb2.CheatPlayed
    | cheat_pb2.CheatPassed
    | cheat_pb2.CheatWindowClosed
    | cheat_pb2.CheatCalled
    | cheat_pb2.CheatBelieved
    | cheat_pb2.CheatLeft,
) -> int | None:
    """Return the seat to move next; None if no seat is to move yet."""
    return fact.to_move if fact.HasField("to_move") else None
