"""The codec that converts a game's values to messages and back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.match.game import Game
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
    read_options: Callable[[ruleset_pb2.Ruleset], Mapping[str, object]]
    """Returns the options of a ruleset as plain values, which `Game.build_ruleset` reads. Raises KeyError for a value
    that this version does not know."""
    read_fact: Callable[[event_pb2.Event, Any], Any | None]
    """Returns the public part of an event that a fact tells, given the ruleset; None for any other fact."""
    read_snapshot: Callable[[snapshot_pb2.SeatSnapshot, Any], Any | None]
    """Returns what a spectator may know of the running game, given the ruleset; None between games."""
    hands: frozenset[type] = frozenset()
    """The facts that reveal a hand. They are not cached, since the same hand rarely occurs again."""
