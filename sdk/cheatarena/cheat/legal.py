"""The legal options of a turn as plain values."""

from dataclasses import dataclass
from functools import cached_property

from cheatarena.cheat.cards import RANKS, Rank
from cheatarena.v1 import cheat_pb2


@dataclass
class LegalTurn:
    """What is legal in a turn. Turns with the same options may share one object, so it is never changed."""

    ranks: tuple[Rank, ...]
    """The ranks that may be claimed, ascending."""
    ranges: tuple[tuple[int, int], ...]
    """The ranges of numbers that may be claimed, ascending. Each range is a pair of its first and last number."""
    zero: bool
    """Whether a play of no cards is legal."""
    can_pass: bool
    opens: bool
    """Whether the move starts a trick."""
    laid: range | None
    """How many cards may be laid if the claim is not zero. If None, exactly the claimed number must be laid."""
    face_up: bool
    """Whether the cards will lie face up, so that the play must be true."""
    can_call: bool
    can_believe: bool

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The numbers that may be claimed, ascending, without zero."""
        return tuple(count for first, last in self.ranges for count in range(first, last + 1))

    def allows(self, count: int) -> bool:
        """Return whether this number of cards may be claimed."""
        return any(first <= count <= last for first, last in self.ranges) if count else self.zero


def read_turn(turn: cheat_pb2.CheatTurn) -> LegalTurn:
    bounds = iter(tuple(turn.counts))
    return LegalTurn(
        ranks=tuple(RANKS[rank] for rank in turn.ranks),
        ranges=tuple(zip(bounds, bounds, strict=True)),
        zero=turn.zero,
        can_pass=turn.can_pass,
        opens=turn.opens,
        laid=range(turn.laid[0], turn.laid[1] + 1) if turn.laid else None,
        face_up=turn.face_up,
        can_call=turn.can_call,
        can_believe=turn.can_believe,
    )
