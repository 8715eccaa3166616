"""The outcomes of a match's earlier games, with places in the seat order of the next game."""

from collections.abc import Sequence
from dataclasses import replace
from typing import overload

from arena.match.game import Outcome


class History(Sequence[Outcome]):
    """Outcomes, oldest first, with places in the seat order of one game. Each outcome is converted when it is read."""

    def __init__(self, outcomes: Sequence[Outcome], seats: Sequence[int]) -> None:
        """Each outcome of `outcomes` lists its places by entrant, not by seat. `seats` has the entrant of each seat.

        The history covers only the outcomes that `outcomes` holds now, not those appended to it afterwards.
        """
        self._outcomes = outcomes
        self._count = len(outcomes)
        self._seats = seats

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Outcome: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Outcome, ...]: ...

    def __getitem__(self, index: int | slice) -> Outcome | tuple[Outcome, ...]:
        picked = range(self._count)[index]
        return (
            self._outcome_by_seat(picked)
            if isinstance(picked, int)
            else tuple(self._outcome_by_seat(number) for number in picked)
        )

    def _outcome_by_seat(self, number: int) -> Outcome:
        outcome = self._outcomes[number]
        return replace(outcome, places=tuple(outcome.places[entrant] for entrant in self._seats))
