"""The figures of a running server, as organizers see them, and how they are read from a node."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from arena.match.referee.entrant_record import EntrantRecord
from arena.match.referee.facts import ANSWER_STRIKES
from arena.match.referee.pace import US_PER_MS, Pace
from arena.match.value_class import value_class
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.match_totals import MatchTotals
from arena.server.node.node import Node
from arena.server.store.folder_sizes import FolderSizes

MAX_BOTS: Final = 20
"""The most bots in the list of the slowest."""
SLOW_SHARE: Final = 0.95
"""`BotSpeed.slow_think_us` is the time within which this share of a bot's answers came."""
MATCHES_AT_ONCE: Final = 16
"""How many matches are read in one pass of the loop. Reading them takes about half a millisecond."""


@value_class()
class NodeFigures:
    """The figures of a node. Counters begin when it starts."""

    node: str
    """Its name, different at every start."""
    uptime_us: int
    session_count: int
    offered_count: int
    """Matches whose seats are offered and that have not begun."""
    running_count: int
    """Matches that run."""
    ended_count: int
    """Counter: matches that have ended."""
    decision_count: int
    """Counter: decisions that answered a prompt."""
    stall_count: int
    """Counter: stalls of the event loop."""
    stall_us: int
    """Counter: the total length of these stalls."""


@value_class()
class PoolFigures:
    name: str
    bot_count: int
    """Connected bots without house bots."""
    waiting_count: int
    """Those of them that wait for a seat."""
    match_count: int
    """Matches that are offered or run."""
    house_faults: tuple[str, ...] = ()
    """A sentence on each house bot that does not run."""


@value_class()
class BotSpeed:
    """How fast a bot answers, over its seats in all matches that run. Times are in microseconds."""

    bot: str
    seat_count: int
    decision_count: int
    mean_think_us: int
    slow_think_us: int
    """The time within which 95 % of the answers came, estimated from counts by powers of two."""
    slow_share: float
    """`slow_think_us` as a share of the time for a turn; 0 if no match has deadlines."""
    slowest_share: float
    """The largest share of its allowed time that a decision took, 0 to 1."""
    strike_count: int
    """Late, illegal and missing answers."""


@value_class()
class ServerStatus:
    nodes: tuple[NodeFigures, ...]
    pools: tuple[PoolFigures, ...]
    slowest_bots: tuple[BotSpeed, ...]
    """The slowest first."""
    storage: FolderSizes | None = None
    """None if it could not be measured, and from servers of earlier versions."""
    version: str = ""
    """The version of the arena; empty from servers of earlier versions."""
    build: str = ""
    """Which build runs, and on which Python (`describe_build`); empty from servers of earlier versions."""


@dataclass(slots=True)
class _BotTotals:
    """What the seats of one bot add up to."""

    seats: int = 0
    sums: MatchTotals = field(default_factory=MatchTotals)
    slowest_share: float = 0.0
    timed_decisions: int = 0
    """Decisions in matches with deadlines."""
    turn_us: int = 0
    """The time for a turn, summed over these decisions."""

    def add(self, record: EntrantRecord, pace: Pace) -> None:
        self.seats += 1
        self.sums.add((record,))
        self.slowest_share = max(self.slowest_share, record.slowest_share)
        if not pace.no_deadlines:
            self.timed_decisions += record.decision_count
            self.turn_us += record.decision_count * pace.turn_ms * US_PER_MS

    def sum_up(self, bot: str) -> BotSpeed:
        sums, slow_us = self.sums, self.sums.think_quantile_us(SLOW_SHARE)
        return BotSpeed(
            bot=bot,
            seat_count=self.seats,
            decision_count=sums.decisions,
            mean_think_us=sums.think_us // sums.decisions if sums.decisions else 0,
            slow_think_us=slow_us,
            slow_share=slow_us * self.timed_decisions / self.turn_us if self.turn_us else 0.0,
            slowest_share=self.slowest_share,
            strike_count=sum(sums.strikes[kind] for kind in ANSWER_STRIKES),
        )


async def measure_node(node: Node) -> tuple[NodeFigures, tuple[BotSpeed, ...]]:
    """Return the slowest bots too. The loop handles other work between a few matches each."""
    matches, ended, decisions = list(node.registry.matches.values()), node.ended.count, node.ended.totals.decisions
    running = [hosted for hosted in matches if hosted.is_running]
    totals: dict[str, _BotTotals] = defaultdict(_BotTotals)
    for first in range(0, len(running), MATCHES_AT_ONCE):
        for hosted in running[first : first + MATCHES_AT_ONCE]:
            _add_match(totals, hosted)
        await asyncio.sleep(0)
    figures = NodeFigures(
        node=node.name,
        uptime_us=node.uptime_us,
        session_count=len(node.sessions),
        offered_count=len(matches) - len(running),
        running_count=len(running),
        ended_count=ended,
        decision_count=decisions + sum(each.sums.decisions for each in totals.values()),
        stall_count=len(node.stalls_us),
        stall_us=sum(node.stalls_us),
    )
    return figures, slowest_bots([each.sum_up(bot) for bot, each in totals.items()])


def slowest_bots(paces: Sequence[BotSpeed]) -> tuple[BotSpeed, ...]:
    """Return at most 20 bots: those with the largest `slow_share`, the largest first."""
    played = [pace for pace in paces if pace.decision_count or pace.strike_count]
    return tuple(sorted(played, key=lambda pace: (-pace.slow_share, -pace.slow_think_us, pace.bot))[:MAX_BOTS])


def _add_match(totals: dict[str, _BotTotals], hosted: HostedMatch) -> None:
    for (bot, _), record in zip(hosted.keys, hosted.table.referee.entrant_records, strict=True):
        totals[bot].add(record, hosted.terms.pace)
