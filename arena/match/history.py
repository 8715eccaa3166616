"""How earlier games of a match ended, as the seats of a coming game see it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import overload

from arena.rules.game import Outcome


class History(Sequence[Outcome]):
    """Outcomes, oldest first, with places in the order of one game's seats; each is turned when it is looked at."""

    def __init__(self, outcomes: Sequence[Outcome], seats: Sequence[int]) -> None:
        """`outcomes` have their places by entrant, and may grow: later ones do not count. `seats`: entrant by seat."""
        self._outcomes = outcomes
        self._count = len(outcomes)
        self._seats = seats

    def __len__(self) -> int:
        """How many games were played before."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> Outcome: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Outcome, ...]: ...

    def __getitem__(self, index: int | slice) -> Outcome | tuple[Outcome, ...]:
        """One outcome, or some."""
        picked = range(self._count)[index]
        return (
            self._outcome_by_seat(picked)
            if isinstance(picked, int)
            else tuple(self._outcome_by_seat(number) for number in picked)
        )

    def _outcome_by_seat(self, number: int) -> Outcome:
        outcome = self._outcomes[number]
        return replace(outcome, places=tuple(outcome.places[entrant] for entrant in self._seats))
