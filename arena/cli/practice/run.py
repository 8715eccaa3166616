"""Plans a practice, plays its phases one after the other, and shows what each of them cost."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import cycle, islice
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from arena.author.trouble.phases import PhaseResult, Practice, advise, play_phase
from arena.author.trouble.trouble import DESCRIPTIONS, Trouble, parse_kinds
from arena.bots.launch.programs import RemoteBot, find_bot
from arena.cli.command_settings import set_up_command
from arena.cli.console import print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.match.options import GamesOptions, MatchRequest, PaceOptions
from arena.cli.match.order import build_order, find_players
from arena.cli.match.recorded_play import FirstFault, read_recorded_play
from arena.cli.practice.options import PracticeOptions
from arena.cli.present import present
from arena.cli.result_console import print_wrapped_status, stdout_console, wrap_line
from arena.cli.ruleset_file import read_rules
from arena.cli.signals import run_until_stopped
from arena.errors import BotStartError, OptionError
from arena.fleet.assembly.node import run_node_loop
from arena.fleet.runner.match_bots import build_programs
from arena.games.catalogue import pack_of, resolve_game_and_preset
from arena.plurals import format_count
from arena.server.node.event_loop import NodeClock, StampingSelector

_SEED_BYTES: Final = 4
"""The length of a seed that the command draws: short enough to be typed again."""
_UNKNOWN: Final = "–"  # noqa: RUF001  an en dash is meant
_LEGEND: Final = (
    "times: how often the trouble came; faults: all, and in brackets those of its own; auto: automatic moves; place: "
    "the mean, 1 is best, and its change; p50, p99: ms within which 50 % and 99 % of the decisions came; back: "
    "reconnections; away: seconds without a connection; games: finished"
)


def play_practice(options: PracticeOptions) -> int:
    """Raises OptionError, OptionsError, UnknownNameError, whatever `find_players` raises, and Interrupted at a stop
    signal. Raises BotStartError if a bot does not start, after the finished phases have been shown.
    """
    kinds = parse_kinds(options.chaos) if options.chaos else ()
    run = _PracticeRun(_plan_practice(options), [Trouble.QUIET, *kinds], is_json=options.setup.json)
    return run_node_loop(lambda clock, selector: run_until_stopped(run.play(clock, selector), run.show_finished_phases))


def _plan_practice(options: PracticeOptions) -> Practice:
    if isinstance(find_bot(options.bot), RemoteBot):
        raise OptionError("BOT", options.bot, "practice starts the bot many times, so it has to run on this machine")
    game, _ = resolve_game_and_preset(options.rules.game, read_rules(options.rules.preset).preset)
    opponents = options.against or pack_of(game).samples
    if options.against and len(options.against) >= options.seats:
        left_out = options.against[options.seats - 1]
        raise OptionError("against", left_out, f"with --seats {options.seats} there is no seat left for it")
    for opponent in opponents:
        if isinstance(find_bot(opponent), RemoteBot):
            raise OptionError("against", opponent, "a remote bot cannot be started again for each phase")
    players = find_players([options.bot, *islice(cycle(opponents), options.seats - 1)])
    games = GamesOptions(options.games, seed=options.seed or secrets.token_hex(_SEED_BYTES), unrated=True)
    order = build_order(MatchRequest(games, options.rules, PaceOptions(**asdict(options.pace))), players)
    return Practice(players, order, set_up_command(options.setup.data, "critical").data)


@dataclass
class _PracticeRun:
    """The first phase is the quiet one."""

    practice: Practice
    troubles: Sequence[Trouble]
    is_json: bool
    results: list[PhaseResult] = field(default_factory=list)
    first_faults: dict[Trouble, FirstFault] = field(default_factory=dict)
    """The first fault of the bot in each phase that has one."""

    async def play(self, clock: NodeClock, selector: StampingSelector) -> ExitCode:
        practice = self.practice
        players = await build_programs(practice.data / "bots", practice.players, print_status)
        practice = self.practice = replace(practice, players=players)
        for trouble in self.troubles:
            if not self.is_json:
                count = format_count(practice.order.game_count, "game")
                print_wrapped_status(f"{trouble}: {count}, and {DESCRIPTIONS[trouble]}")
            try:
                self.results.append(await play_phase(practice, trouble, clock, selector))
            except BotStartError:
                self.show_finished_phases()
                raise
        for result in self.results:
            await self._read_first_fault(result)
        self._show()
        return ExitCode.YES if all(result.is_passed for result in self.results) else ExitCode.NO

    def show_finished_phases(self) -> str:
        """Show the phases that are over. Return a text that says how many there are."""
        if self.results:
            self._show()
        return f"{len(self.results)} of {format_count(len(self.troubles), 'phase')} played"

    async def _read_first_fault(self, result: PhaseResult) -> None:
        outputs = {name: [path] for name, path in result.outputs.items()}
        entrants, game = self.practice.order.entrants, self.practice.order.game
        play = await read_recorded_play(self.practice.data, entrants, game, [result.report], outputs)
        if (first := play.first_faults.get(self.practice.players[0].name)) is not None:
            self.first_faults[result.trouble] = first

    def _show(self) -> None:
        order = self.practice.order
        values = {
            "bot": self.practice.players[0].name,
            "entrants": list(order.entrants),
            "game": order.game,
            "preset": order.preset,
            "seed": f"{int.from_bytes(order.seed, 'big'):x}",
            "games": order.game_count,
            "phases": [self._phase_values(result) for result in self.results],
            "data": str(self.practice.data),
        }
        present(values, self.is_json, self._lines(values))

    def _phase_values(self, result: PhaseResult) -> dict[str, Any]:
        cost, quiet = result.cost, self.results[0].cost
        place, before = cost.mean_place, quiet.mean_place
        return {
            "trouble": result.trouble.value,
            "counts": dict(result.counts),
            "match_id": result.report.match_id,
            "is_passed": result.is_passed,
            "strikes": cost.strike_count,
            "own_strikes": cost.own_strike_count,
            "automatic_moves": cost.automatic_move_count,
            "places": list(cost.places),
            "mean_place": place,
            "mean_place_change": None if place is None or before is None else place - before,
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

    def _lines(self, values: Mapping[str, Any]) -> Iterator[object]:
        name, data, console = values["bot"], self.practice.data, stdout_console()
        yield _phase_table(values)
        for phase in values["phases"]:
            happened = ", ".join(f"{what}: {count}" for what, count in phase["counts"].items())
            what = f"{phase['trouble']} ({happened})" if happened else phase["trouble"]
            yield wrap_line(f"{what}: {phase['advice']}", console)
            first = self.first_faults.get(phase["trouble"])
            if first is not None:
                sentence, command = first.lines(name, data)
                yield wrap_line(sentence, console)
                yield command
        passed = sum(phase["is_passed"] for phase in values["phases"])
        verdict = f"{name} has no faults of its own in {passed} of {format_count(len(values['phases']), 'phase')}"
        yield f"{verdict}; --seed {values['seed']} repeats this practice"
        yield f"output of the bots: {data / 'bots'}"


def _place_text(phase: Mapping[str, Any]) -> str:
    """Return the mean place, and its change if there was trouble."""
    change = None if phase["trouble"] == Trouble.QUIET else phase["mean_place_change"]
    return _format(phase["mean_place"], ".2f") + ("" if change is None else f" {change:+.2f}")


def _format(value: float | None, form: str, factor: float = 1) -> str:
    return _UNKNOWN if value is None else format(value * factor, form)


_COLUMNS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "times": lambda phase: "" if phase["trouble"] == Trouble.QUIET else str(sum(phase["counts"].values())),
    "faults": lambda phase: f"{phase['strikes']} ({phase['own_strikes']})" if phase["strikes"] else "0",
    "auto": lambda phase: str(phase["automatic_moves"]),
    "place": _place_text,
    "p50": lambda phase: _format(phase["decision_p50_s"], ".1f", 1000),
    "p99": lambda phase: _format(phase["decision_p99_s"], ".1f", 1000),
    "back": lambda phase: str(phase["reconnections"]),
    "away": lambda phase: f"{phase['away_s']:.1f}",
}
"""The columns of the table: how each writes the values of a phase."""


def _phase_table(values: Mapping[str, Any]) -> Table:
    table = Table(caption=_LEGEND, caption_justify="left", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("phase", no_wrap=True)
    for heading in (*_COLUMNS, "games"):
        table.add_column(heading, justify="right", no_wrap=True)
    for phase in values["phases"]:
        cells = [write(phase) for write in _COLUMNS.values()]
        table.add_row(phase["trouble"], *cells, f"{phase['games_finished']}/{values['games']}")
    return table
