"""One game as one seat sees it, of whatever game: what all games have, and how facts find what they change."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from google.protobuf.message_factory import GetMessageClass

from cheatarena.encoding import varint
from cheatarena.v1 import event_pb2

Change = Callable[..., None]
"""Takes a state and a fact."""
Reader = tuple[Callable[[bytes], Any], Change]
"""How a fact is decoded, and what it does."""


class GameState:
    """The running game, or the last one until the next begins."""

    __slots__ = ("game", "is_over", "places", "ruleset", "seat", "seating", "termination", "to_move", "turn_count")

    changes: ClassVar[Mapping[str, Change]] = {}
    """What each fact does, by its name in the contract."""
    readers: ClassVar[Mapping[bytes, Reader]] = {}
    """The same by the tag of each fact of play."""

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

    def fold_encoded(self, encoded: bytes) -> bool:
        """Take in one encoded Event, and tell whether it is a fact of a game.

        Where it is short, as nearly all are, only what is inside of the event is decoded.
        """
        reader = self.readers.get(encoded[:2])
        if reader is None or encoded[2] > 127:
            return self.fold(event_pb2.Event.FromString(encoded))
        read, change = reader
        change(self, read(encoded[3:]))
        return True

    def fold(self, event: event_pb2.Event) -> bool:
        """Take in one fact, and tell whether it is one of a game."""
        kind = event.WhichOneof("fact")
        if kind == "game_ended":
            self.end(event.game_ended)
            return True
        if kind is None or (change := self.changes.get(kind)) is None:
            return False
        change(self, getattr(event, kind))
        return True

    def end(self, fact: event_pb2.GameEnded) -> None:
        """End the game."""
        self.places = list(fact.places)
        self.termination = fact.termination
        self.to_move = None
        self.is_over = True

    def restore(self, snapshot: Any) -> None:
        """Begin from the game's own snapshot instead of from facts."""
        raise NotImplementedError


def readers_of(changes: Mapping[str, Change]) -> Mapping[bytes, Reader]:
    """Give for the tag of each of these facts how to decode it, and what it does. All have tags of two bytes."""
    return {
        varint(fact.number << 3 | 2): (GetMessageClass(fact.message_type).FromString, changes[fact.name])
        for fact in event_pb2.Event.DESCRIPTOR.fields
        if fact.message_type is not None and fact.name in changes
    }
