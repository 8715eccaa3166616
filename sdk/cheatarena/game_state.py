"""One game as one seat sees it, of whatever game: what all games have, and how facts find what they change."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Protocol

from cheatarena.v1 import event_pb2

MAX_CACHED_FACTS = 4096
"""So many different facts are kept decoded: in all matches of a process most of what happens has happened before."""

FactHandler = Callable[..., None]
"""Takes a state and a fact."""


class FactReader(Protocol):
    """Decodes facts."""

    def __call__(self, encoded: bytes, /) -> tuple[FactHandler | None, Any]:
        """Give what an Event does to a state, and the fact. None: it is of no game, and stands for the fact itself."""


class GameState:
    """The running game, or the last one until the next begins."""

    __slots__ = ("game", "is_over", "places", "ruleset", "seat", "seating", "termination", "to_move", "turn_count")

    fact_handlers: ClassVar[Mapping[str, FactHandler]] = {}
    """What each fact does, by its name in the contract."""
    read: ClassVar[FactReader]
    """Reads the facts of this game; see `build_fact_reader`."""

    def __init__(self, game: int, seat: int, seating: Sequence[int]) -> None:
        self.game = game
        self.seat = seat
        self.seating = tuple(seating)
        """The entrant of each seat."""
        self.ruleset: Any = None
        """All options of the ruleset; None only before the match has begun."""
        self.places = [0] * len(self.seating)
        """Places by seat; 0 where there is none yet."""
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
        """Begin from the game's own snapshot instead of from facts."""
        raise NotImplementedError


def build_fact_reader(changes: Mapping[str, FactHandler], plain: Mapping[str, Callable[[Any], Any]]) -> FactReader:
    """Give what decodes facts. All states share what it returns, so that nobody changes it.

    Facts are messages of the contract, but for those that have a plain value.
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
