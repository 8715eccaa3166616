"""Opens a league for the command line, plays it on all cores and shows its progress."""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from arena.app import open_stores
from arena.cli.console import discard_status, print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.league.address import LOOPBACK, authority_to_send, league_server
from arena.cli.league.progress import show_progress
from arena.cli.league.resources import Resources, max_processes_for_memory
from arena.cli.league.status import resume_text, show_status
from arena.cli.listening import ListeningFlags
from arena.config.read_config import read_config
from arena.config.server_config import ServerConfig
from arena.errors import OptionError, RequestError
from arena.hosting.file.format_choice import needs_trial
from arena.hosting.file.league_dates import parse_moment
from arena.hosting.file.league_file import LeagueFile, read_league_file, read_league_file_lenient
from arena.hosting.plan.league_plan import estimate_games_per_s, node_count
from arena.hosting.plan.run_trial import run_trial
from arena.hosting.play.awaited_file import awaited_path, read_awaited
from arena.hosting.play.open_league import (
    OpenLeague,
    build_dispatcher,
    check_data_folder,
    mix_in_entropy,
    new_randomness,
    open_league,
    open_league_to_play,
    reveal_left_deals,
    seal_league,
)
from arena.hosting.play.remote_access import Season, give_access, port_path, read_port, write_port
from arena.hosting.seal.amendments import ADDED, REPLACED, LeagueAmender
from arena.hosting.seal.seal import seal_line
from arena.hosting.view.owners_text import planned_owner_sentences
from arena.launch.sandbox_note import SANDBOX_START_NOTE
from arena.league.ports import VOID, LedgerEntry
from arena.plurals import format_count, format_subject
from arena.rpc.server import is_port_taken
from arena.runner.match_bots import build_programs
from arena.runner.runner import Runner, count_usable_cores, open_runner
from arena.store.folder_lock import is_folder_locked, wait_for_old_nodes
from arena.store.open_store import Store, open_store, require_store
from arena.telemetry import set_up_logging
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
            read_league_file_lenient(self._path),
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
        async with open_runner(config.data, count, level, server) as runner:
            self._league = league = await self._open_or_seal(file, runner.store)
            report(league.seal)
            await reveal_left_deals(league, runner.store, runner.signer)
            report(SANDBOX_START_NOTE)
            for sentence in planned_owner_sentences(league.format, league.schedule.field):
                report(sentence)
            if league.is_over:
                results = arena_command("league", "report")
                report(f"this league has ended, with no games left to play: `{results}` shows the results")
            elif not league.is_closed:
                if league.ledger.rows:
                    report(resume_text(league))
                await build_programs(config.data / "bots", league.active_bots, print_status)
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
        season = Season(league_id, time.time(), max((date.closes for date in league.dates), default=None))
        for access in await give_access(runner.store, season, names, address, authority_to_send(server, address)):
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
            rate = await _measure_rate(file.require_complete(), self._processes, self._is_json)
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
    """Revoke the tokens that were made for the remote bots of a season that is over."""
    if not league.file.has_remote:
        return
    async with await open_store(data) as store:
        await store.tokens.end_league(league.row.league_id)


async def ensure_sealed(path: Path, data: Path | None, entropy: str | None) -> Mapping[str, Any]:
    """Seal a league if it is not sealed yet, and mix in public entropy if given. Return the seal line and its parts.

    Raises StoreLockedError while the league is being played.
    """
    file = read_league_file(path)
    set_up_logging("error")
    folder = read_config(flags={"data": data}).data
    check_data_folder(file.programs, folder)
    async with open_stores(folder) as opened:
        store = opened.store
        if await store.leagues.league(file.name) is None:
            if entropy is not None:
                raise OptionError("entropy", entropy, "seal the league and post its line first, then add this option")
            await seal_league(
                file, store, new_randomness(), await _measure_rate(file, max_processes_for_memory(), False)
            )
        league = await open_league_to_play(file, store)
        if entropy is not None:
            await mix_in_entropy(league, entropy)
        values = {"seal": seal_line(league.row.sealed), "sealed": league.row.sealed, "games": league.planned_games}
        return {**values, "entropy": entropy or league.randomness.public_entropy}


