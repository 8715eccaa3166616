"""Opens a league for the command line, plays it on all cores and shows its progress."""

import asyncio
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.program_sets import describe_rights
from arena.cli.bot_argument import submitted_finder
from arena.cli.console import discard_status, print_status
from arena.cli.league.options import PlayOptions, league_words
from arena.cli.league.progress import resume_text, show_progress
from arena.cli.league.seal import measure_rate
from arena.cli.league.status import show_status
from arena.cli.listening import ListeningFlags
from arena.errors import OptionError, RequestError, StoreLockedError
from arena.fleet.cluster.cluster_fleet import check_for_cluster, open_fleet
from arena.fleet.runner.boxes import choose_boxes
from arena.fleet.runner.fleet import Fleet
from arena.fleet.runner.match_bots import build_programs
from arena.fleet.runner.runner import Runner, open_runner
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_format import needs_trial
from arena.organizer.file.league_reader import read_league_file_lenient
from arena.organizer.plan.league_plan import node_count
from arena.organizer.play.league_play import build_dispatcher, reveal_left_deals
from arena.organizer.play.remote_access import AccessPeriod, give_access
from arena.organizer.seal.league_files import hold_league, port_path, read_port, write_port
from arena.organizer.seal.open_league import OpenLeague, open_league, open_league_to_play
from arena.organizer.seal.randomness import new_randomness
from arena.organizer.seal.seal import check_data_folder, seal_league
from arena.organizer.view.league_text import planned_owner_sentences, taken_sentences
from arena.plurals import format_count, format_subject
from arena.server.config.server_config import ServerConfig
from arena.server.rpc.local_authority import find_local_authority
from arena.server.rpc.server import is_port_taken
from arena.server.store.data_folder import (
    acquire_folder_lock,
    address_of_holder,
    is_folder_locked,
    require_store,
    wait_for_old_nodes,
)
from arena.server.store.open_store import Store, open_store
from arena.typed_command import arena_command
from cheatarena.addresses import UNIX_PREFIX, is_loopback, split_address

LOOPBACK: Final = "127.0.0.1"


@dataclass
class LeagueRun:
    options: PlayOptions
    config: ServerConfig
    is_new: bool
    """Whether a league that is not sealed yet gets its seal. Otherwise it is refused."""
    finishes_rounds: bool = False
    """Whether no round begins that has not begun in an earlier run."""
    league: OpenLeague | None = None
    processes: int = field(default=0, init=False)
    """The largest number of bot processes, once the fleet is open."""

    async def play(self) -> None:
        options, config = self.options, self.config
        file = read_league_file_lenient(options.file, submitted_finder(config.data))
        report = discard_status if options.json else print_status
        check_data_folder(file.programs, config.data)
        if not self.is_new:
            require_store(config.data)
        server = await self._choose_server(file)
        is_boxed = bool(file.absent)  # the seal may have pinned a version of a submitted bot that the file lacks
        check_for_cluster(options.cluster, file.bots.values(), are_more_boxed=is_boxed)
        boxes = await asyncio.to_thread(choose_boxes, file.bots.values(), config.boxes, are_more_boxed=is_boxed)
        _point_to_server(config.data)
        async with open_fleet(options.cluster) as fleet:
            self.processes = options.max_bot_processes or fleet.room.max_processes
            count = node_count(file, fleet.room.cores, self.processes, options.nodes)
            rate = await self._measure_rate(file, fleet)  # before the nodes, which take the cores of a cluster
            async with open_runner(config.data, count, config.log_level, server, boxes, fleet, report) as runner:
                if fleet.is_away:
                    report(f"{runner.describe_nodes()} of the cluster")
                self.league = league = await self._open_or_seal(file, runner.store, rate)
                with hold_league(runner.store.folder, league.row.league_id):
                    for sentence in taken_sentences(file):
                        report(sentence)
                    await self._play_with(runner, league, server, boxes)
        if league.is_over:
            await _end_tokens(league, config.data)
        elif self.finishes_rounds:
            report(f"the rounds that have begun are finished; to continue: {self._resume_command()}")
        show_status(league, options.json)

    async def _play_with(
        self, runner: Runner, league: OpenLeague, server: ServerConfig, boxes: BoxSettings | None
    ) -> None:
        """Play what is left of a league."""
        options, report = self.options, discard_status if self.options.json else print_status
        report(league.seal)
        await reveal_left_deals(league, runner)
        report(describe_rights(bot.program for bot in league.active_bots))
        for sentence in planned_owner_sentences(league.format, league.schedule.field):
            report(sentence)
        if league.is_over:
            results = arena_command("league", "report")
            report(f"this league has ended, with no games left to play: `{results}` shows the results")
        elif not league.is_closed:
            if league.ledger.rows:
                report(resume_text(league))
            built = await build_programs(self.config.data / "bots", league.active_bots, print_status, boxes)
            self.league = league = league.with_bots(built)
            await self._show_access(league, runner, server)
            if self.finishes_rounds:
                league.schedule.stop_after_started_rounds()
            dispatcher = build_dispatcher(league, runner, self.processes)

            def describe_cluster() -> str:
                bots = sum(node.bot_count for node in dispatcher.nodes if node.is_up)
                return f"; {format_count(bots, 'bot')} at {runner.describe_nodes()}" if options.cluster else ""

            async with show_progress(league, dispatcher, describe_cluster, options.json):
                await dispatcher.play()

    def interruption_message(self) -> str:
        """What was saved, and how to continue."""
        if self.league is None:
            return "nothing had started"
        done = self.league.ledger.game_count
        return f"{format_subject(done, 'game')} finished and saved; to continue: {self._resume_command()}"

    def _resume_command(self) -> str:
        options = self.options
        port = ["--port", str(options.port)] if options.port else []
        cluster = ["--cluster", options.cluster] if options.cluster else []
        words = (*league_words(options.file, options.data), *port, *cluster, *options.listening.words())
        return arena_command("league", "resume", *words)

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

    async def _choose_server(self, file: LeagueFile) -> ServerConfig:
        """Without an option, the league listens at the port that its bots dialled before."""
        port, config, flags = self.options.port, self.config, self.options.listening
        if not file.has_remote:
            return league_server(file, config, flags, port)
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
        return league_server(file, config, flags, port)

    async def _measure_rate(self, file: LeagueFile, fleet: Fleet) -> float | None:
        """Return the games a second in a trial; None if the league is sealed, or if its length does not need them."""
        if not self.is_new or not needs_trial(file):
            return None
        with acquire_folder_lock(self.config.data) as lock:  # so that no trial is played in vain
            async with await open_store(self.config.data, lock) as store:
                if await store.leagues.league(file.name) is not None:
                    return None
        complete = file.require_complete()
        return await measure_rate(complete, fleet, self.processes, self.config.boxes, is_quiet=self.options.json)

    async def _open_or_seal(self, file: LeagueFile, store: Store, rate: float | None) -> OpenLeague:
        """`rate` is that of `_measure_rate`."""
        if await store.leagues.league(file.name) is None:
            if not self.is_new:
                start = arena_command("league", "run")
                raise RequestError(
                    f"there is no league {file.name!r} in {store.folder.resolve()}: start it with `{start}`"
                )
            await seal_league(file.require_complete(), store, new_randomness(), rate)
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


