"""Checks, before anything starts, that bots whose manifests name their games play the game of their table."""

from collections.abc import Mapping

from arena.bots.launch.programs import BotProgram, RemoteBot
from arena.errors import OptionError


def check_declared_games(programs: Mapping[str, BotProgram | RemoteBot], game: str) -> None:
    """Raise OptionError, with the games of all manifests, if a bot's manifest names games and not this one.

    `programs` are by the name under which the user knows them. Any other bot tells only in its first message which
    games it plays.
    """
    declared = {
        name: program.games for name, program in programs.items() if isinstance(program, BotProgram) and program.games
    }
    if any(game not in names for names in declared.values()):
        said = ", ".join(f"{name} plays {' and '.join(names)}" for name, names in declared.items())
        raise OptionError("game", game, f"expected a game that every bot plays; bot.toml says: {said}")
