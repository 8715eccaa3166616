"""What a trial tells: what a game costs in time, work, memory and disk here, and how much scores differ.

What counts is the second half of the time: in the first one bots are given more and more tables.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Final

from arena.errors import RequestError
from arena.hosting.seal.ledger import Ledger
from arena.league.model import BlockResult
from arena.league.points import block_scores, can_compare
from arena.match.ports import MatchRow
from arena.runner.job import ResourceUsage
from arena.runner.resource_usage import read_idle_s

MAX_OVERRUN: Final = 5.0
"""So many times as long as it should a trial may go on, for games that are very long; then one block has to do."""
ENOUGH_GAMES_PER_NODE: Final = 24
"""So many tell what a game costs, where cores are what a trial lacks; bots that think are given more tables still."""
ENOUGH_BLOCKS: Final = 4
"""Blocks that tell how long a game is."""
BUSY_SHARE: Final = 0.7
"""A trial that used more than this share of its cores lacked cores; so it may have, if less than the rest was idle."""
_DEFAULT_SPREAD: Final = 0.4
"""Of the scores of simple bots in `standard`, where a trial tells nothing."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What was measured."""

    games: float
    """In its second half."""
    nodes: int
    wall_s: float
    """In which they were played."""
    work_s: float | None
    """Of processors, by nodes and bots, for a game; None: this system does not tell."""
    node_s: float
    """The nodes' part of it."""
    is_crowded: bool
    """Whether cores were what it lacked."""
    is_disturbed: bool
    """Whether something else kept this machine busy: then bots may think less than they seem to."""
    tables: float
    """At once at a node, in the mean."""
    bots: int
    """Who took part."""
    decisions: float
    """A game."""
    bot_bytes: float
    """Of memory, for the process of a bot."""
    node_bytes: float
    disk_bytes: float
    """A game."""
    spread: float
    """Standard deviation of a score in a block."""
    plain_spread: float
    """The same of plain points."""
    left_out: tuple[str, ...] = ()
    """Who dials in and took no part."""

    @property
    def busy_share(self) -> float:
        """How much of its cores the trial used, 0 to 1."""
        return min(1.0, (self.work_s or 0.0) * self.games / (self.wall_s * self.nodes))


@dataclass(frozen=True, slots=True)
class UsageSample:
    """What a trial had used at some instant."""

    at_s: float
    usage: ResourceUsage
    """Of all nodes together."""
    idle_s: float | None
    """Of a core of the machine, in the mean, whoever may use it; None: unknown."""
    tables: int
    """Held at all nodes."""

    @staticmethod
    def take(usages: Sequence[ResourceUsage], tables: int) -> "UsageSample":
        """Look at what nodes have told."""
        return UsageSample(time.monotonic(), sum(usages, ResourceUsage(0)), read_idle_s(), tables)


class TrialProgress:
    """How a trial goes."""

    def __init__(self, begun: UsageSample, most_s: float, nodes: int) -> None:
        self._most_s = most_s
        self._nodes = nodes
        self._looks = [begun]

    def add_sample(self, look: UsageSample) -> None:
        """Note how far it has got."""
        self._looks.append(look)

    @property
    def elapsed_s(self) -> float:
        """Since the first table."""
        return self._looks[-1].at_s - self._looks[0].at_s

    def is_enough(self, ledger: Ledger) -> bool:
        """Whether it has told what a game takes."""
        if self.elapsed_s > MAX_OVERRUN * self._most_s:
            return True
        is_told = ledger.game_count >= ENOUGH_GAMES_PER_NODE * self._nodes and self._is_crowded()
        return (is_told or self.elapsed_s > self._most_s) and len(ledger.history) >= ENOUGH_BLOCKS

    def build_result(self, history: Sequence[BlockResult], rows: Sequence[MatchRow], disk_bytes: int) -> TrialResult:
        """What it tells; `rows` are its games, `disk_bytes` all that it has written. It has a block that is over.

        Raises RequestError where nobody answered anything.
        """
        decisions = fmean(sum(each["decisions"] for each in row.statistics) for row in rows)
        if not decisions:
            raise RequestError(
                "no bot of the trial answered anything in time: look at what they write, or run one alone"
            )
        half, usage, whole = (
            self._second_half(),
            self._looks[-1].usage,
            self._looks[-1].usage.since(self._looks[0].usage),
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
            tables=fmean(look.tables for look in half) / self._nodes,
            bots=len({name for result in history for name in result.block.names}),
            decisions=decisions,
            bot_bytes=usage.bots_bytes / max(usage.bots, 1),
            node_bytes=usage.node_bytes / self._nodes,
            disk_bytes=disk_bytes * decisions / max(1, whole.decisions),
            spread=_spread(history, compares=can_compare(history)),
            plain_spread=_spread(history, compares=False),
        )

    def _second_half(self) -> Sequence[UsageSample]:
        """Its second half."""
        return self._looks[(len(self._looks) - 1) // 2 :]

    def _is_crowded(self) -> bool:
        first, last = self._second_half()[0], self._looks[-1]
        return last.usage.since(first.usage).work_s > BUSY_SHARE * (last.at_s - first.at_s) * self._nodes

    def _is_disturbed(self) -> bool:
        first, last = self._second_half()[0], self._looks[-1]
        if first.idle_s is None or last.idle_s is None or self._is_crowded():
            return False
        return last.idle_s - first.idle_s < (1 - BUSY_SHARE) * (last.at_s - first.at_s)


def _spread(history: Sequence[BlockResult], *, compares: bool) -> float:
    """How much an entrant's scores differ from block to block, over all of them."""
    by_name: dict[str, list[float]] = {}
    for result in history:
        for name, score in block_scores(result, compares=compares).items():
            by_name.setdefault(name, []).append(score.value)
    known = [stdev(values) for values in by_name.values() if len(values) > 2]
    return fmean(known) if known else _DEFAULT_SPREAD
