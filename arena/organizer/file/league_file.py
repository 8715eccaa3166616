"""The file of a league: its entrants, game and format. The file is checked as a whole, and every error is named.

name = "autumn"              # the league has this name in the data folder too
format = "season"            # season, round-robin, gauntlet, swiss, knockout, ladder
games = 400                  # or rounds or passes, depending on the format; or budget = "8h"
play_off = 40                # optional: most games of a play-off, if the standings do not show who is best; 0 for none
preset = "standard"          # or game = "cheater"; [rules] has the options that differ
seats = 4
pace = "sealed"              # [pace_settings] has the settings that differ
untrusted = true             # optional: run all local bots in boxes; submitted bots always run in one
submitted_from = "../data"   # optional: the data folder of the server to which bots were submitted; default --data
public_entropy = "lotto of 28 November, ascending, one space"   # optional: what will be mixed in after the seal
bots = "active in pool standard"   # optional: entrants by rule; see `entrant_rules`

[[entrants]]
bot = "sample:counter"       # any BOT, such as submitted:NAME; a path is relative to the file's folder
name = "counter"             # optional
owner = "ann"                # optional: bots of one owner are kept apart
environment = { NERVE = "2" }    # optional
"""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Any

from arena.bots.launch.programs import (
    BotProgram,
    RemoteBot,
    SubmittedBots,
)
from arena.competition.league.model import Entrant
from arena.errors import OptionError, OptionsError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.match.referee.terms import Terms
from arena.match.value_class import value_class
from arena.names import fold_look_alikes
from arena.organizer.file.league_dates import WrittenDate


@value_class()
class AbsentBot:
    """An entrant whose submitted bot has no version now that may play. A seal may have pinned one that did."""

    bot: str
    """The name under which it was submitted."""
    owner: str
    fault: OptionError
    """What `missing` says of it."""


@value_class()
class LeagueFile:
    """A league as its file describes it, before it is sealed, or at any time after."""

    name: str
    text: str
    """The file's text, with the entrants that its rule took."""
    format: str
    """The format's name; empty if the arena has to propose one."""
    settings: Mapping[str, Any]
    """The format's settings that the file names."""
    budget_s: float | None
    """Seconds that the league may take; None if the format's settings decide."""
    seats: int
    terms: Terms
    """The terms of a table. The entrants are those of the first table."""
    decided_by: str
    public_entropy: str
    """Where the public entropy will come from; empty if none is promised."""
    entrants: tuple[Entrant, ...]
    bots: Mapping[str, BotEntrant]
    """Bots by name."""
    missing: tuple[OptionError, ...] = ()
    """One error for each entrant whose program is missing; `entrants` has the others. A league with errors is not
    played."""
    dates: tuple[WrittenDate, ...] = ()
    """When bots have to be online; empty if the league plays as soon as it is run."""
    has_default_windows: bool = False
    """True if the file does not say whether windows are fixed. Windows are then fixed if any bot is remote."""
    is_boxed: bool = False
    """Whether every bot that the arena starts runs in a box."""
    submitted: SubmittedBots | None = None
    """Finds submitted bots; None if this command knows none."""
    environments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What the file adds to the environment of each bot, by name."""
    absent: Mapping[str, AbsentBot] = field(default_factory=dict)
    """The submitted bots among the missing programs, by the entrant's name."""
    rule: str = ""
    """By which rule entrants were taken; empty if all are named."""

    @property
    def has_remote(self) -> bool:
        return any(bot.is_remote for bot in self.bots.values())

    @property
    def programs(self) -> Mapping[str, BotProgram | RemoteBot]:
        return {name: bot.program for name, bot in self.bots.items()}

    def require_complete(self) -> "LeagueFile":
        """Return the league if no program is missing. Raises OptionsError."""
        if self.missing:
            raise OptionsError(self.missing)
        return self

    def check_look_alikes(self) -> None:
        """Raise OptionError if two entrants have names that people would take for each other.

        Only a new league is checked, so that a league that was sealed earlier can go on.
        """
        known: dict[str, str] = {}
        for name in self.bots:
            other = known.setdefault(fold_look_alikes(name), name)
            if other != name:
                raise OptionError("name", name, f"it looks like {other!r}, which is another entrant")


@value_class()
class SealedLeague:
    """A league as it is played: as it was sealed and amended. Later changes of its file have no effect."""

    name: str
    seats: int
    terms: Terms
    """The terms of a table. The entrants are those of the first table."""
    decided_by: str
    entrants: tuple[Entrant, ...]
    """All that were sealed or added, with their latest versions."""
    bots: Mapping[str, BotEntrant]
    """The bot of each entrant by name. A program that is gone has a stand-in, which cannot be started."""
    is_boxed: bool = False
    """Whether every bot that the arena starts runs in a box."""
    are_paired: bool = False
    """Whether the tables of a block form pairs: 0 and 1, 2 and 3, and so on.

    The bots in the same seat of a pair get the same random seed. This reduces the luck in a comparison: `honest` and
    its copy then play the same game in all seats, and with different seeds in 88 % of them. But it lets bots learn that
    they share a deal, so only comparisons turn it on.
    """

    @classmethod
    def from_file(cls, file: LeagueFile) -> "SealedLeague":
        """Return the league of a file that is complete, as sealing it now would fix it."""
        return cls(file.name, file.seats, file.terms, file.decided_by, file.entrants, file.bots, file.is_boxed)

    @property
    def has_remote(self) -> bool:
        return any(bot.is_remote for bot in self.bots.values())

    def terms_for(self, names: tuple[str, ...]) -> Terms:
        return replace(self.terms, entrants=names)

    def with_bots(self, bots: Iterable[BotEntrant]) -> "SealedLeague":
        """Return the league with these programs in place of those of the same names, for example after their build."""
        return replace(self, bots={**self.bots, **{bot.name: bot for bot in bots}})
