"""Follows one claim as long as it can be called: which seats could call it, and which did."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple


class CallChance(NamedTuple):
    """A seat that could call, the stratum of its chance, and whether it called."""

    seat: int
    stratum: int
    is_call: bool


class OpenClaim:
    """A claim that can be called."""

    __slots__ = ("_asked", "_callers", "_is_sealed", "_strata", "is_judged", "is_lie", "seat")

    def __init__(self, seat: int, is_lie: bool, strata: Mapping[int, int], asks_all: bool, is_sealed: bool) -> None:
        """Start with a claim that `seat` made.

        `strata` has the stratum of the claim for each other seat with cards. If `asks_all`, all of these seats are
        asked. Otherwise `add_asked` adds them one by one.
        """
        self.seat = seat
        self.is_lie = is_lie
        self.is_judged = False
        """Whether a seat has called or believed the claim."""
        self._strata = strata
        self._is_sealed = is_sealed
        self._asked = set(strata) if asks_all else set[int]()
        self._callers: set[int] = set()

    def add_asked(self, seat: int) -> None:
        """Record that a seat is asked and may call, unless the claim is judged already."""
        if seat in self._strata and not self.is_judged:
            self._asked.add(seat)

    def record_call(self, seat: int) -> None:
        """Record a call, whether or not the call of a nearer seat overruled it."""
        self.is_judged = True
        self._asked.add(seat)
        self._callers.add(seat)

    def record_believe(self, seat: int) -> None:
        """Record a belief. The seat could have called, but did not."""
        self.is_judged = True
        self._asked.add(seat)

    def withdraw(self, seat: int) -> None:
        """Drop a seat whose answer is unknown, or that left before it could answer."""
        self._asked.discard(seat)

    @property
    def is_asked(self) -> bool:
        """Return whether any seat could call the claim."""
        return bool(self._asked)

    @property
    def is_called(self) -> bool:
        """Return whether any seat called the claim."""
        return bool(self._callers)

    @property
    def has_rivals(self) -> bool:
        """Return whether a caller has more than one opponent. With only one opponent, it has no choice whom to call."""
        return len(self._strata) > 1

    def call_chances(self) -> Iterator[CallChance]:
        """Yield each chance to call and its result. In the live pace a call ends the chances of all other seats."""
        for seat in sorted(self._asked):
            is_call = seat in self._callers
            if is_call or self._is_sealed or not self.is_judged:
                yield CallChance(seat, self._strata[seat], is_call)
