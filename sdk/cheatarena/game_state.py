"""The part of a game's state that Cheat and CHEATER share, and the function that finds the handler of each fact."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from cheatarena.v1 import event_pb2

MAX_CACHED_FACTS = 4096
"""Maximum number of decoded facts in a game's cache. Most facts occur again in other matches of the process."""

FactHandler = Callable[..., None]
"""Applies a fact to a state."""


class FactReader(Protocol):
    """Decodes encoded events."""

    def __call__(self, encoded: bytes, /) -> tuple[FactHandler | None, Any]:
        """Return the handler of an encoded Event, and the fact. If there is no handler, return None and the Event.

        Facts about the match, such as its start, have no handler here.
        """


class GameEnding(Protocol):
    """How a game ended."""

    @property
    def places(self) -> Iterable[int]:
        """The place of each seat."""

    @property
    def termination(self) -> str:
        """Why the game ended."""


class GameState:
    """The state of a game as one seat sees it. The table keeps it until the next game starts."""

    __slots__ = ("game", "is_over", "places", "ruleset", "seat", "seating", "termination", "to_move", "turn_count")

    def __init__(self, game: int, seat: int, seating: Sequence[int]) -> None:
        self.game = game
        self.seat = seat
        self.seating = tuple(seating)
        """The entrant of each seat."""
        self.ruleset: Any = None
        """All options of the ruleset; None before the match has started."""
        self.places = [0] * len(self.seating)
        """The place of each seat; 0 if the seat has no place yet."""
        self.to_move: int | None = None
        self.turn_count = 0
        self.is_over = False
        self.termination = ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to copy a state, for bots that copy their table. Both builds need the arguments of `__init__`."""
        return type(self), (self.game, self.seat, self.seating), self.__getstate__()

    @property
    def last_turn(self) -> int:
        """The turn to which the newest facts belong, counted from 0."""
        return self.turn_count

    def ignore(self, fact: Any) -> None:
        """Do nothing: the fact changes no state."""

    def end(self, fact: GameEnding) -> None:
        """End the game."""
        self.places = list(fact.places)
        self.termination = fact.termination
        self.to_move = None
        self.is_over = True

    def restore(self, snapshot: Any) -> None:
        """Replace the state with the state in a snapshot."""
        raise NotImplementedError


def build_fact_reader(handlers: Mapping[type, FactHandler], read_value: Callable[[Any], Any]) -> FactReader:
    """Return a decoder of facts. The decoder caches its results, so states share facts and must not change them.

    ``handlers`` has the handler of each fact, by the fact's type. ``read_value`` turns the message of a fact into the
    fact; it returns the message of a fact about the match unchanged.
    """

    @lru_cache(maxsize=MAX_CACHED_FACTS)
    def read(encoded: bytes) -> tuple[FactHandler | None, Any]:
        event = event_pb2.Event.FromString(encoded)
        kind = event.WhichOneof("fact")
        if kind == "game_ended":
            return GameState.end, event.game_ended
        fact = None if kind is None else read_value(getattr(event, kind))
        handler = handlers.get(type(fact))
        return (None, event) if handler is None else (handler, fact)

    return read
