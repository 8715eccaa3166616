"""Checks before anything starts that bots play the game of their table, as far as their manifests name games."""

from collections.abc import Mapping

from arena.errors import OptionError
from arena.launch.programs import BotProgram, RemoteBot


def check_declared_games(programs: Mapping[str, BotProgram | RemoteBot], game: str) -> None:
    """Raise OptionError, with all games that manifests name, if a bot does not play this game.

    `programs` are by the name under which the user knows them. A bot whose manifest names no game is not checked: only
    its first message tells which games it plays.
    """
    declared = {
        name: program.games for name, program in programs.items() if isinstance(program, BotProgram) and program.games
    }
    if any(game not in names for names in declared.values()):
        said = ", ".join(f"{name} plays {' and '.join(names)}" for name, names in declared.items())
        raise OptionError("game", game, f"expected a game that every bot plays: by bot.toml, {said}")
