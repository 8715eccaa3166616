"""What a league will take: games, time, processes, memory, disk, and how sure its table will be. From a trial.

    games/s = min(cores * 0.9 / work a game, nodes * 0.9 / a node's part of it,      what processors can do
                  nodes * games/s of the trial's * tables at once / those of the trial,   what bots let them
                  bots * 0.9 / the bots' part of a game's work)                           each on a core

With a think time of their own bots wait, whatever the cores; the more of them there are, the more tables are played.
Half the width of a 95 % interval is 1.96 * spread / sqrt(games of an entrant).
"""

from dataclasses import dataclass
from enum import Enum
from math import sqrt
from typing import Final

from arena.errors import OptionError
from arena.hosting.file.format_choice import choose_format
from arena.hosting.file.format_factory import check_format
from arena.hosting.file.league_file import LeagueFile
from arena.hosting.plan.trial_result import TrialResult
from arena.hosting.play.concurrency_limiter import MAX_TABLES
from arena.league.field import Field
from arena.league.formats import DEFAULT_MAX_TABLES, Format

_MAX_JOINED_TABLES: Final = 3
"""Tables of a block that has more than one, at most, however few it should have: rather than leave one alone."""
USABLE_SHARE: Final = 0.9
"""Of the cores: something always waits for something."""


class Bottleneck(Enum):
    """What sets the pace."""

    PROCESSORS = "processors"
    NODES = "nodes"
    """They are fewer than processors: more of them, each with bots of its own, would need more memory."""
    BOTS = "bots"
    """They think, or each has no more than a core."""


@dataclass(frozen=True, slots=True)
class LeaguePlan:
    """What is to be expected."""

    format: Format
    reason: str
    """Why this format, where the file says none."""
    games: int | None
    """An estimate where time sets the end; None: it has no end of its own."""
    play_off: int
    """Games more, where the table does not tell who is best."""
    budget_s: float | None
    """After which no round begins; None: games set the end."""
    rate: float
    """Games a second."""
    cores: int
    nodes: int
    processes: int
    """Of bots, in all."""
    memory_bytes: float
    disk_bytes: float | None
    half_width: float | None
    """Of the 95 % interval of a score; of a challenger's opponents. None: ratings decide, or it has no end."""
    plain_half_width: float | None
    """The same of plain points, where they would count with each block one table; None: they count anyway."""
    limit: Bottleneck

    @property
    def seconds(self) -> float | None:
        """How long it will take; None: it has no end of its own."""
        return None if self.games is None else (self.games + self.play_off) / self.rate


def make_league_plan(file: LeagueFile, field: Field, trial: TrialResult, cores: int, processes: int) -> LeaguePlan:
    """Plan a league for so many cores. Raises OptionsError where it cannot be played so, or nothing fits the budget."""
    nodes = node_count(file, cores, processes)
    rate, limit = _rate_and_bottleneck(trial, cores, nodes, len(file.bots))
    league_format, reason = choose_format(file, field, rate)
    check_format(league_format, field)
    size = league_format.size(field)
    games = size.games if size.budget_s is None else int(size.budget_s * rate)
    half_width, plain_half_width = _half_widths(
        league_format, field, trial, None if file.decided_by == "rating" else games
    )
    bots = min(sum(not bot.is_remote for bot in file.bots.values()) * nodes, processes)
    return LeaguePlan(
        format=league_format,
        reason=reason,
        games=games,
        play_off=size.play_off,
        budget_s=size.budget_s,
        rate=rate,
        cores=cores,
        nodes=nodes,
        processes=bots,
        memory_bytes=bots * trial.bot_bytes + nodes * trial.node_bytes,
        disk_bytes=None if games is None else games * trial.disk_bytes,
        half_width=half_width,
        plain_half_width=plain_half_width,
        limit=limit,
    )


def _half_widths(
    league_format: Format, field: Field, trial: TrialResult, games: int | None
) -> tuple[float | None, float | None]:
    """How sure a score is, and how sure plain points would be where they are not what counts."""
    if games is None:
        return None, None
    each = max(1.0, _games_per_entrant(league_format, field, games))
    plain = 1.96 * trial.plain_spread / sqrt(each)
    return (1.96 * trial.spread / sqrt(each), plain) if _has_second_tables(league_format, field) else (plain, None)


def _games_per_entrant(league_format: Format, field: Field, games: int) -> float:
    """Of an entrant; where one sits at every table, of the others."""
    fixed = league_format.name == "gauntlet"
    return games * (field.seats - fixed) / (len(field.entries) - fixed)


def _has_second_tables(league_format: Format, field: Field) -> bool:
    """Whether every block has a second table; a knockout's final has none."""
    return league_format.name != "knockout" and all(
        len(block.tables) > 1 for block in league_format.draw_round(1, field)
    )


def estimate_games_per_s(trial: TrialResult, file: LeagueFile, cores: int, processes: int) -> float:
    """Games a second of a league on so many cores."""
    return _rate_and_bottleneck(trial, cores, node_count(file, cores, processes), len(file.bots))[0]


def _rate_and_bottleneck(trial: TrialResult, cores: int, nodes: int, bots: int) -> tuple[float, Bottleneck]:
    """Games a second, and what sets the limit."""
    as_tried = trial.games / trial.wall_s / trial.nodes * nodes
    if not trial.work_s:
        return as_tried, Bottleneck.PROCESSORS
    tables = min(MAX_TABLES, max(trial.tables, 1.0) * bots / trial.bots)
    rates = {
        Bottleneck.PROCESSORS: USABLE_SHARE * cores / trial.work_s,
        Bottleneck.NODES: USABLE_SHARE * nodes / max(trial.node_s, 1e-9),
        Bottleneck.BOTS: USABLE_SHARE * bots * nodes / max(trial.work_s - trial.node_s, 1e-9),
    }
    if not trial.is_crowded:
        rates[Bottleneck.BOTS] = min(rates[Bottleneck.BOTS], as_tried * tables / max(trial.tables, 1.0))
    limit = min(rates, key=rates.__getitem__)
    return rates[limit], limit


def node_count(file: LeagueFile, cores: int, processes: int, wanted: int | None = None) -> int:
    """How many nodes play, each with bots of its own: one a core, as far as there is room for everybody at each.

    `wanted`: so many, if somebody says so, as far as there is room for a block at each. Raises OptionError where only
    one can, or not even one.
    """
    if file.has_remote:
        if wanted is not None and wanted > 1:
            raise OptionError("nodes", wanted, "a bot that dials in is on one node")
        return 1
    tables = int(file.settings.get("tables", DEFAULT_MAX_TABLES))
    needed = min(len(file.bots), file.seats * (max(tables, _MAX_JOINED_TABLES) if tables > 1 else 1))
    if processes < needed:
        raise OptionError("max-bot-processes", processes, f"a block of this league may need {needed}")
    return min(wanted, processes // needed) if wanted else max(1, min(cores, processes // len(file.bots)))