def seal_text(values: Mapping[str, Any]) -> str:
    """Describe in words what was sealed. `values` is the result of `ensure_sealed`."""
    settings = {name: value for name, value in values["sealed"]["format"].items() if name != "name"}
    settings_text = ", ".join(f"{name} {value}" for name, value in settings.items())
    form = f"{values['sealed']['format']['name']}{f' ({settings_text})' if settings_text else ''}"
    games = "no fixed number of games" if values["games"] is None else format_count(values["games"], "game")
    promised = values["sealed"]["public_entropy"]
    mixed = f"; public entropy will be mixed in: {promised}" if promised else ""
    mixed = f"; public entropy is mixed in: {values['entropy']}" if values["entropy"] else mixed
    return f"sealed: {form}, tables of {values['sealed']['seats']}, {games}{mixed}"


def posting_text(values: Mapping[str, Any]) -> str:
    """Return what to do next. `values` is the result of `ensure_sealed`.

    If public entropy was mixed in, the line must already have been posted.
    """
    then = f"`{arena_command('league', 'run')}` plays the league; the report repeats this line and checks it."
    return then if values["entropy"] else f"Post this line before the first game. {then}"


async def _measure_rate(file: LeagueFile, processes: int, is_quiet: bool) -> float | None:
    """Measure games per second in a trial if the league's length depends on them. Otherwise return None."""
    if not needs_trial(file):
        return None
    if not is_quiet:
        print_status("a trial of up to a minute measures how many games fit into the budget")
    return estimate_games_per_s(
        await run_trial(file, count_usable_cores(), processes, show=print_status),
        file,
        count_usable_cores(),
        processes,
    )


async def amend_league(
    path: Path, data: Path | None, kind: str, what: str, reason: str, until: str | None
) -> LedgerEntry:
    """Amend a league. If a round is extended, `until` is its new close, in ISO 8601 with an offset.

    Raises StoreLockedError while the league runs, and RequestError if the amendment is not allowed.
    """
    close = None if until is None else parse_moment("until", until)
    file, folder = read_league_file_lenient(path), read_config(flags={"data": data}).data
    set_up_logging("error")
    require_store(folder)
    changes_bots = kind in (ADDED, REPLACED)
    if changes_bots:
        check_data_folder(file.programs, folder)
    async with open_stores(folder) as opened:
        store = opened.store
        league = await (open_league_to_play(file, store, what) if changes_bots else open_league(file, store))
        amender = LeagueAmender(file, league.format, league.schedule.field, league.ledger, league.dates)
        return await amender.amend(kind, what, reason, close)


def amendment_text(act: LedgerEntry, what: str, league: Sequence[str]) -> str:
    """Describe an amendment and its consequences. `league` has the arguments for a suggested command."""
    line = f"{act.kind} {what}: line {act.number} of the ledger"
    if act.kind == REPLACED:
        return f"{line}; the new version plays from round {act.values['round']} on"
    if act.kind != VOID:
        return line
    games = format_count(len(act.values["games"]), "game")
    return f"{line}; its whole block is void ({games}): `{arena_command('league', 'resume', *league)}` plays it again"


async def open_for_reading(path: Path, data: Path | None) -> OpenLeague:
    """Open a league for reading. Raises RequestError if it was never sealed; then no folder is created."""
    set_up_logging("error")
    folder = read_config(flags={"data": data}).data
    require_store(folder)
    async with await open_store(folder) as store:
        return await open_league(read_league_file_lenient(path), store)


def read_awaited_bots(league: OpenLeague, data: Path | None) -> Mapping[str, int]:
    """Return how many tables wait for each absent bot; empty if the league does not run."""
    folder = read_config(flags={"data": data}).data
    return read_awaited(awaited_path(folder, league.row.league_id)) if is_folder_locked(folder) else {}
