"""One claim, from the moment it is made until nobody can call it any more: who could call it, and who did."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple


class CallChance(NamedTuple):
    """A seat that could call, and whether it did."""

    seat: int
    stratum: int
    is_call: bool


class OpenClaim:
    """A claim that may be called."""

    __slots__ = ("_asked", "_is_sealed", "_looks", "_said", "is_judged", "is_lie", "seat")

    def __init__(self, seat: int, is_lie: bool, looks: Mapping[int, int], asks_all: bool, is_sealed: bool) -> None:
        """`looks`: the stratum of the claim, by seat that holds cards. Unless all are asked, `ask` says who is."""
        self.seat = seat
        self.is_lie = is_lie
        self.is_judged = False
        """Somebody has called or believed it."""
        self._looks = looks
        self._is_sealed = is_sealed
        self._asked = set(looks) if asks_all else set[int]()
        self._said: set[int] = set()

    def add_asked(self, seat: int) -> None:
        """It is a seat's turn, which may call."""
        if seat in self._looks and not self.is_judged:
            self._asked.add(seat)

    def record_call(self, seat: int) -> None:
        """A seat calls, the nearest one or not."""
        self.is_judged = True
        self._asked.add(seat)
        self._said.add(seat)

    def record_believe(self, seat: int) -> None:
        """A seat believes it: it could have called, and has not."""
        self.is_judged = True
        self._asked.add(seat)

    def withdraw(self, seat: int) -> None:
        """It is not known what a seat said, or it has left before it could say anything."""
        self._asked.discard(seat)

    @property
    def is_asked(self) -> bool:
        """Tell whether anybody could call it."""
        return bool(self._asked)

    @property
    def is_called(self) -> bool:
        """Tell whether anybody called it."""
        return bool(self._said)

    @property
    def has_rivals(self) -> bool:
        """Tell whether whoever could call it plays against others too: between two nobody can be spared."""
        return len(self._looks) > 1

    def call_chances(self) -> Iterator[CallChance]:
        """Give what became of each chance to call. In the live pace a call takes the others' chances away."""
        for seat in sorted(self._asked):
            is_call = seat in self._said
            if is_call or self._is_sealed or not self.is_judged:
                yield CallChance(seat, self._looks[seat], is_call)
