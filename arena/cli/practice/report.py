"""Shows what each phase of a practice cost: a table and a sentence for people, plain values for machines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from arena.author.trouble.advice import advise
from arena.author.trouble.phases import PhaseResult, Practice
from arena.author.trouble.trouble import Trouble
from arena.cli.match.recorded_play import FirstFault
from arena.cli.match.replay_hint import replay_command
from arena.cli.result_console import stdout_console
from arena.cli.wrapped import wrap_line
from arena.plurals import format_count

_LEGEND: Final = (
    "times: how often the trouble came; faults: all, and in brackets those of its own; auto: automatic moves; place: "
    "the mean, 1 is best, and its change; p50, p99: ms within which 50 % and 99 % of the decisions came; back: "
    "reconnections; away: seconds without a connection; games: finished"
)
_UNKNOWN: Final = "–"  # noqa: RUF001  an en dash is meant


@dataclass(frozen=True, slots=True)
class PracticeReport:
    """The result of a practice. The first phase is the quiet one."""

    practice: Practice
    results: Sequence[PhaseResult]
    first_faults: Mapping[Trouble, FirstFault] = field(default_factory=dict)
    """The first fault of the bot in each phase that has one."""

    @property
    def _name(self) -> str:
        return self.practice.players[0].name

    @property
    def _seed(self) -> str:
        return f"{int.from_bytes(self.practice.order.seed, 'big'):x}"

    def print(self) -> None:
        """Write the table, and below it a sentence for each phase."""
        console = stdout_console()
        console.print(self._table())
        for line in self._lines(console):
            console.print(line, soft_wrap=True)

    def _table(self) -> Table:
        table = Table(caption=_LEGEND, caption_justify="left", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        table.add_column("phase", no_wrap=True)
        for heading in ("times", "faults", "auto", "place", "p50", "p99", "back", "away", "games"):
            table.add_column(heading, justify="right", no_wrap=True)
        for result in self.results:
            table.add_row(*self._cells(result))
        return table

    def _cells(self, result: PhaseResult) -> Iterator[str]:
        cost, quiet = result.cost, self.results[0].cost
        count = self.practice.order.game_count
        yield result.trouble
        yield str(sum(result.counts.values())) if result.trouble is not Trouble.QUIET else ""
        yield f"{cost.strike_count} ({cost.own_strike_count})" if cost.strike_count else "0"
        yield str(cost.automatic_move_count)
        change = None if cost is quiet else _difference(cost.mean_place, quiet.mean_place)
        yield _format(cost.mean_place, ".2f") + ("" if change is None else f" {change:+.2f}")
        for share in (0.5, 0.99):
            yield _format(cost.decision_quantile_s(share), ".1f", 1000)
        yield str(cost.return_count)
        yield f"{cost.away_s:.1f}"
        yield f"{count - cost.unplayed_count}/{count}"

    def _lines(self, console: Console) -> Iterator[str]:
        quiet, order = self.results[0].cost, self.practice.order
        for result in self.results:
            happened = ", ".join(f"{what}: {count}" for what, count in result.counts.items())
            phase = f"{result.trouble} ({happened})" if happened else result.trouble
            yield wrap_line(f"{phase}: {advise(result, quiet, order.pace)}", console)
            first = self.first_faults.get(result.trouble)
            if first is not None:
                yield wrap_line(f"  the first, in game {first.game} at turn {first.turn}: it {first.text}", console)
                words = ("--entrant", self._name, "--game", first.game)
                yield f"  to read it: {replay_command(first.match_id, self.practice.data, *words)}"
        passed = sum(result.is_passed for result in self.results)
        verdict = f"{self._name} has no faults of its own in {passed} of {format_count(len(self.results), 'phase')}"
        yield f"{verdict}; --seed {self._seed} repeats this practice"
        yield f"output of the bots: {self.practice.data / 'bots'}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        order = self.practice.order
        return {
            "bot": self._name,
            "entrants": list(order.entrants),
            "game": order.game,
            "preset": order.preset,
            "seed": self._seed,
            "games": order.game_count,
            "phases": [self._phase_as_dict(result) for result in self.results],
            "data": str(self.practice.data),
        }

    def _phase_as_dict(self, result: PhaseResult) -> dict[str, Any]:
        cost, quiet = result.cost, self.results[0].cost
        return {
            "trouble": result.trouble.value,
            "counts": dict(result.counts),
            "match_id": result.report.match_id,
            "is_passed": result.is_passed,
            "strikes": cost.strike_count,
            "own_strikes": cost.own_strike_count,
            "automatic_moves": cost.automatic_move_count,
            "places": list(cost.places),
            "mean_place": cost.mean_place,
            "mean_place_change": _difference(cost.mean_place, quiet.mean_place),
            "decision_p50_s": cost.decision_quantile_s(0.5),
            "decision_p99_s": cost.decision_quantile_s(0.99),
            "connections_lost": cost.lost_count,
            "reconnections": cost.return_count,
            "away_s": cost.away_s,
            "longest_away_s": cost.longest_away_s,
            "games_finished": len(cost.places),
            "is_gone": cost.is_gone,
            "ended": result.end or None,
            "advice": advise(result, quiet, self.practice.order.pace),
            "outputs": {name: str(path) for name, path in result.outputs.items()},
        }


def _difference(place: float | None, before: float | None) -> float | None:
    return None if place is None or before is None else place - before


def _format(value: float | None, form: str, factor: float = 1) -> str:
    return _UNKNOWN if value is None else format(value * factor, form)
