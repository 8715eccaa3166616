"""Which games the wire speaks, and what each conversion has to offer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.errors import UnknownNameError
from arena.rules.cheat import view_types
from arena.rules.cheat.game import CHEAT
from arena.rules.cheater import events, views
from arena.rules.cheater.game import CHEATER
from arena.rules.game import Game
from arena.wire import cheat, cheat_ruleset, cheater, cheater_events
from cheatarena.v1 import decision_pb2, event_pb2, ruleset_pb2, snapshot_pb2


@dataclass(frozen=True, slots=True)
class GameCodec:
    """A game and its messages. A third game adds one of these."""

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


GAME_CODECS: Mapping[str, GameCodec] = {
    "cheat": GameCodec(
        game=CHEAT,
        facts=cheat.FACT_ENCODERS,
        put_options=cheat.put_options,
        put_ruleset=cheat_ruleset.put_ruleset,
        put_snapshot=cheat.put_snapshot,
        read_action=cheat.read_action,
        hands=frozenset((view_types.HandDealt, view_types.CardsTaken)),
    ),
    "cheater": GameCodec(
        game=CHEATER,
        facts=cheater_events.FACT_ENCODERS,
        put_options=cheater.put_options,
        put_ruleset=cheater.put_ruleset,
        put_snapshot=cheater.put_snapshot,
        read_action=cheater.read_action,
        hands=frozenset((views.HandDealt, events.HandShown)),
    ),
}


def games() -> dict[str, Game]:
    """All games that can be played here, by name."""
    return {name: wire.game for name, wire in GAME_CODECS.items()}


def resolve_game_and_preset(game: str, preset: str) -> tuple[str, str]:
    """Fill in a game or a preset that was not named; neither: the first game.

    Raises UnknownNameError for a game, and for a preset that no game has.
    """
    known = games()
    if game and game not in known:
        raise UnknownNameError("game", game, list(known))
    fitting = [name for name, each in known.items() if not preset or preset in each.presets]
    if not game and not fitting:
        raise UnknownNameError("preset", preset, [name for each in known.values() for name in each.presets])
    played = game or fitting[0]
    return played, preset or known[played].presets[0]


def game_codec_of(game: str) -> GameCodec:
    """The conversion of a game. Raises KeyError."""
    return GAME_CODECS[game]
