"""Opens the server that hosts a match, and reports on interrupted runs."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from arena.cli.match.demo_result import DemoResult
from arena.cli.match.replay_hint import replay_command
from arena.cli.match.result import MatchResult, RunDiagnostics
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.boxes import choose_boxes, listen_for_boxes
from arena.fleet.runner.host import TOKEN_VARIABLE, Host, connect_remote_host, open_local_host
from arena.fleet.runner.match_bots import MatchBots
from arena.fleet.telemetry import set_up_logging
from arena.match.referee.match_order import MatchReport
from arena.match.referee.ports import MatchId
from arena.plurals import format_count
from arena.replays.library.journals import JournalReader, journaled_matches, journals_by_start
from arena.server.config.read_config import read_config
from arena.server.config.server_config import DEFAULT_DATA_FOLDER, ServerConfig
from arena.server.node.event_loop import NodeClock, StampingSelector
from arena.server.rpc.listeners import split_address
from cheatarena.credentials import find_authority
from cheatarena.tls_settings import TlsSettings

NOTHING_KEPT_TEXT = "no game had begun, so nothing was saved"
_MAX_COMMANDS = 3
"""The most matches of an interrupted run for which each command is written out."""


@asynccontextmanager
async def open_host(
    server: str,
    data: Path | None,
    port: int | None,
    players: Sequence[BotEntrant],
    loop: tuple[NodeClock, StampingSelector],
) -> AsyncIterator[Host]:
    """Connect to `server`, or open a server in this process if `server` is empty.

    `players` are the bots that will be started. Raises IsolationError if one needs a box and no box holds here,
    OptionError if `server` is not HOST:PORT, and whatever `connect_remote_host` or `open_local_host` raises.
    """
    config = read_config(flags={"data": data, "port": port})
    set_up_logging(config.log_level if "ARENA_LOG_LEVEL" in os.environ else "error")
    if server:
        split_address("server", server)
        token, tls = os.environ.get(TOKEN_VARIABLE, ""), TlsSettings.from_environment()
        tls = replace(tls, ca=find_authority(server))
        async with connect_remote_host(server, token, data, DEFAULT_DATA_FOLDER, tls) as host:
            yield host
    else:
        boxes = await asyncio.to_thread(choose_boxes, players, config.boxes)
        with listen_for_boxes(ServerConfig(config.data, port=config.port, grace_s=0), boxes) as settings:
            async with open_local_host(settings, *loop) as host:
                yield host


def collect_diagnostics(host: Host, bots: MatchBots, names: Sequence[str]) -> RunDiagnostics:
    """Collect the diagnostics of a run. Call this while the bots still run, because ended bots count as lost."""
    outputs = {name: [output] if (output := bots.output_of(name)) else [] for name in names}
    return RunDiagnostics(host.data, outputs, bots.find_exits(), host.stalls_us)


def show_finished_games(result: MatchResult | DemoResult, is_json: bool) -> str:
    """Show the finished games of an interrupted run, if any.

    Return a text that says where to read them, or the game that was stopped if none is finished.
    """
    data = result.diagnostics.data
    finished = [report for report in result.reports if report.games]
    if finished:
        result.show(is_json)
        games = sum(len(report.games) for report in finished)
        return f"saved {format_count(games, 'finished game')}: {_replay_commands(finished, data)}"
    recorded = _matches_with_moves(data)
    stopped = [report for report in result.reports if report.match_id in recorded]
    if not stopped:
        return "no game was finished" if result.reports else NOTHING_KEPT_TEXT
    return f"the first game was not finished, but its moves are saved: {_replay_commands(stopped, data)}"


def _replay_commands(reports: Sequence[MatchReport], data: Path) -> str:
    if len(reports) > _MAX_COMMANDS:
        return f"{replay_command('ID', data)}, with the id of one of {format_count(len(reports), 'match')}"
    return "; ".join(replay_command(report.match_id, data) for report in reports)


def _matches_with_moves(data: Path) -> set[MatchId]:
    """Return the matches on the newest server of a data folder that have begun, not those that only offered seats."""
    newest = next(iter(journals_by_start(data)), [])
    return {match.match_id for path in newest for match in journaled_matches(JournalReader(path))}
