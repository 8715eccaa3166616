"""Opens a league for the command line, plays it on all cores and shows its progress."""

import asyncio
import os
import time
from dataclasses import asdict
from pathlib import Path

from arena.bots.launch.sandbox_note import describe_rights
from arena.cli.bot_argument import submitted_finder
from arena.cli.console import discard_status, print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.league.address import LOOPBACK, authority_to_send, league_server
from arena.cli.league.progress import show_progress
from arena.cli.league.resources import Resources, max_processes_for_memory
from arena.cli.league.seal import measure_rate
from arena.cli.league.status import resume_text, show_status
from arena.cli.listening import ListeningFlags
from arena.errors import RequestError
from arena.fleet.runner.boxes import choose_boxes
from arena.fleet.runner.match_bots import build_programs
from arena.fleet.runner.runner import Runner, count_usable_cores, open_runner
from arena.fleet.telemetry import set_up_logging
from arena.organizer.file.league_file import LeagueFile, read_league_file_lenient
from arena.organizer.plan.league_plan import node_count
from arena.organizer.play.open_league import (
    OpenLeague,
    build_dispatcher,
    check_data_folder,
    new_randomness,
    open_league,
    open_league_to_play,
    reveal_left_deals,
    seal_league,
)
from arena.organizer.play.remote_access import AccessPeriod, give_access, port_path, read_port, write_port
from arena.organizer.view.owners_text import planned_owner_sentences
from arena.plurals import format_subject
from arena.server.config.read_config import read_config
from arena.server.config.server_config import ServerConfig
from arena.server.rpc.server import is_port_taken
from arena.server.store.data_folder import is_folder_locked, wait_for_old_nodes
from arena.server.store.open_store import Store, open_store, require_store
from arena.typed_command import arena_command
from cheatarena.addresses import split_address


