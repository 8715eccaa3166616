"""The result of a trial: a game's cost in time, work, memory and disk on this machine, and the spread of scores.

Only the second half of the time counts, because bots get more and more tables during the first half.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from arena.competition.league.adjustment import MIN_BLOCKS
from arena.competition.league.model import BlockResult
from arena.errors import RequestError
from arena.fleet.runner.job import ResourceUsage, read_idle_s
from arena.match.referee.ports import MatchRow
from arena.organizer.plan.designs import TriedDesigns, try_designs
from arena.organizer.seal.ledger import Ledger

MAX_OVERRUN: Final = 5.0
"""If games are very long, a trial may take this many times its intended length. After that, one block suffices."""
ENOUGH_GAMES_PER_NODE: Final = 24
"""Games for each node that suffice to measure a game's cost if cores are the limit."""
ENOUGH_BLOCKS: Final = 4
"""Blocks that suffice to measure the length of a game."""
BUSY_SHARE: Final = 0.7
"""If a trial uses more than this share of its cores, the cores limit it. If the trial uses less, but more than this
share of the whole machine is busy, other programs disturb the trial."""
ENOUGH_COMPARED_BLOCKS: Final = 2 * MIN_BLOCKS
"""Blocks that suffice to try designs. Fewer are played if the trial takes its whole time for them."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    games: float
    """Games in the second half of the trial."""
    nodes: int
    wall_s: float
    """Seconds of the second half."""
    work_s: float | None
    """Processor seconds of nodes and bots for each game; None if the system does not report them."""
    node_s: float
    """The nodes' part of `work_s`."""
    is_crowded: bool
    """Whether cores were the limit."""
    is_disturbed: bool
    """Whether other programs kept the machine busy. Bots may then need less time than the trial shows."""
    tables: float
    """Mean number of concurrent tables at a node."""
    bots: int
    """Number of bots that took part."""
    decisions: float
    """Mean number of decisions in a game."""
    bot_bytes: float
    """Memory of a bot's process."""
    node_bytes: float
    disk_bytes: float
    """Disk space for each game."""
    designs: TriedDesigns
    """How much scores vary, with one table for each deal and with several."""
    left_out: tuple[str, ...] = ()
    """Remote bots that took no part."""

    @property
    def busy_share(self) -> float:
        """The share of its cores that the trial used, 0 to 1."""
        return min(1.0, (self.work_s or 0.0) * self.games / (self.wall_s * self.nodes))


@dataclass(frozen=True, slots=True)
class UsageSample:
    """The resources that a trial had used at one moment."""

    at_s: float
    usage: ResourceUsage
    """The usage of all nodes together."""
    idle_s: float | None
    """Mean idle seconds of a core of the machine; None if unknown."""
    tables: int
    """Tables held at all nodes."""

    @staticmethod
    def take(usages: Sequence[ResourceUsage], tables: int) -> "UsageSample":
        """Return a sample from the usage that the nodes report."""
        return UsageSample(time.monotonic(), sum(usages, ResourceUsage(0)), read_idle_s(), tables)


class TrialProgress:
    """Collects usage samples while a trial runs."""

    def __init__(self, first: UsageSample, most_s: float, nodes: int) -> None:
        self._most_s = most_s
        self._nodes = nodes
        self._samples = [first]

    def add_sample(self, sample: UsageSample) -> None:
        """Append a sample that was taken later than all earlier samples."""
        self._samples.append(sample)

    @property
    def elapsed_s(self) -> float:
        """Seconds from the first sample to the last."""
        return self._samples[-1].at_s - self._samples[0].at_s

    def is_enough(self, ledger: Ledger) -> bool:
        """Return whether the trial has measured what a game costs and how much scores vary."""
        if self.elapsed_s > MAX_OVERRUN * self._most_s:
            return True
        blocks = len(ledger.history)
        if self.elapsed_s > self._most_s:
            return blocks >= ENOUGH_BLOCKS
        has_cost = ledger.game_count >= ENOUGH_GAMES_PER_NODE * self._nodes and self._is_crowded()
        return has_cost and blocks >= ENOUGH_COMPARED_BLOCKS

    def build_result(self, history: Sequence[BlockResult], rows: Sequence[MatchRow], disk_bytes: int) -> TrialResult:
        """Return the result of a trial from its blocks. There must be at least one block.

        `rows` has the matches of these blocks. `disk_bytes` is the size of all files that the trial wrote. Raises
        RequestError if no bot answered anything.
        """
        decisions = fmean(sum(each["decisions"] for each in row.statistics) for row in rows)
        if not decisions:
            raise RequestError(
                "no bot of the trial answered anything in time: look at what they write, or run one alone"
            )
        ordered = sorted(history, key=lambda result: result.block.number)
        half, usage, whole = (
            self._second_half(),
            self._samples[-1].usage,
            self._samples[-1].usage.since(self._samples[0].usage),
        )
        used = usage.since(half[0].usage)
        games = max(1, used.decisions) / decisions
        return TrialResult(
            games=games,
            nodes=self._nodes,
            wall_s=max(half[-1].at_s - half[0].at_s, 1e-3),
            work_s=used.work_s / games if used.work_s else None,
            node_s=used.node_s / games,
            is_crowded=self._is_crowded(),
            is_disturbed=self._is_disturbed(),
            tables=fmean(sample.tables for sample in half) / self._nodes,
            bots=len({name for result in history for name in result.block.names}),
            decisions=decisions,
            bot_bytes=usage.bots_bytes / max(usage.bots, 1),
            node_bytes=usage.node_bytes / self._nodes,
            disk_bytes=disk_bytes * decisions / max(1, whole.decisions),
            designs=try_designs(ordered),
        )

    def _second_half(self) -> Sequence[UsageSample]:
        return self._samples[(len(self._samples) - 1) // 2 :]

    def _is_crowded(self) -> bool:
        first, last = self._second_half()[0], self._samples[-1]
        return last.usage.since(first.usage).work_s > BUSY_SHARE * (last.at_s - first.at_s) * self._nodes

    def _is_disturbed(self) -> bool:
        first, last = self._second_half()[0], self._samples[-1]
        if first.idle_s is None or last.idle_s is None or self._is_crowded():
            return False
        return last.idle_s - first.idle_s < (1 - BUSY_SHARE) * (last.at_s - first.at_s)
