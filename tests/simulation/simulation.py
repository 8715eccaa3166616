"""One run of the simulation: a seed chooses matches, bots and faults; everything else follows.

seed ──▶ World: bots, network, disk, faults ──▶ lives of a server, each ended by a kill or a stop ──▶ last checks
"""

import asyncio
import logging
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import structlog

from arena.errors import EnvironmentFaultError, JournalError
from arena.games.catalogue import games
from arena.match.referee.inputs import Answer, NoAnswer, match_number_of, read_record
from arena.match.referee.match_offer import is_offer
from arena.match.referee.match_order import RequestedTerms
from arena.match.referee.ports import MatchId
from arena.match.referee.terms import Seating
from arena.organizer.audit.deal_audit import compare_deal
from arena.organizer.audit.match_audit import compare_match
from arena.replays.proof.verification import find_chain_faults
from arena.server.store.journal_file import read_records
from tests.simulation.virtual_bot import TEMPERS, VirtualBot
from tests.simulation.virtual_disk import VirtualDisk
from tests.simulation.virtual_network import Connection
from tests.simulation.virtual_server import Order, VirtualServer
from tests.simulation.virtual_time import ServerKilled, VirtualLoop, World
from tests.simulation.witness import WatchedFeed, WatchedOutbox, WatchedReplay, Witness

FAULTS_UNTIL_US = 20_000_000
LONGEST_RUN_US = 900_000_000
"""A run that lasts longer in virtual time has hung."""
MEMORY_FOLDER = Path("/dev/shm")
"""A folder in memory, where there is one."""
_INTERNAL = ("failed", "could not be built", "cannot be read", "cannot be resumed", "cannot be revealed")
"""Words of log lines that tell of an internal error."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run has shown."""

    seed: int
    violations: tuple[str, ...]
    trace: tuple[str, ...]

    @property
    def digest(self) -> int:
        """A checksum of the trace."""
        return zlib.crc32("\n".join(self.trace).encode())


def run_seed(seed: int) -> RunResult:
    """Run the simulation of one seed."""
    folder = Path(tempfile.mkdtemp(prefix="arena-", dir=MEMORY_FOLDER if MEMORY_FOLDER.is_dir() else None))
    try:
        return Simulation(seed, folder).run()
    finally:
        shutil.rmtree(folder)


