"""Finds the programs of house bots, which a server starts itself to fill the tables of its pools."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from arena.bots.launch.programs import BotProgram, RemoteBot, find_bot
from arena.competition.pools.pool_settings import PoolSettings
from arena.errors import ArenaError, OptionError, OptionsError
from arena.names import HOUSE_PREFIX, MAX_NAME_LENGTH


@dataclass(frozen=True, slots=True)
class HouseProgram:
    """A program that plays as a house bot."""

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
        for text in pool.house_bots:
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
