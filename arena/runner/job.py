"""What a runner asks of a node, and what it gets: plain values that travel."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path

from arena.match.match_order import MatchOrder, MatchReport
from arena.runner.bot_entrant import BotEntrant
from arena.runner.match_bots import BotExit


@dataclass(frozen=True, slots=True)
class NodeSetup:
    """What a node is told when it starts."""

    data: Path
    name: str
    """Of the node and its journal; new with every start."""
    receipt_key: bytes = field(repr=False)
    log_level: str = "error"
    port: int = 0
    """Where it listens; 0: any free one."""


@dataclass(frozen=True, slots=True)
class MatchJob:
    """A match, and who plays it: each node starts its own copy of each bot."""

    order: MatchOrder
    players: tuple[BotEntrant, ...]
    """None of them remote, and none that has to be built."""
    shown: tuple[str, ...] = ()
    """Names of bots whose output goes to stderr."""


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """What a node and the bots that stay there have used so far, as far as the system tells."""

    decisions: int
    """Taken by bots in all matches."""
    work_s: float = 0.0
    """Of processors; 0: unknown, as are the sizes."""
    node_s: float = 0.0
    """The node's part of it."""
    node_bytes: int = 0
    bots: int = 0
    bots_bytes: int = 0

    def since(self, before: "ResourceUsage") -> "ResourceUsage":
        """What was used since then; sizes and number are those of now."""
        return replace(
            self,
            decisions=self.decisions - before.decisions,
            work_s=self.work_s - before.work_s,
            node_s=self.node_s - before.node_s,
        )

    def __add__(self, other: "ResourceUsage") -> "ResourceUsage":
        """That of both together."""
        return ResourceUsage(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class MatchJobResult:
    """How a job went."""

    report: MatchReport | None
    """None: the match was never made."""
    outputs: Mapping[str, Path | None] = field(default_factory=dict)
    """By name: what the bot wrote."""
    losses: tuple[BotExit, ...] = ()
    """Bots that ended by themselves."""
    stalls_us: tuple[int, ...] = ()
    """How long the node stood still while matches ran, each time, microseconds."""
    node_fault: str = ""
    """How the node ended, if it did: "node 2 was killed by SIGKILL". What was over by then is in the report."""
    is_ours: bool = False
    """Whether the fault is one in the arena, not one of the machine."""
