"""Defines the codec that converts a game's values to messages and back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.rules.game import Game
from cheatarena.v1 import decision_pb2, event_pb2, ruleset_pb2, snapshot_pb2


@dataclass(frozen=True, slots=True, eq=False)
class GameCodec:
    """A game and the conversions of its values. There is one codec for each game; codecs are compared by identity."""

    game: Game
    facts: Mapping[type, Callable[[Any], event_pb2.Event]]
    """The encoders of public and private event parts, by type."""
    put_options: Callable[[decision_pb2.Prompt, Any], None]
    put_ruleset: Callable[[ruleset_pb2.Ruleset, Any], None]
    put_snapshot: Callable[[snapshot_pb2.SeatSnapshot, Any], None]
    read_action: Callable[[decision_pb2.Decision], Any | None]
    """Returns the action of a decision; None if the decision belongs to another game or cannot be read."""
    hands: frozenset[type] = frozenset()
    """The facts that reveal a hand. They are not cached, since the same hand rarely occurs again."""