def _point_to_server(data: Path) -> None:
    """Raise StoreLockedError if a server uses the data folder: it can play the league itself."""
    if (address := address_of_holder(data)[0]) and not address.startswith(UNIX_PREFIX):
        raise StoreLockedError(
            f"the server at {address} uses {data}: let it play the league with --server {address}, or choose another"
            " folder with --data"
        )


async def _end_tokens(league: OpenLeague, data: Path) -> None:
    """Revoke the tokens that were made for the remote bots of a league that is over."""
    if not league.file.has_remote:
        return
    async with await open_store(data) as store:
        await store.tokens.end_league(league.row.league_id)


def authority_to_send(server: ServerConfig, address: str) -> Path | None:
    """Return the file with the local authority that bots need to dial `address`; None if they need none."""
    is_secured = server.tls_on_loopback or not is_loopback(address)
    return find_local_authority(server.tls_cert) if server.tls_cert is not None and is_secured else None


def league_server(file: LeagueFile, config: ServerConfig, flags: ListeningFlags, port: int) -> ServerConfig:
    """Return the settings of the node to which a league's bots connect. `config` is read from `flags` and environment.

    Without `--listen` the node listens on loopback, at `port`. Bots that the arena starts speak plaintext on loopback.
    So if there are also remote bots, the last listener is only for the bots that the arena starts. Raises OptionError
    for options that do not suit the league's bots.
    """
    plain = ServerConfig(config.data, port=port)
    if not file.has_remote:
        for name in (name for name, value in asdict(flags).items() if value is not None):
            raise OptionError(name, "given", "no bot of this league dials in: it has none as `remote:NAME`")
        return plain
    if file.dates and not port and not config.listen:
        raise OptionError(
            "port", port, "bots of a league with dates need an address that stays: name a port, or --listen"
        )
    server = replace(plain, **{name: getattr(config, name) for name in asdict(flags)})
    if all(bot.is_remote for bot in file.bots.values()):
        return server
    for name in ("tls_on_loopback", "plaintext_behind_proxy"):
        if value := getattr(server, name):
            raise OptionError(name, value, "the arena starts bots of this league, which speak plaintext on loopback")
    return replace(server, listen=(*config.listen, f"{LOOPBACK}:0")) if config.listen else server
