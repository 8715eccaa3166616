"""A match from the first process to the last line: on one node in this process, on a server, or on several nodes."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.cli.console import say, say_nothing
from arena.cli.exits import Exit
from arena.cli.playing import NOTHING_KEPT, aftermath_of, open_host, show_kept
from arena.cli.progress import Played, shown
from arena.cli.report import Aftermath, MatchResult
from arena.config import DATA, read_config
from arena.rpc.client import MatchOrder, MatchReport
from arena.rpc.loop import NodeClock, StampingSelector
from arena.runner.crew import built, launched, shown_names
from arena.runner.host import Host
from arena.runner.job import Job, Performance
from arena.runner.player import Player
from arena.runner.runner import Runner, running_nodes
from arena.runner.shares import joined, split
from arena.runner.together import together
from arena.telemetry import set_up_logging


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and how a match is played, besides what is played."""

    data: Path | None
    server: str
    port: int
    join_s: float
    shown: Sequence[str]
    is_json: bool
    most_strikes: int | None


class Run:
    """A match on one node: a server in this process, or one that runs somewhere."""

    def __init__(self, players: Sequence[Player], order: MatchOrder, setting: Setting) -> None:
        self._players = players
        self._order = order
        self._setting = setting
        self._reports: list[MatchReport] = []
        self._result: MatchResult | None = None

    async def play(self, clock: NodeClock, selector: StampingSelector) -> Exit:
        """Play and show. Gives the exit code."""
        setting = self._setting
        async with open_host(setting.server, setting.data, setting.port, clock, selector) as host:
            result = await self._play_at(host)
        result.show(setting.is_json)
        return _verdict(result, setting)

    def show_kept(self) -> str:
        """Show what is left after an interruption, and say where it is."""
        return NOTHING_KEPT if self._result is None else show_kept(self._result, self._setting.is_json)

    async def _play_at(self, host: Host) -> MatchResult:
        setting, names = self._setting, self._order.entrants
        played = Played(self._order.game, names, self._order.game_count, self._reports)
        async with launched(host, self._players, setting.join_s, say, setting.shown) as crew:
            try:
                async with shown(played, host.running, setting.is_json):
                    await crew.play(self._order, self._reports)
            finally:
                result = self._result = MatchResult(self._order, self._reports, aftermath_of(host, crew, names))
        return result


class NodesRun:
    """A match in parts, each on a node of its own."""

    def __init__(self, players: Sequence[Player], order: MatchOrder, setting: Setting, node_count: int) -> None:
        self._players = players
        self._order = order
        self._setting = setting
        self._parts = split(order, node_count)
        self._reports: list[MatchReport] = []
        self._performances: list[Performance] = []
        self._data = DATA

    async def play(self) -> Exit:
        """Play and show. Gives the exit code."""
        setting, count = self._setting, len(self._parts)
        config = read_config(flags={"data": setting.data})
        self._data = config.data
        level = config.log_level if "ARENA_LOG_LEVEL" in os.environ else "error"
        set_up_logging(level)
        shown_names(self._players, setting.shown)
        tell = say_nothing if setting.is_json else say
        tell(f"{count} nodes share {self._order.game_count} games: {_counts(self._parts)}")
        async with running_nodes(config.data, count, level) as runner:
            self._players = await built(config.data / "bots", self._players, say)
            await self._play_all(runner)
        result = self._result()
        result.show(setting.is_json)
        return Exit.OUR_FAULT if any(each.is_ours for each in self._performances) else _verdict(result, setting)

    def show_kept(self) -> str:
        """Show what is left after an interruption, and say where it is."""
        return show_kept(self._result(), self._setting.is_json)

    def _result(self) -> MatchResult:
        return MatchResult(self._order, self._reports, self._aftermath(), len(self._parts))

    def _running(self, runner: Runner) -> list[MatchReport]:
        return [joined(report, part, self._order) for part, report in runner.running()]

    async def _play_all(self, runner: Runner) -> None:
        """Play the parts; the first one that fails ends them all."""
        order = self._order
        played = Played(order.game, order.entrants, order.game_count, self._reports)
        async with shown(played, lambda: self._running(runner), self._setting.is_json):
            await together(self._play_part(runner, part) for part in self._parts)

    async def _play_part(self, runner: Runner, part: MatchOrder) -> None:
        noted: list[Performance] = []
        try:
            await runner.play(Job(part, tuple(self._players), tuple(self._setting.shown)), noted)
        finally:
            for performance in noted:
                self._note(performance, part)

    def _note(self, performance: Performance, part: MatchOrder) -> None:
        report = performance.report
        self._performances.append(performance)
        if report is not None:
            self._reports.append(joined(report, part, self._order))
        if performance.node_fault:
            kept = 0 if report is None else len(report.games)
            say(f"{performance.node_fault}; {kept} of its {part.game_count} games were over and are kept")

    def _aftermath(self) -> Aftermath:
        performances = self._performances
        outputs = {
            name: [output for each in performances if (output := each.outputs.get(name)) is not None]
            for name in self._order.entrants
        }
        losses = [loss for each in performances for loss in each.losses]
        return Aftermath(self._data, outputs, losses, [stall for each in performances for stall in each.stalls_us])


def _counts(parts: Iterable[MatchOrder]) -> str:
    return " + ".join(str(part.game_count) for part in parts)


def _verdict(result: MatchResult, setting: Setting) -> Exit:
    if not result.is_complete:
        return Exit.UNSTEADY
    limit = setting.most_strikes
    return Exit.BOT_FAILED if limit is not None and result.most_strikes > limit else Exit.YES