class LeagueRun:
    """One run of a league."""

    def __init__(
        self,
        path: Path,
        data: Path | None,
        resources: Resources,
        listening: ListeningFlags,
        is_json: bool,
        *,
        is_new: bool,
        finishes_rounds: bool = False,
    ) -> None:
        """If `is_new`, a league that is not sealed yet gets its seal. Otherwise such a league is refused.

        If `finishes_rounds`, no round begins that has not begun in an earlier run.
        """
        self._path = path
        self._data = data
        self._resources = resources
        self._listening = listening
        self._processes = resources.max_bot_processes or max_processes_for_memory()
        self._is_json = is_json
        self._is_new = is_new
        self._finishes_rounds = finishes_rounds
        self._league: OpenLeague | None = None

    async def play(self) -> ExitCode:
        """Play the missing games, show the standings and return the exit code."""
        file, config = (
            read_league_file_lenient(self._path, submitted_finder(self._data)),
            read_config(flags={"data": self._data, **asdict(self._listening)}),
        )
        level = config.log_level if "ARENA_LOG_LEVEL" in os.environ else "error"
        set_up_logging(level)
        count = node_count(file, count_usable_cores(), self._processes, self._resources.nodes)
        report = discard_status if self._is_json else print_status
        check_data_folder(file.programs, config.data)
        if not self._is_new:
            require_store(config.data)
        server = await self._choose_server(file, config)
        is_boxed = bool(file.absent)  # the seal may have pinned a version of a submitted bot that the file lacks
        boxes = await asyncio.to_thread(choose_boxes, file.bots.values(), config.boxes, are_more_boxed=is_boxed)
        async with open_runner(config.data, count, level, server, boxes) as runner:
            self._league = league = await self._open_or_seal(file, runner.store)
            report(league.seal)
            await reveal_left_deals(league, runner.store, runner.signer)
            report(describe_rights(bot.program for bot in league.active_bots))
            for sentence in planned_owner_sentences(league.format, league.schedule.field):
                report(sentence)
            if league.is_over:
                results = arena_command("league", "report")
                report(f"this league has ended, with no games left to play: `{results}` shows the results")
            elif not league.is_closed:
                if league.ledger.rows:
                    report(resume_text(league))
                built = await build_programs(config.data / "bots", league.active_bots, print_status, boxes)
                self._league = league = league.with_bots(built)
                await self._show_access(league, runner, server)
                if self._finishes_rounds:
                    league.schedule.stop_after_started_rounds()
                dispatcher = build_dispatcher(league, runner, self._processes)
                async with show_progress(league, dispatcher, self._is_json):
                    await dispatcher.play()
        if league.is_over:
            await _end_tokens(league, config.data)
        elif self._finishes_rounds:
            report(f"the rounds that have begun are finished; to continue: {self._resume_command()}")
        show_status(league, self._is_json)
        return ExitCode.YES

    def interruption_message(self) -> str:
        """Return the text for an interruption: what was saved, and how to continue."""
        if self._league is None:
            return "nothing had started"
        done = self._league.ledger.game_count
        return f"{format_subject(done, 'game')} finished and saved; to continue: {self._resume_command()}"

    def _resume_command(self) -> str:
        where = ["--data", str(self._data)] if self._data else []
        port = ["--port", str(self._resources.port)] if self._resources.port else []
        return arena_command("league", "resume", self._path, *where, *port, *self._listening.words())

    async def _show_access(self, league: OpenLeague, runner: Runner, server: ServerConfig) -> None:
        """Show what each remote bot needs to connect, and keep the port for the next run."""
        names = [bot.name for bot in league.active_bots if bot.is_remote]
        if not names:
            return
        address, league_id = runner.nodes[0].address, league.row.league_id
        if not server.listen:
            write_port(port_path(runner.store.folder, league_id), split_address(address)[1])
        period = AccessPeriod(league_id, time.time(), max((date.closes for date in league.dates), default=None))
        for access in await give_access(runner.store, period, names, address, authority_to_send(server, address)):
            for line in access.lines():
                print_status(line)

    async def _choose_server(self, file: LeagueFile, config: ServerConfig) -> ServerConfig:
        """Return where the league listens. Without an option, this is the port that its bots dialled before."""
        port = self._resources.port
        if not file.has_remote:
            return league_server(file, config, self._listening, port)
        is_over, known = await _recall(file, config.data)
        if is_over:  # no bot connects, so no address is needed
            return ServerConfig(config.data)
        if known and not port and not config.listen:
            if not is_port_taken(LOOPBACK, known):
                port = known
            elif not file.dates:
                print_status(
                    f"port {known}, which the bots of this league dialled, is taken: their address has changed"
                )
        return league_server(file, config, self._listening, port)

    async def _open_or_seal(self, file: LeagueFile, store: Store) -> OpenLeague:
        if await store.leagues.league(file.name) is None:
            if not self._is_new:
                start = arena_command("league", "run")
                raise RequestError(
                    f"there is no league {file.name!r} in {store.folder.resolve()}: start it with `{start}`"
                )
            rate = await measure_rate(file.require_complete(), self._processes, self._is_json)
            await seal_league(file, store, new_randomness(), rate)
        return await open_league_to_play(file, store)


async def _recall(file: LeagueFile, data: Path) -> tuple[bool, int]:
    """Return whether a league has nothing left to play, and the port that its remote bots dialled; 0 if unknown.

    A killed league may have left nodes that still hold the port. They end by themselves, and this waits for their end.
    """
    async with await open_store(data) as store:
        if await store.leagues.league(file.name) is None:
            return False, 0
        league = await open_league(file, store)
    if not is_folder_locked(data):
        await asyncio.to_thread(wait_for_old_nodes, data)
    return league.is_over, read_port(port_path(data, league.row.league_id))


async def _end_tokens(league: OpenLeague, data: Path) -> None:
    """Revoke the tokens that were made for the remote bots of a league that is over."""
    if not league.file.has_remote:
        return
    async with await open_store(data) as store:
        await store.tokens.end_league(league.row.league_id)
