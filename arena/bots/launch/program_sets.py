"""Programs that are started together: whether they play the same game, their rights, and the house bots of a server."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from arena.bots.launch.programs import BotProgram, RemoteBot, find_bot
from arena.competition.pools.pool_settings import PoolSettings
from arena.errors import ArenaError, OptionError, OptionsError
from arena.names import HOUSE_PREFIX, MAX_NAME_LENGTH

SANDBOX_REPORT_NOTE: Final = (
    "Local bots were not sandboxed: they ran as the organizer's own user and could read and write its files. The arena"
    " sends no bot another one's cards, but it cannot keep one program from reading another one's files."
)
"""What a report says about the bots that ran on the organizer's machine."""


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


def describe_rights(programs: Iterable[BotProgram | RemoteBot]) -> str:
    """Return what a command says about the rights of the bots that it starts."""
    local = [each for each in programs if isinstance(each, BotProgram)]
    if not local:
        return "all bots dial in: none is started here"
    free = sorted({each.name for each in local if not each.is_boxed})
    if not free:
        return "bots run in boxes that they cannot leave"
    rights = "run as you and can read and write your files"
    if any(each.is_boxed for each in local):
        return f"bots without a box {rights}: {', '.join(free)}"
    return f"bots are not sandboxed: they {rights}"


@dataclass(frozen=True, slots=True)
class HouseProgram:
    name: str
    """Its name at the table."""
    program: BotProgram


def find_house_programs(settings: Iterable[PoolSettings]) -> Mapping[str, HouseProgram]:
    """Return the house bots of all pools by the text that names them in the settings.

    Raises OptionsError with every program that cannot be used.
    """
    found: dict[str, HouseProgram] = {}
    faults = []
    for number, pool in enumerate(settings):
        for text in pool.house_bots or ():
            try:
                if text not in found:
                    found[text] = _find_house_program(text, {each.name: key for key, each in found.items()})
            except ArenaError as error:
                faults.append(OptionError(f"pools[{number}].house_bots", text, str(error)))
    if faults:
        raise OptionsError(faults)
    return found


def _find_house_program(text: str, names: Mapping[str, str]) -> HouseProgram:
    """Return a house bot. `names` has the texts of the others by name. Raises ArenaError."""
    program = find_bot(text)
    if isinstance(program, RemoteBot):
        raise OptionError("house_bots", text, "the server starts house bots itself")
    name = f"{HOUSE_PREFIX}{program.name}"
    if len(name) > MAX_NAME_LENGTH:
        raise OptionError("house_bots", text, f"the name {name!r} is longer than {MAX_NAME_LENGTH} characters")
    if name in names:
        raise OptionError("house_bots", text, f"{names[name]} has the name {program.name!r} too")
    return HouseProgram(name, program)
