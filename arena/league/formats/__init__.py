"""Formats: who meets whom, at which tables, in which seats. From the field, its seed and the results so far alone.

    season, gauntlet ──▶ rota       rounds by turns, from what was drawn before
    round_robin ──▶ matching        all sets of entrants, in blocks that share nobody
    swiss, knockout, ladder         rounds that wait for results: record, bracket, strength
    play_off                        behind the last round of another one, for those whom its table leaves level

They share `grouping` (who sits with whom), `apart` (what it costs), `seating` (in which seats) and `blocks`. `port`
says what a format is; `proposal` picks one.
"""

from collections.abc import Mapping

from arena.league.formats.gauntlet import Gauntlet
from arena.league.formats.knockout import Knockout
from arena.league.formats.ladder import Ladder
from arena.league.formats.play_off import WithPlayOff
from arena.league.formats.port import DEFAULT_MAX_TABLES, Format, ScheduleSize
from arena.league.formats.proposal import FormatProposal, propose_format
from arena.league.formats.round_robin import RoundRobin
from arena.league.formats.season import Season
from arena.league.formats.swiss import Swiss

__all__ = [
    "DEFAULT_MAX_TABLES",
    "FORMATS",
    "Format",
    "FormatProposal",
    "Gauntlet",
    "Knockout",
    "Ladder",
    "RoundRobin",
    "ScheduleSize",
    "Season",
    "Swiss",
    "WithPlayOff",
    "propose_format",
]

FORMATS: Mapping[str, type[Season | RoundRobin | Gauntlet | Swiss | Knockout | Ladder]] = {
    format_.name: format_ for format_ in (Season, RoundRobin, Gauntlet, Swiss, Knockout, Ladder)
}
"""By the name that a league's file says; their public dataclass fields are the options there."""
