"""Formats decide who meets, at which tables and in which seats. They use only the field, its seed and the results.

    season, gauntlet ──▶ rotation         rounds in which entrants take turns, from the rounds drawn before
    round_robin ──▶ block_packing         all sets of entrants, in blocks of disjoint sets
    swiss, knockout, ladder               rounds that depend on results: round_history, bracket, strength
    play_off                              one more round for entrants that another format leaves tied at the top

The formats share `round_shape` (how many tables and blocks keep owners apart), `grouping` (who sits at which table),
`separation` (what it costs to share a table), `seating` (who sits in which seat) and `blocks`. `port` defines the
protocol of a format, and `proposal` picks a format.
"""

from collections.abc import Mapping

from arena.competition.formats.gauntlet import Gauntlet
from arena.competition.formats.knockout import Knockout
from arena.competition.formats.ladder import Ladder
from arena.competition.formats.play_off import WithPlayOff
from arena.competition.formats.port import DEFAULT_MAX_TABLES, Format, ScheduleSize
from arena.competition.formats.proposal import FormatProposal, propose_format
from arena.competition.formats.round_robin import RoundRobin
from arena.competition.formats.season import Season
from arena.competition.formats.swiss import Swiss

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
"""Formats by their name in a league's file. The public fields of these dataclasses are the options in that file."""