class Simulation:
    """The run of one seed."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.world = world = World(seed)
        self.disk = VirtualDisk(world, folder)
        self.witness = Witness(world, self.disk)
        self.syncs = world.random.random() < 0.4
        """Whether the journal survives power cuts; the server then ends by them."""
        self.server: VirtualServer | None = None
        self.connections: list[Connection] = []
        tempers = ["punctual" if world.random.random() < 0.6 else world.random.choice(TEMPERS) for _ in range(4)]
        self.bots = [
            VirtualBot(world, self, self.witness, f"bot{number}", temper) for number, temper in enumerate(tempers)
        ]
        self.orders = [Order(world, self._draw_terms(), world.random.randrange(400_000), key) for key in "ab"]
        world.note(f"tempers {tempers}, syncs {self.syncs}")

    def run(self) -> RunResult:
        """Run everything to its end."""
        world = self.world
        for bot in self.bots:
            world.schedule(world.random.randrange(1_000, 200_000), bot.dial)
        for _ in range(world.random.randrange(6)):
            world.schedule(world.random.randrange(300_000, FAULTS_UNTIL_US // 4), self._draw_fault())
        with _watch_internal_errors(world):
            lives = 0
            while not (self._is_over() or world.violations) and world.now_us < LONGEST_RUN_US:
                lives += 1
                self._run_server(lives)
                world.run_until(world.now_us + world.random.randrange(50_000, 2_000_000))
        if not self._is_over() and not world.violations:
            world.violate("the matches do not end")
        if not world.violations:
            self._check_everything()
        return RunResult(world.seed, tuple(world.violations), tuple(world.trace))

    def accept(self, bot: VirtualBot) -> Connection | None:
        """Connect a bot to the running server; None if none runs."""
        if self.server is None or self.server.play is None or self.server.stopped.is_set():
            return None
        connection = Connection(self.world, bot, len(self.connections), self._on_frame_left)
        original = connection._receive
        # Nothing else needs a way to see the frames of a connection, so the connection offers none.
        connection._receive = partial(self._receive, connection, bot.name, original)  # type: ignore[method-assign]
        self.connections.append(connection)
        connection.start(self.server.play._play)
        return connection

    def _receive(
        self, connection: Connection, bot: str, receive: Callable[[bytes | None], None], raw: bytes | None
    ) -> None:
        if raw is not None and connection.has_server:  # a frame in flight is lost with its connection
            self.witness.on_decisions(bot, raw)
        receive(raw)

    def _on_frame_left(self, bot: str, raw: bytes) -> None:
        self.world.note(f"frame to {bot} {len(raw)} bytes {zlib.crc32(raw):08x}")

    # ---- lives of the server

    def _run_server(self, number: int) -> None:
        """Run one life of the server, until it is killed or has stopped."""
        self.disk.restart()
        loop = VirtualLoop(self.world)
        asyncio.set_event_loop(loop)
        self.world.schedule(100_000, self._stop_if_over)
        WatchedOutbox.witness = WatchedFeed.witness = WatchedReplay.witness = self.witness
        watched = (
            mock.patch("arena.server.node.session.Outbox", WatchedOutbox),
            mock.patch("arena.server.node.node.MatchFeed", WatchedFeed),
            mock.patch("arena.server.node.match_builder.Replay", WatchedReplay),
        )
        with watched[0], watched[1], watched[2]:
            try:
                loop.run_until_complete(self._serve(loop, number))
                self.world.note("server stopped")
            except ServerKilled:
                self.world.note("server killed")
                self._lose_unsynced()
            except EnvironmentFaultError as error:
                self.world.note(f"server does not start, or does not end well: {error}")
            finally:
                self.server = None
                self.disk.kill_after = 0  # the server reaches the disk no more, whatever it does on its way out
                for connection in self.connections:
                    connection.close()
                self.connections.clear()
                loop.abandon()
                self.disk.kill_after = None
                asyncio.set_event_loop(None)

    async def _serve(self, loop: VirtualLoop, number: int) -> None:
        self.server = server = VirtualServer(self.world, self.disk, loop, number, self.syncs)
        self.witness.on_start(server.name, loop.clock.now)
        await server.run([order for order in self.orders if not (order.match_id or order.is_dropped)])

    def _lose_unsynced(self) -> None:
        """Cut the journal to what a power cut leaves of it: all that was synced, and any part of the rest."""
        paths = sorted(self.disk.folder.glob("*.journal"))
        if self.syncs and paths:
            size = paths[-1].stat().st_size
            kept = self.world.random.randint(min(size, self.disk.synced_bytes), size)
            with paths[-1].open("r+b") as file:
                file.truncate(kept)
            self.world.note(f"power cut leaves {kept} of {size} bytes")

    def _stop_if_over(self) -> None:
        """Stop the server once every match is stored; look again and again until then."""
        if self.server is None:
            return
        if self._is_over() or self.world.violations or self.world.now_us > LONGEST_RUN_US:
            self.server.stopped.set()
        else:
            self.world.schedule(100_000, self._stop_if_over)

    def _is_over(self) -> bool:
        created, rows = self._created_matches(), self.disk.matches
        is_placed = all(order.match_id or order.is_dropped for order in self.orders)
        return is_placed and created <= rows.keys() and all(row.state == "ended" for row in rows.values())

    def _created_matches(self) -> set[MatchId]:
        return {order.match_id for order in self.orders if order.match_id is not None}

    # ---- what the seed chooses

    def _draw_terms(self) -> RequestedTerms:
        random = self.world.random
        names = tuple(f"bot{number}" for number in random.sample(range(4), random.choice((2, 3, 4))))
        style = random.choice(("sealed", "sealed", "sealed", "live"))
        pace = (("turn_ms", "5000"), ("call_ms", "2000")) if style == "live" else (("fixed_window", "false"),)
        turns = str(random.randrange(4, 16))
        return RequestedTerms(
            "cheat",
            "standard",
            names,
            (("max_turns", turns),),
            style,
            pace,
            random.choice((1, 1, 2)),
            Seating.ROTATED,
            0,
        )

    def _draw_fault(self) -> Callable[[], None]:
        random = self.world.random
        return random.choice(
            (
                self._kill,
                self._kill,
                partial(self._kill_at_access, random.randrange(1, 80)),
                partial(self._kill_at_access, random.randrange(1, 80)),
                self._stop,
                partial(self._fill_disk, random.randrange(50_000, 2_500_000)),
                partial(self._take_store_away, random.randrange(50_000, 2_500_000)),
                partial(self._stall, random.randrange(60_000, 2_500_000)),
                partial(self._step_wall_clock, random.choice((-3600, 3600))),
                partial(self._disturb_bot, random.randrange(4)),
                partial(self._disturb_bot, random.randrange(4)),
                partial(self._disturb_bot, random.randrange(4)),
            )
        )

    # ---- faults

    def _kill(self) -> None:
        if self.server is not None:
            raise ServerKilled

    def _kill_at_access(self, count: int) -> None:
        self.disk.kill_after = count

    def _stop(self) -> None:
        if self.server is not None:
            self.world.note("server is told to stop")
            self.server.stopped.set()

    def _fill_disk(self, us: int) -> None:
        self.world.note("disk full")
        self.disk.is_journal_full = True
        self.world.schedule(us, self._empty_disk)

    def _empty_disk(self) -> None:
        self.world.note("disk has room")
        self.disk.is_journal_full = False

    def _take_store_away(self, us: int) -> None:
        self.world.note("store away")
        self.disk.is_store_away = True
        self.world.schedule(us, self._bring_store_back)

    def _bring_store_back(self) -> None:
        self.disk.is_store_away = False

    def _stall(self, us: int) -> None:
        """Let the server do nothing for some time, as when its process is stopped."""
        if self.server is not None:
            self.world.note(f"stall {us}")
            self.world.now_us += us

    def _step_wall_clock(self, seconds: int) -> None:
        self.world.note(f"wall clock {seconds:+}")
        self.world.wall_offset_s += seconds

    def _disturb_bot(self, number: int) -> None:
        """Disturb a bot as its temper says; a punctual one only loses its connection."""
        bot = self.bots[number]
        self.world.note(f"disturb {bot.name}")
        match bot.temper:
            case "dies":
                bot.die()
            case "deaf":
                bot.stop_reading(self.world.random.randrange(500_000, 9_000_000))
            case _:
                bot.lose_connection(silently=bot.temper == "half-open")

    # ---- after the last match

    def _check_everything(self) -> None:
        """Compare the store with the journals, and both with what the bots were told."""
        journals = {path.name: _read_journal(path) for path in sorted(self.disk.folder.glob("*.journal"))}
        answers = set()
        keys: Any = lambda _: None  # noqa: E731  the keys of receipts are checked elsewhere
        deals = {row.match_id: row for row in self.disk.deals}
        for match_id, row in self.disk.matches.items():
            records = journals[row.journal].get(row.number, [])
            stored = [game for game in self.disk.games if game.match_id == match_id]
            for sentence in compare_match(row, stored, records, games()):
                self.world.violate(f"match {match_id}: {sentence}")
            for sentence in compare_deal(deals[match_id], records, games(), keys):
                self.world.violate(f"deal of {match_id}: {sentence}")
            entries = [entry for entry in map(read_record, records) if isinstance(entry, Answer | NoAnswer)]
            answers |= {(str(match_id), each.entrant, each.prompt_id, each.action_id) for each in entries}
            sums = tuple(map(sum, zip(*(game.places for game in stored), strict=True)))
            if sums and self.witness.ended.get(match_id, sums) != sums:
                self.world.violate(f"match {match_id} has other results than its bots were told")
        for unknown in self._created_matches() - self.disk.matches.keys():
            self.world.violate(f"match {unknown} was created and is unknown")
        for lost in sorted(self.witness.accepted - answers):
            self.world.violate(f"an accepted decision is lost: {lost}")
        for sentence in find_chain_faults(self.disk.deals):
            self.world.violate(sentence)


def _read_journal(path: Path) -> dict[int, list[bytes]]:
    """Return the inputs of a journal by match number."""
    matches: dict[int, list[bytes]] = {}
    try:
        for record in read_records(path):
            if not is_offer(record):
                matches.setdefault(match_number_of(record), []).append(record)
    except JournalError as error:
        raise AssertionError(f"a journal is damaged: {error}") from error
    return matches


@contextmanager
def _watch_internal_errors(world: World) -> Iterator[None]:
    """Silence the log, and take each internal error in it for a broken promise."""

    def take(_: Any, level: str, event: MutableMapping[str, Any]) -> Any:
        if level == "error" and any(word in event["event"] for word in _INTERNAL):
            world.violate(f"internal error: {event['event']} {event.get('exc_info', '')} {event.get('fault', '')}")
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(processors=[take], cache_logger_on_first_use=False)
    logging.getLogger("asyncio").disabled = True
    try:
        yield
    finally:
        logging.getLogger("asyncio").disabled = False
        structlog.configure(**before)
