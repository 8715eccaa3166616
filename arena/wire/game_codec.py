"""What the wire needs of a game: how its values become messages and back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.rules.game import Game
from cheatarena.v1 import decision_pb2, event_pb2, ruleset_pb2, snapshot_pb2


@dataclass(frozen=True, slots=True, eq=False)
class GameCodec:
    """A game and its messages. One value a game: it is compared by identity."""

    game: Game
    facts: Mapping[type, Callable[[Any], event_pb2.Event]]
    """Public and private parts of events, by type."""
    put_options: Callable[[decision_pb2.Prompt, Any], None]
    put_ruleset: Callable[[ruleset_pb2.Ruleset, Any], None]
    put_snapshot: Callable[[snapshot_pb2.SeatSnapshot, Any], None]
    read_action: Callable[[decision_pb2.Decision], Any | None]
    """The action of a decision; None where it is none of this game's, or cannot be read."""
    hands: frozenset[type] = frozenset()
    """Facts that tell a hand: to remember them would only take room, as the same ones hardly come again."""
