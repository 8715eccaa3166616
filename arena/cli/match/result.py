"""The result of matches: as tables and lines for people, and as plain values for machines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table

from arena.bots.launch.output import read_last_error
from arena.bots.launch.programs import sample_names
from arena.cli.exit_codes import ExitCode
from arena.cli.match.recorded_play import FIELD, FirstFault, RecordedPlay, play_table, plays_as_dict
from arena.cli.match.replay_hint import lessons_command, replay_lines
from arena.cli.match.standings import (
    EntrantTotals,
    FaultLimit,
    length_text,
    lengths_as_dict,
    lengths_of,
    rank_entrants,
    standings_table,
    totals_as_dict,
)
from arena.cli.present import present
from arena.cli.result_console import stdout_console, wrap_line
from arena.fleet.runner.started_bot import BotExit
from arena.games.catalogue import games
from arena.match.referee.game_lengths import GameLengths, turn_limit_of
from arena.match.referee.match_order import MatchOrder, MatchReport, terms_from_order
from arena.match.referee.terms import Terms
from arena.plain_data import to_plain
from arena.plurals import format_count

_PLANNED_TERMINATIONS = ("finished", "forfeited")


@dataclass(frozen=True, slots=True)
class RunDiagnostics:
    data: Path
    outputs: Mapping[str, Sequence[Path]]
    """Output files by bot name, one for each copy of a bot; empty for a remote bot."""
    losses: Sequence[BotExit]
    stalls_us: Sequence[int]
    """Every stall of the server while matches ran, in microseconds."""

    def remarks(self, standings: Sequence[EntrantTotals]) -> Iterator[str]:
        yield from map(str, self.losses)
        for standing in standings:
            if standing.strike_count:
                yield from (f"{standing.name} has faults; {line}" for line in self.output_lines(standing.name))
        if self.stalls_us:
            yield (
                f"This machine was busy: the server stalled {format_count(len(self.stalls_us), 'time')}, "
                f"for {sum(self.stalls_us) // 1000} ms in all. This time was charged to no bot."
            )
        folders = sorted({str(output.parent) for outputs in self.outputs.values() for output in outputs})
        if folders:
            yield f"output of the bots: {', '.join(folders)}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "data": str(self.data),
            "bots": {name: self._bot_as_dict(name) for name in self.outputs},
            "stall_count": len(self.stalls_us),
            "stall_s": sum(self.stalls_us) / 1e6,
        }

    def output_lines(self, name: str) -> Iterator[str]:
        """Yield where a bot's output is and the last error in it, if there is any output.

        Yield nothing for a bot that ended by itself, because `remarks` names its output.
        """
        outputs = self.outputs[name][::-1]  # the newest first
        if outputs and name not in {loss.name for loss in self.losses}:
            output, error = next(((o, error) for o in outputs if (error := read_last_error(o))), (outputs[0], ""))
            yield f"its output is in {output}" + (f"\n  {error}" if error else "")

    def _bot_as_dict(self, name: str) -> dict[str, Any]:
        outputs = [str(output) for output in self.outputs[name]]
        loss = next((loss for loss in self.losses if loss.name == name), None)
        return {
            "output": outputs[0] if outputs else None,
            "outputs": outputs,
            "ended": None if loss is None else loss.how,
            "last_lines": [] if loss is None else list(loss.lines),
        }


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a match, of several matches between the same bots, or of the parts of a match on several nodes."""

    order: MatchOrder
    reports: Sequence[MatchReport]
    diagnostics: RunDiagnostics
    node_count: int = 1
    play: RecordedPlay = field(default_factory=RecordedPlay)
    """How the bots played; empty if the match was stopped, or if its server keeps the records elsewhere."""
    limit: FaultLimit = field(default_factory=FaultLimit)
    match_count: int = 1
    """How many matches there should be; the parts of a match count as matches."""

    @property
    def standings(self) -> list[EntrantTotals]:
        """Best first."""
        return rank_entrants(self.order.entrants, self.reports)

    @property
    def termination(self) -> str:
        """If some parts did not end as planned, the first such part decides."""
        if len(self.reports) < self.match_count:
            return "interrupted"
        endings = [report.termination for report in self.reports]
        return next((each for each in endings if each not in _PLANNED_TERMINATIONS), min(endings))

    @property
    def is_complete(self) -> bool:
        """A forfeit also counts as planned."""
        return self.termination in _PLANNED_TERMINATIONS

    @property
    def has_too_many_faults(self) -> bool:
        return any(map(self.limit.is_exceeded, self.standings))

    @property
    def exit_code(self) -> ExitCode:
        if not self.is_complete or any(loss.is_host_fault for loss in self.diagnostics.losses):
            return ExitCode.UNSTEADY
        return ExitCode.BOT_FAILED if self.has_too_many_faults else ExitCode.YES

    def show(self, is_json: bool) -> None:
        present(self.as_dict, is_json, self.parts(stdout_console()))

    def parts(self, console: Console) -> Iterator[RenderableType]:
        """Yield what people read: tables, and lines that are not wrapped any more."""
        yield standings_table(self.standings, self.order.game)
        yield from self.play_tables()
        if not self.is_complete:
            yield f"The match did not end as planned: {self.termination}."
        for standing in self.standings:
            if standing.strike_count:
                first = self.play.first_faults.get(standing.name)
                yield from fault_lines(standing, first, self.limit, self.diagnostics.data, console.width)
                yield from (f"  {line}" for line in self.diagnostics.output_lines(standing.name))
        if text := length_text(self._lengths):
            yield wrap_line(f"turns: {text}", console)
        yield from replay_lines(self.reports, self.order.entrants, self.diagnostics.data)
        yield from self._lesson_lines()
        if not self.order.is_rated:
            yield "unrated: the result affects no rating"
        yield from (wrap_line(line, console) for line in self.diagnostics.remarks(()))

    def play_tables(self) -> Iterator[Table]:
        """Yield how the bots played, in the order of the standings; nothing if that is unknown."""
        table = play_table(self.play.plays, [*(standing.name for standing in self.standings), FIELD])
        if table is not None:
            yield table

    @property
    def _terms(self) -> Terms:
        return terms_from_order(self.order, games())

    @property
    def _lengths(self) -> GameLengths:
        return lengths_of(self.reports, turn_limit_of(self._terms))

    def _lesson_lines(self) -> Iterator[str]:
        """Yield the command that shows what cost a bot most: the lowest one that is not a sample, or else the last."""
        own = [each for each in self.standings if each.name.partition("#")[0] not in sample_names()]
        standing = own[-1] if own else self.standings[-1]
        name = standing.name
        if not self.play.plays or self.order.entrants.count(name) > 1 or self.limit.is_exceeded(standing):
            return  # a bot with many faults has those to look at first
        match_id, data = self.reports[-1].match_id, self.diagnostics.data
        command = lessons_command(self._terms, match_id, data, "--entrant", name)
        if command:
            yield f"what cost {name} most: {command}"

    def as_dict(self) -> dict[str, Any]:
        """Entrants are in the order of the command line."""
        order = self.order
        by_name = {standing.name: standing for standing in self.standings}
        return {
            **({"match_id": self.reports[0].match_id} if self.match_count == 1 else {}),
            "game": order.game,
            "preset": order.preset,
            "pace": order.pace.style.value,
            "rated": order.is_rated,
            "termination": self.termination,
            "entrants": [self._entrant_as_dict(by_name[name]) for name in order.entrants],
            "plays": plays_as_dict(self.play.plays),
            "games": [
                {"match_id": report.match_id, **to_plain(game)} for report in self.reports for game in report.games
            ],
            **lengths_as_dict(self._lengths),
            "nodes": self.node_count,
            "matches": [
                {"match_id": each.match_id, "termination": each.termination, "game_count": len(each.games)}
                for each in self.reports
            ],
            **self.diagnostics.as_dict(),
        }

    def _entrant_as_dict(self, standing: EntrantTotals) -> dict[str, Any]:
        first = self.play.first_faults.get(standing.name)
        return {
            **totals_as_dict(standing, self.order.game),
            "fault_share": standing.fault_share,
            "has_too_many_faults": self.limit.is_exceeded(standing),
            "first_fault": to_plain(first),
        }


def fault_lines(
    standing: EntrantTotals, first: FirstFault | None, limit: FaultLimit, data: Path, width: int
) -> Iterator[str]:
    """Yield what to tell the user about a bot with faults: how many, the first one, and how to read about it.

    Sentences are wrapped at `width` columns; the command is not.
    """
    yield from wrap(limit.verdict(standing), width, subsequent_indent="  ", break_on_hyphens=False)
    if first is not None:
        sentence, command = first.lines(standing.name, data)
        yield from wrap(sentence, width, subsequent_indent="  ", break_on_hyphens=False)
        yield command
    if standing.strikes["gone"]:
        text = "gone: it lost its seat, because it left or because too many moves in a row were automatic"
        yield from wrap(text, width, initial_indent="  ", subsequent_indent="  ")
