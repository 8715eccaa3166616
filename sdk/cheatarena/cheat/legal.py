"""The legal options of a turn as plain values. Equal prompts share one object."""

from functools import cached_property

from cheatarena.cheat.cards import RANKS, Rank
from cheatarena.v1 import cheat_pb2


class LegalTurn:
    """The values of a CheatTurn. Lists are built on first use."""

    def __init__(self, turn: cheat_pb2.CheatTurn) -> None:
        self._turn = turn
        self.zero = turn.zero
        self.can_pass = turn.can_pass
        self.opens = turn.opens
        self.face_up = turn.face_up
        self.can_call = turn.can_call
        self.can_believe = turn.can_believe

    @cached_property
    def ranks(self) -> tuple[Rank, ...]:
        """The ranks that may be claimed, ascending."""
        return tuple(RANKS[rank] for rank in self._turn.ranks)

    @cached_property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The ranges of numbers that may be claimed, ascending. Each range is a pair of its first and last number."""
        bounds = iter(tuple(self._turn.counts))
        return tuple(zip(bounds, bounds, strict=True))

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The numbers that may be claimed, ascending, without zero."""
        return tuple(count for first, last in self.ranges for count in range(first, last + 1))

    @cached_property
    def laid(self) -> range | None:
        """How many cards may be laid if the claim is not zero, as a range.

        If None, exactly the claimed number must be laid.
        """
        return range(self._turn.laid[0], self._turn.laid[1] + 1) if self._turn.laid else None

    def allows(self, count: int) -> bool:
        """Return whether this number of cards may be claimed."""
        return any(first <= count <= last for first, last in self.ranges) if count else self.zero
