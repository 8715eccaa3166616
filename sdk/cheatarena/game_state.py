"""The state of one game as a seat sees it: the part that all games share, and how each fact finds its handler."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Protocol

from cheatarena.v1 import event_pb2

MAX_CACHED_FACTS = 4096
"""Maximum number of decoded facts in a game's cache. Most facts occur in many matches of the process."""

FactHandler = Callable[..., None]
"""Applies a fact to a state."""


class FactReader(Protocol):
    """Decodes encoded events."""

    def __call__(self, encoded: bytes, /) -> tuple[FactHandler | None, Any]:
        """Return the handler and the fact of an encoded Event. If it has no handler, return None and the Event.

        Facts of the match have no handler here.
        """


class GameState:
    """The state of the running game; between two games, that of the last one."""

    __slots__ = ("game", "is_over", "places", "ruleset", "seat", "seating", "termination", "to_move", "turn_count")

    fact_handlers: ClassVar[Mapping[str, FactHandler]] = {}
    """The handler of each fact, by the fact's field name in Event."""
    read: ClassVar[FactReader]
    """Decodes the facts of this game; see `build_fact_reader`."""

    def __init__(self, game: int, seat: int, seating: Sequence[int]) -> None:
        self.game = game
        self.seat = seat
        self.seating = tuple(seating)
        """The entrant of each seat."""
        self.ruleset: Any = None
        """All options of the ruleset; None before the match has begun."""
        self.places = [0] * len(self.seating)
        """Places by seat; 0 for none yet."""
        self.to_move: int | None = None
        self.turn_count = 0
        self.is_over = False
        self.termination = ""

    def end(self, fact: event_pb2.GameEnded) -> None:
        """End the game."""
        self.places = list(fact.places)
        self.termination = fact.termination
        self.to_move = None
        self.is_over = True

    def restore(self, snapshot: Any) -> None:
        """Replace the state by the game's snapshot."""
        raise NotImplementedError


def build_fact_reader(changes: Mapping[str, FactHandler], plain: Mapping[str, Callable[[Any], Any]]) -> FactReader:
    """Return a decoder of facts. It caches its results, so states share facts and must not change them.

    ``changes`` has the handler of each fact, by the fact's field name. ``plain`` has converters for some facts; the
    handlers of all other facts get the protobuf message.
    """

    @lru_cache(maxsize=MAX_CACHED_FACTS)
    def read(encoded: bytes) -> tuple[FactHandler | None, Any]:
        event = event_pb2.Event.FromString(encoded)
        kind = event.WhichOneof("fact")
        if kind == "game_ended":
            return GameState.end, event.game_ended
        if kind is None or (change := changes.get(kind)) is None:
            return None, event
        fact = getattr(event, kind)
        return change, plain[kind](fact) if kind in plain else fact

    return read
