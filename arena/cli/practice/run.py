"""Plans a practice from its options, plays its phases one after the other, and shows the result."""

import os
import secrets
from collections.abc import Sequence
from itertools import cycle, islice

from arena.author.trouble.phases import PhaseResult, Practice, play_phase
from arena.author.trouble.trouble import DESCRIPTIONS, Trouble
from arena.bots.launch.programs import RemoteBot, find_bot
from arena.cli.console import print_json, print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.match.options import GamesOptions, MatchRequest, PaceOptions
from arena.cli.match.order import build_order, find_players
from arena.cli.match.recorded_play import read_recorded_play
from arena.cli.practice.options import PracticeRequest, PracticeSetup
from arena.cli.practice.report import PracticeReport
from arena.cli.ruleset_file import read_rules
from arena.cli.wrapped import print_wrapped_status
from arena.errors import BotStartError, OptionError
from arena.fleet.runner.match_bots import build_programs
from arena.fleet.telemetry import set_up_logging
from arena.games.catalogue import pack_of, resolve_game_and_preset
from arena.plurals import format_count
from arena.server.config.read_config import read_config
from arena.server.node.event_loop import NodeClock, StampingSelector

_SEED_BYTES = 4
"""The length of a seed that the command draws: short enough to be typed again."""


def plan_practice(bot: str, request: PracticeRequest, setup: PracticeSetup) -> Practice:
    """Return what to play. Raises OptionError, OptionsError, and whatever `find_players` raises."""
    table, pace = request.table, request.pace
    if isinstance(find_bot(bot), RemoteBot):
        raise OptionError("BOT", bot, "practice starts the bot many times, so it has to run on this machine")
    game, _ = resolve_game_and_preset(request.rules.game, read_rules(request.rules.preset).preset)
    opponents = table.against or pack_of(game).samples
    if table.against and len(table.against) >= table.seats:
        left_out = table.against[table.seats - 1]
        raise OptionError("against", left_out, f"with --seats {table.seats} there is no seat left for it")
    for opponent in opponents:
        if isinstance(find_bot(opponent), RemoteBot):
            raise OptionError("against", opponent, "a remote bot cannot be started again for each phase")
    players = find_players([bot, *islice(cycle(opponents), table.seats - 1)])
    games = GamesOptions(table.games, seed=table.seed or secrets.token_hex(_SEED_BYTES), unrated=True)
    limits = PaceOptions(turn_ms=pace.turn_ms, call_ms=pace.call_ms, reconnect_grace_ms=pace.reconnect_grace_ms)
    order = build_order(MatchRequest(games, request.rules, limits), players)
    return Practice(players, order, read_config(flags={"data": setup.data}).data)


class PracticeRun:
    """Plays the phases of a practice."""

    def __init__(self, practice: Practice, troubles: Sequence[Trouble], *, is_json: bool) -> None:
        self._practice = practice
        self._troubles = troubles
        self._is_json = is_json
        self._results: list[PhaseResult] = []

    async def play(self, clock: NodeClock, selector: StampingSelector) -> ExitCode:
        """Play all phases, show the result and return the exit code.

        Raises BotStartError if a bot does not start, after the finished phases have been shown.
        """
        practice = self._practice
        set_up_logging("info" if "ARENA_LOG_LEVEL" in os.environ else "critical")
        players = await build_programs(practice.data / "bots", practice.players, print_status)
        practice = Practice(players, practice.order, practice.data)
        for trouble in self._troubles:
            if not self._is_json:
                count = format_count(practice.order.game_count, "game")
                print_wrapped_status(f"{trouble}: {count}, and {DESCRIPTIONS[trouble]}")
            try:
                self._results.append(await play_phase(practice, trouble, clock, selector))
            except BotStartError:
                self.show_finished_phases()
                raise
        await self._show()
        return ExitCode.YES if all(result.is_passed for result in self._results) else ExitCode.NO

    def show_finished_phases(self) -> str:
        """Show the phases that are over. Return a text that says how many there are."""
        if self._results:
            self._print(PracticeReport(self._practice, self._results))
        return f"{len(self._results)} of {format_count(len(self._troubles), 'phase')} played"

    async def _show(self) -> None:
        practice = self._practice
        faults = {}
        for result in self._results:
            outputs = {name: [path] for name, path in result.outputs.items()}
            entrants, game = practice.order.entrants, practice.order.game
            play = await read_recorded_play(practice.data, entrants, game, [result.report], outputs)
            if (first := play.first_faults.get(practice.players[0].name)) is not None:
                faults[result.trouble] = first
        self._print(PracticeReport(practice, self._results, faults))

    def _print(self, report: PracticeReport) -> None:
        if self._is_json:
            print_json(report.as_dict())
        else:
            report.print()
