"""The list of the games. To add a game, add its pack to `PACKS`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from arena.errors import RequestError, UnknownNameError
from arena.games.cheat.pack import CHEAT_PACK
from arena.games.cheater.pack import CHEATER_PACK
from arena.games.pack import GamePack
from arena.match.game import Game

if TYPE_CHECKING:
    from arena.games.arrays import GameArrays
    from arena.games.scenarios import ScenarioAdapter
    from arena.replays.lessons.lesson_model import LessonModel
    from arena.replays.narration.phrasing import Phrasing
    from arena.replays.watch.game_drawing import WatchedGame
    from arena.server.wire.game_codec import GameCodec

PACKS: Final[Mapping[str, GamePack]] = {pack.game.name: pack for pack in (CHEAT_PACK, CHEATER_PACK)}
"""The packs, by name of the game. The first game is the default."""


def pack_of(game: str) -> GamePack:
    """Return the pack of a game, given its name. Raises UnknownNameError."""
    if game not in PACKS:
        raise UnknownNameError("game", game, list(PACKS))
    return PACKS[game]


def games() -> dict[str, Game]:
    """Return the rules of all games, by name."""
    return {name: pack.game for name, pack in PACKS.items()}


def load_codecs() -> "dict[str, GameCodec]":
    return {name: pack.load_codec() for name, pack in PACKS.items()}


def phrasing_of(game: Game) -> "Phrasing":
    return pack_of(game.name).load_phrasing()


def watched_game_of(game: Game) -> "WatchedGame":
    from arena.replays.watch.game_drawing import WatchedGame

    pack = pack_of(game.name)
    return WatchedGame(pack.load_drawing(), pack.load_phrasing())


def arrays_of(game: str) -> "GameArrays":
    """Return a game's arrays for learners. Raises UnknownNameError, or RequestError if the game has none."""
    arrays = pack_of(game).load_arrays()
    if arrays is None:
        raise RequestError(f"there is no learning environment for {game}: its arrays are not written")
    return arrays


def lesson_model_of(game: str) -> "LessonModel":
    """Return a game's lesson model. Raises UnknownNameError, or RequestError if the game has none."""
    model = pack_of(game).load_lesson_model()
    if model is None:
        raise RequestError(f"there are no lessons for {game}: the arena cannot yet play on from its positions")
    return model


def scenario_adapter_of(game: str) -> "ScenarioAdapter":
    return pack_of(game).load_scenario_adapter()


def resolve_game_and_preset(game: str, preset: str) -> tuple[str, str]:
    """Return the names of a game and a preset, given both, one of them or neither. An empty text means "not given".

    * Both are given: return them unchecked.
    * Only the game is given: add its first preset. Raises UnknownNameError if there is no such game.
    * Only the preset is given: add the first game that has it. Raises UnknownNameError if no game has it.
    * Neither is given: return the first game and its first preset.
    """
    if game:
        return game, preset or pack_of(game).game.presets[0]
    for name, pack in PACKS.items():
        if not preset or preset in pack.game.presets:
            return name, preset or pack.game.presets[0]
    raise UnknownNameError("preset", preset, [name for pack in PACKS.values() for name in pack.game.presets])
