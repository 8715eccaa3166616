"""One claim while it can be called: the seats that could call it, and those that did."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple


class CallChance(NamedTuple):
    """A seat that could call, and whether it did."""

    seat: int
    stratum: int
    is_call: bool


class OpenClaim:
    """A claim that can be called."""

    __slots__ = ("_asked", "_callers", "_is_sealed", "_looks", "is_judged", "is_lie", "seat")

    def __init__(self, seat: int, is_lie: bool, looks: Mapping[int, int], asks_all: bool, is_sealed: bool) -> None:
        """`looks`: the claim's stratum by seat with cards. Unless `asks_all`, `add_asked` names the seats asked."""
        self.seat = seat
        self.is_lie = is_lie
        self.is_judged = False
        """A seat has called or believed it."""
        self._looks = looks
        self._is_sealed = is_sealed
        self._asked = set(looks) if asks_all else set[int]()
        self._callers: set[int] = set()

    def add_asked(self, seat: int) -> None:
        """Record that a seat may call, because it is its turn."""
        if seat in self._looks and not self.is_judged:
            self._asked.add(seat)

    def record_call(self, seat: int) -> None:
        """Record a call, whether or not it is the nearest."""
        self.is_judged = True
        self._asked.add(seat)
        self._callers.add(seat)

    def record_believe(self, seat: int) -> None:
        """Record a belief: the seat could have called, and did not."""
        self.is_judged = True
        self._asked.add(seat)

    def withdraw(self, seat: int) -> None:
        """Drop a seat whose answer is unknown, or that left before it could answer."""
        self._asked.discard(seat)

    @property
    def is_asked(self) -> bool:
        """Return whether any seat could call it."""
        return bool(self._asked)

    @property
    def is_called(self) -> bool:
        """Return whether any seat called it."""
        return bool(self._callers)

    @property
    def has_rivals(self) -> bool:
        """Return whether callers have other opponents; between two seats there is no choice of whom to call."""
        return len(self._looks) > 1

    def call_chances(self) -> Iterator[CallChance]:
        """Yield each chance to call and its result. In the live pace a call ends the others' chances."""
        for seat in sorted(self._asked):
            is_call = seat in self._callers
            if is_call or self._is_sealed or not self.is_judged:
                yield CallChance(seat, self._looks[seat], is_call)
