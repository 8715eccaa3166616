"""The plan of a league, from a trial: games, time, processes, memory, disk, and the precision of its standings.

    games/s = min(cores * 0.9 / a game's work,                                limited by processors
                  nodes * 0.9 / the nodes' part of a game's work,             limited by nodes
                  nodes * trial games/s * tables / trial tables,              limited by bots that think
                  nodes * bots * 0.9 / the bots' part of a game's work)       limited by bots, each on one core

Trial games/s and trial tables belong to one node of the trial, and tables to one node of the league. If bots wait while
they think, the rate does not depend on cores. More bots then allow more concurrent tables.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from arena.competition.formats import DEFAULT_MAX_TABLES, Format
from arena.competition.league.field import Field
from arena.errors import OptionError
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_format import check_format, choose_format
from arena.organizer.plan.designs import DesignProposal, half_width, propose_design
from arena.organizer.plan.trial_result import TrialResult
from arena.organizer.play.concurrency_limiter import MAX_TABLES

_MAX_JOINED_TABLES: Final = 3
"""If the setting `tables` is 2, a block may still have this many tables, because a table that is left over joins
another block."""
USABLE_SHARE: Final = 0.9
"""The share of the cores that games can use. The rest is lost to waiting."""


class Bottleneck(Enum):
    """The resource that limits the rate of games."""

    PROCESSORS = "processors"
    NODES = "nodes"
    """There are fewer nodes than processors. More nodes, each with its own bots, would need more memory."""
    BOTS = "bots"
    """The bots take time to think, or each is limited to one core."""


@dataclass(frozen=True, slots=True)
class LeaguePlan:
    """The expected cost and precision of a league."""

    format: Format
    reason: str
    """Why this format was chosen, if the file names none."""
    games: int | None
    """Number of games, which is an estimate if time sets the end; None if the league has no fixed end."""
    play_off: int
    """Largest number of further games, which are played only if the standings do not show who is best."""
    budget_s: float | None
    """No round begins after this many seconds. None if the number of games sets the end."""
    rate: float
    """Games a second."""
    cores: int
    nodes: int
    processes: int
    """Bot processes in total."""
    memory_bytes: float
    disk_bytes: float | None
    half_width: float | None
    """Half the width of the 95 % interval of an entrant's score. In a gauntlet, the challenger is excluded.

    The value is None if ratings decide, or if the league has no fixed end.
    """
    design: DesignProposal | None
    """Whether another number of tables for each deal gives a narrower interval; None if there is no choice, or if the
    league has dates: then the tables of a deal would have to wait for each other's bots."""
    limit: Bottleneck
    has_fixed_windows: bool
    """Whether windows are fixed, so that games last longer than in the trial."""

    @property
    def seconds(self) -> float | None:
        """Expected duration in seconds; None if the league has no fixed end."""
        return None if self.games is None else (self.games + self.play_off) / self.rate


def make_league_plan(file: LeagueFile, field: Field, trial: TrialResult, cores: int, processes: int) -> LeaguePlan:
    """Return a league's plan for this number of cores.

    Raises OptionsError if the league cannot be played this way or no game fits the budget.
    """
    nodes = node_count(file, cores, processes)
    rate, limit = _rate_and_bottleneck(trial, cores, nodes, len(file.bots))
    league_format, reason = choose_format(file, field, rate)
    check_format(league_format, field)
    size = league_format.size(field)
    games = size.games if size.budget_s is None else int(size.budget_s * rate)
    precision = design = None
    if games is not None and file.decided_by != "rating":
        precision = half_width(league_format, field, trial.designs, games)
        design = None if file.dates else propose_design(league_format, field, trial.designs, games)
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
        half_width=precision,
        design=design,
        limit=limit,
        has_fixed_windows=file.terms.pace.fixed_window,
    )


def estimate_games_per_s(trial: TrialResult, file: LeagueFile, cores: int, processes: int) -> float:
    """Return the games a second of a league on this number of cores."""
    return _rate_and_bottleneck(trial, cores, node_count(file, cores, processes), len(file.bots))[0]


def _rate_and_bottleneck(trial: TrialResult, cores: int, nodes: int, bots: int) -> tuple[float, Bottleneck]:
    """Return the games a second, and what limits them."""
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


def node_count(file: LeagueFile, cores: int, processes: int, requested: int | None = None) -> int:
    """Return the number of nodes: one for each core, or fewer if there are too few bot processes.

    Each node needs processes for all bots. If `requested` is given, it replaces the number of cores, and each node
    needs processes for only one block. Raises OptionError if a bot dials in and more than one node is requested, or if
    the processes do not suffice for one block.
    """
    if file.has_remote:
        if requested is not None and requested > 1:
            raise OptionError("nodes", requested, "a bot that dials in is on one node")
        return 1
    tables = int(file.settings.get("tables", DEFAULT_MAX_TABLES))
    bots = len(file.bots) + len(file.missing)  # the seal may have pinned versions of submitted bots that are missing
    needed = min(bots, file.seats * (max(tables, _MAX_JOINED_TABLES) if tables > 1 else 1))
    if processes < needed:
        raise OptionError("max-bot-processes", processes, f"a block of this league may need {needed}")
    return min(requested, processes // needed) if requested else max(1, min(cores, processes // bots))
