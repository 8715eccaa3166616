"""What a league will take: games, time, processes, memory, disk, and how sure its table will be. From a trial.

    games/s = cores * 0.9 / work a game          where processors set the pace
              cores * games/s of the trial       where bots do: they think, whatever the cores; each core has its own

Half the width of a 95 % interval is 1.96 * spread / sqrt(games of an entrant).
"""

from dataclasses import dataclass
from math import sqrt
from typing import Final

from arena.hosting.forms import check_form
from arena.hosting.league_file import LeagueFile
from arena.hosting.lengths import chosen_form
from arena.hosting.trial import Trial
from arena.league.field import Field
from arena.league.formats import Format

USED: Final = 0.9
"""Of the cores: something always waits for something."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be expected."""

    form: Format
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
    processes: int
    """Of bots, in all."""
    memory_bytes: float
    disk_bytes: float | None
    half_width: float | None
    """Of the 95 % interval of a score; of a challenger's opponents. None: ratings decide, or it has no end."""
    plain_half_width: float | None
    """The same of plain points, where they would count with each block one table; None: they count anyway."""
    is_held_up: bool
    """By its bots' thinking, not by processors."""

    @property
    def seconds(self) -> float | None:
        """How long it will take; None: it has no end of its own."""
        return None if self.games is None else (self.games + self.play_off) / self.rate


def planned(file: LeagueFile, field: Field, trial: Trial, cores: int, processes: int) -> Plan:
    """Plan a league for so many cores. Raises OptionsError where it cannot be played so, or nothing fits the budget."""
    cores = min(cores, trial.most_nodes or cores)
    rate, is_held_up = _rate(trial, cores)
    form, reason = chosen_form(file, field, rate)
    check_form(form, field)
    size = form.size(field)
    games = size.games if size.budget_s is None else int(size.budget_s * rate)
    half_width, plain_half_width = _half_widths(form, field, trial, None if file.decided_by == "rating" else games)
    bots = min(sum(not player.is_remote for player in file.players.values()) * cores, processes)
    return Plan(
        form=form,
        reason=reason,
        games=games,
        play_off=size.play_off,
        budget_s=size.budget_s,
        rate=rate,
        cores=cores,
        processes=bots,
        memory_bytes=bots * trial.bot_bytes + cores * trial.node_bytes,
        disk_bytes=None if games is None else games * trial.disk_bytes,
        half_width=half_width,
        plain_half_width=plain_half_width,
        is_held_up=is_held_up,
    )


def _half_widths(form: Format, field: Field, trial: Trial, games: int | None) -> tuple[float | None, float | None]:
    """How sure a score is, and how sure plain points would be where they are not what counts."""
    if games is None:
        return None, None
    each = max(1.0, _games_each(form, field, games))
    plain = 1.96 * trial.plain_spread / sqrt(each)
    return (1.96 * trial.spread / sqrt(each), plain) if _compares(form, field) else (plain, None)


def _games_each(form: Format, field: Field, games: int) -> float:
    """Of an entrant; where one sits at every table, of the others."""
    fixed = form.name == "gauntlet"
    return games * (field.seats - fixed) / (len(field.entries) - fixed)


def _compares(form: Format, field: Field) -> bool:
    """Whether every block has a second table; a knockout's final has none."""
    return form.name != "knockout" and all(len(block.tables) > 1 for block in form.round(1, field))


def rate_of(trial: Trial, cores: int) -> float:
    """Games a second on so many cores, as far as the league can have them."""
    return _rate(trial, min(cores, trial.most_nodes or cores))[0]


def _rate(trial: Trial, cores: int) -> tuple[float, bool]:
    """Games a second, and whether it is bots that set the limit."""
    as_tried = trial.games / trial.wall_s * cores / trial.nodes
    if trial.work_s is None or not trial.is_crowded:
        return as_tried, trial.work_s is not None
    return cores * USED / trial.work_s, False
