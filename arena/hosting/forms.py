"""The format that a league's file asks for."""

from arena.errors import OptionError, OptionsError
from arena.hosting.league_file import LeagueFile
from arena.league.field import Field
from arena.league.formats.port import Format
from arena.league.formats.season import Season

GAMES = 200
"""Of a season that says neither games nor budget."""


def form_of(league: LeagueFile, games: int | None = None) -> Format:
    """Give the format. `games` is what fits the budget, where the file does not say a number. Raises OptionsError."""
    wanted = league.games or games or GAMES
    match league.format or "season":
        case "season":
            return Season(wanted, league.tables)
        case _:
            raise OptionsError([OptionError("format", league.format, "it cannot be played yet")])


def check_form(form: Format, field: Field) -> None:
    """Raise OptionsError naming every reason why these entrants cannot be seated so."""
    faults = form.why_not(field)
    if faults:
        raise OptionsError(faults)
