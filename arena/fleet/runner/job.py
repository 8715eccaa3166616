"""What a runner and a node exchange: the node's setup, its jobs and their results."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import astuple, field, replace
from pathlib import Path

import psutil

from arena.bots.launch.box_settings import BoxSettings
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.started_bot import BotExit
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.value_class import value_class
from arena.server.config.server_config import ServerConfig


@value_class()
class NodeSetup:
    data: Path
    name: str
    """New for every start."""
    receipt_key: bytes = field(repr=False)
    """The private key of receipts; the public one if the node is away."""
    log_level: str = "error"
    server: ServerConfig | None = None
    """Where the node listens, and with which certificate; None means any free port of loopback."""
    boxes: BoxSettings | None = None
    """None if the node starts no bots that nobody trusts."""
    is_away: bool = False
    """Whether `data` is a folder of its own. Then the runner keeps its journal, and signs its receipts."""


@value_class()
class MatchJob:
    """A match whose bots the node starts for it alone."""

    order: MatchOrder
    players: tuple[BotEntrant, ...]
    """The bots, all of them local and already built."""
    shown: tuple[str, ...] = ()
    """Names of bots whose output goes to stderr."""


@value_class()
class ResourceUsage:
    """The resources that a node and its resident bots have used so far, if the system reports them."""

    decisions: int
    """Decisions of bots in all matches."""
    work_s: float = 0.0
    """Processor time in seconds. If the system does not report it, `work_s` and the memory sizes are 0."""
    node_s: float = 0.0
    """The node's own share of `work_s`, in seconds."""
    node_bytes: int = 0
    bots: int = 0
    bots_bytes: int = 0

    def since(self, before: "ResourceUsage") -> "ResourceUsage":
        """Return the usage since `before`. Memory sizes and the number of bots keep their present values."""
        return replace(
            self,
            decisions=self.decisions - before.decisions,
            work_s=self.work_s - before.work_s,
            node_s=self.node_s - before.node_s,
        )

    def __add__(self, other: "ResourceUsage") -> "ResourceUsage":
        return ResourceUsage(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


@value_class()
class MatchJobResult:
    report: MatchReport | None
    """None if the match was never created."""
    outputs: Mapping[str, Path | None] = field(default_factory=dict)
    """The file with a bot's output, by bot name."""
    losses: tuple[BotExit, ...] = ()
    """Bots whose processes ended by themselves."""
    stalls_us: tuple[int, ...] = ()
    """Every stall of the node while the match ran, in microseconds."""
    node_fault: str = ""
    """How the node ended, if it did: "node 2 was killed by SIGKILL". The report has the games that it had finished."""
    is_ours: bool = False
    """Whether a bug in the arena ended the node, rather than a signal from outside."""


@value_class()
class _ProcessUsage:
    """All values are 0 if the usage cannot be read."""

    work_s: float = 0.0
    children_s: float = 0.0
    """Processor time in seconds of children that have ended."""
    bytes: int = 0


def measure_usage(decisions: int, bots: Iterable[int]) -> ResourceUsage:
    """Return the usage of this process, of its ended children and of the bots with these process ids."""
    node, running = _read_process(None), [_read_process(pid) for pid in bots]
    work_s = node.work_s + node.children_s + sum(each.work_s for each in running)
    return ResourceUsage(decisions, work_s, node.work_s, node.bytes, len(running), sum(each.bytes for each in running))


def read_idle_s() -> float | None:
    """Return the seconds for which a core was idle or waited for a disk since the machine started.

    This is the mean over all cores; None if the system does not report it.
    """
    with suppress(psutil.Error, OSError):
        times = psutil.cpu_times()
        return float(times.idle + getattr(times, "iowait", 0.0)) / (psutil.cpu_count() or 1)
    return None


def _read_process(pid: int | None) -> _ProcessUsage:
    """Without a `pid`, this process."""
    with suppress(psutil.Error, OSError):
        process = psutil.Process(pid)
        with process.oneshot():
            times = process.cpu_times()
            children_s = times.children_user + times.children_system
            return _ProcessUsage(times.user + times.system, children_s, process.memory_info().rss)
    return _ProcessUsage()
