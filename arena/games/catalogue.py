"""Lists the available games. A new game only adds its pack to this list."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from arena.errors import UnknownNameError
from arena.games.cheat import CHEAT_PACK
from arena.games.cheater import CHEATER_PACK
from arena.games.pack import GamePack
from arena.rules.game import Game

if TYPE_CHECKING:
    from arena.replays.phrasing import Phrasing
    from arena.scenarios import ScenarioAdapter
    from arena.wire.game_codec import GameCodec

PACKS: Final[Mapping[str, GamePack]] = {pack.game.name: pack for pack in (CHEAT_PACK, CHEATER_PACK)}
"""The packs by name; the first game is the default."""


def pack_of(game: str) -> GamePack:
    """Return the pack of a game by its name. Raises UnknownNameError."""
    if game not in PACKS:
        raise UnknownNameError("game", game, list(PACKS))
    return PACKS[game]


def games() -> dict[str, Game]:
    """Return the rules of all games, by name."""
    return {name: pack.game for name, pack in PACKS.items()}


def load_codecs() -> "dict[str, GameCodec]":
    """Return the wire codecs of all games, by name."""
    return {name: pack.load_codec() for name, pack in PACKS.items()}


def phrasing_of(game: Game) -> "Phrasing":
    """Return the words of a game. Raises UnknownNameError."""
    return pack_of(game.name).load_phrasing()


def scenario_adapter_of(game: str) -> "ScenarioAdapter":
    """Return how scenario files set up a game. Raises UnknownNameError."""
    return pack_of(game).load_scenario_adapter()


def resolve_game_and_preset(game: str, preset: str) -> tuple[str, str]:
    """Return a game and a preset, filling in what was not named; the default is the first game.

    Raises UnknownNameError for a game, and for a preset that no game has.
    """
    if game:
        return game, preset or pack_of(game).game.presets[0]
    known = games()
    fitting = [name for name, each in known.items() if not preset or preset in each.presets]
    if not fitting:
        raise UnknownNameError("preset", preset, [name for each in known.values() for name in each.presets])
    return fitting[0], preset or known[fitting[0]].presets[0]
