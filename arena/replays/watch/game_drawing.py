"""The part of a game that draws it: how its public state follows from public facts, and what the state looks like."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from arena.match.game import Game, Seat
from arena.match.referee.terms import Terms
from arena.replays.narration.phrasing import Phrasing
from arena.replays.watch.drawing import CardFace, DrawnRow, DrawnSeat

T = TypeVar("T")


class GameDrawing(Protocol):
    """Draws one game. A `state` is what `Game.snapshot` returns for a spectator, or for the only seat that is shown.

    `seen` has the snapshots of the seats whose own cards are drawn too, by seat; it is empty while a match is watched.
    Texts name seats as `seat 2`; the live table puts names in their place.
    """

    @property
    def faces(self) -> Mapping[str, CardFace]:
        """How each card looks, by its text, in the order in which hands are sorted. No text has a space."""

    def follow(self, terms: Terms, state: Any, part: Any) -> Any:
        """Return the state after the public part of an event."""

    def count_turns(self, state: Any) -> int:
        """Return the number of moves or turns that have begun."""

    def draw_seats(self, terms: Terms, state: Any, seen: Mapping[Seat, Any]) -> Sequence[DrawnSeat]:
        """Return the seats in order, with empty names."""

    def draw_centre(self, terms: Terms, state: Any, seen: Mapping[Seat, Any]) -> Sequence[DrawnRow]:
        """Return what lies between the seats."""

    def follow_verdict(self, verdict: DrawnRow | None, part: Any) -> DrawnRow | None:
        """Return the row about the last call or attack after the public part of an event. `verdict` is the row so far.

        Return `verdict` itself if the event does not change it.
        """


class WatchedGame(NamedTuple):
    """What a live table needs to know about a game."""

    drawing: GameDrawing
    phrasing: Phrasing


WatchedGameFinder = Callable[[Game], WatchedGame]
"""Returns what a live table needs to know about a game. Raises UnknownNameError."""


def replace_at(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    """Return the values with another one at this index, such as the size of one hand."""
    return (*values[:index], value, *values[index + 1 :])
