"""A node as its runner sees it: has it started, gives it matches, and always cleans up after it."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.errors import ArenaError, EnvironmentFaultError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.connection import Connection, LineCutError, StreamTransport
from arena.fleet.runner.fleet import Fleet, NodeEnd
from arena.fleet.runner.host import TemporaryTokens
from arena.fleet.runner.job import MatchJob, MatchJobResult, NodeSetup
from arena.fleet.runner.kept_journal import KeptJournal
from arena.fleet.runner.node_services import (
    JOURNAL_KEEPER,
    NODE,
    NODE_LIFECYCLE,
    RECEIPT_SIGNER,
    SharedResults,
    SharedTableMessage,
    serve_runner,
)
from arena.fleet.runner.organizer import report_from_rows
from arena.fleet.runner.signed_ahead import JobSigner, sign_receipts
from arena.fleet.runner.started_bot import BotExit
from arena.games.catalogue import games
from arena.log_lines import get_logger
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.ports import GameRow, MatchId, MatchRow, Signer
from arena.server.node.deals import SharedTable
from arena.server.store.crash_recovery import JournalCache, close_interrupted_matches, reveal_abandoned_deals
from arena.server.store.open_store import Store

log = get_logger(__name__)

STOP_TIMEOUT_S: Final = 10.0
"""Seconds that a node has to stop in good order, or to cancel a match."""


class RunnerNode:
    """A server and the bots of its jobs, once it is started. Implements `TableNode` and `RunnerEvents`."""

    def __init__(self, label: str, fleet: Fleet, setup: NodeSetup, store: Store, signer: Signer) -> None:
        """`label` names the node in messages for people: "node 2". `fleet` starts it."""
        self.label = label
        self._fleet = fleet
        self._setup = setup
        self._store = store
        self._signer = signer
        self._keys = TemporaryTokens(store.tokens)
        self._journal: KeptJournal | None = None
        """The journal of a node that is away; None if the node writes it."""
        self._job_signer = JobSigner(signer)
        self._shared = SharedResults(store.results)
        self._jobs: dict[str, MatchJob] = {}
        """Running jobs, by key of the order. `_matches` has the same keys."""
        self._matches: dict[str, MatchId] = {}
        self._progress: dict[MatchId, MatchReport] = {}
        self._listening: asyncio.Task[None] | None = None
        self._cleanup: asyncio.Task[NodeEnd] | None = None
        self.lost_bots: asyncio.Queue[BotExit] = asyncio.Queue()
        """Resident bots that ended by themselves."""
        self.address = ""
        """Empty until the node listens."""

    async def start(self, on_ended: Callable[["RunnerNode"], None]) -> None:
        """Have the node started. `on_ended` is called when its connection has ended.

        Raises EnvironmentFaultError, and what `NodeLifecycle.open` raises.
        """
        self._started = await self._fleet.start_node()
        if machine := self._started.machine:
            self.label += f" on {machine}"
        if (folder := self._started.folder) is not None:
            self._setup = replace(self._setup, data=folder, receipt_key=self._signer.public_key, is_away=True)
            self._journal = KeptJournal(self._store.journals_folder / self.journal)
            self._shared = SharedResults(self._store.results, self._journal)
        self._connection = Connection(StreamTransport(*await asyncio.open_connection(sock=self._started.line)))
        self.calls = NODE.client(self._connection)
        self._lifecycle = NODE_LIFECYCLE.client(self._connection)
        handlers = dict(serve_runner(self._store, self._shared, self._keys, self))
        if self._journal is not None:
            handlers |= {**JOURNAL_KEEPER.handlers(self._journal), **RECEIPT_SIGNER.handlers(self._job_signer)}
        self._listening = asyncio.create_task(self._connection.run(handlers))
        self._listening.add_done_callback(lambda task: self._on_line_ended(task, on_ended))
        try:
            self.address = await self._lifecycle.open(self._setup)
        except LineCutError as error:
            raise EnvironmentFaultError(f"{self.label} {(await self.clean_up()).how}") from error

    @property
    def is_up(self) -> bool:
        return self._listening is not None and not self._listening.done()

    @property
    def machine(self) -> str:
        """The name of its machine for people; empty for that of the runner."""
        return self._started.machine

    @property
    def journal(self) -> str:
        return f"{self._setup.name}.journal"

    def running_matches(self) -> list[tuple[MatchOrder, MatchReport]]:
        """Matches without a report are left out."""
        reports = (
            (job.order, self._progress.get(self._matches.get(key, MatchId("")))) for key, job in self._jobs.items()
        )
        return [(order, report) for order, report in reports if report is not None]

    async def play(self, job: MatchJob, results: list[MatchJobResult]) -> MatchJobResult:
        """Play a job and append its result to `results`. If this task is cancelled, so is the job.

        If the node ends meanwhile, the result says so. Raises what `NodeCalls.play` raises.
        """
        self._jobs[job.order.key] = job
        playing = asyncio.create_task(self._play_or_recover(job))
        try:
            result = await asyncio.shield(playing)
        except asyncio.CancelledError:
            self.calls.cancel(job.order.key)
            with suppress(ArenaError, TimeoutError):
                results.append(await asyncio.wait_for(playing, STOP_TIMEOUT_S))
            raise
        finally:
            del self._jobs[job.order.key]
        results.append(result)
        return result

    async def start_bot(self, player: BotEntrant, instance: str, game: str, preset: str) -> None:
        """Wait until a resident bot has connected. Raises BotStartError, LineCutError."""
        program = await self._started.place(player.own_program)
        await self.calls.start_bot(player.name, program, instance, game, preset)

    async def play_shared_table(self, table: SharedTable) -> tuple[MatchRow, Sequence[GameRow]] | None:
        """Play a table of a shared deal. Return the match's rows once it has ended and is stored. Raises LineCutError.

        Returns None if the final state of the match was not stored. Raises NotConnectedError if the table needs
        everybody and somebody is missing.
        """
        receipts = () if self._journal is None else await asyncio.to_thread(sign_receipts, table, self._signer)
        self._shared.expect(table.match_id)
        try:
            await self.calls.play_shared_table(SharedTableMessage.of(table, receipts))
        finally:
            stored = self._shared.take(table.match_id)
        return stored

    async def stop(self) -> None:
        """Let the node end in good order, or kill it if that takes too long."""
        if self._listening is None:
            return
        self._lifecycle.stop()
        await asyncio.wait([self._listening], timeout=STOP_TIMEOUT_S)
        await self.clean_up()

    async def wait_for_end(self) -> NodeEnd:
        """Call it once the node is no longer up."""
        return await self._started.wait_or_kill()

    async def clean_up(self) -> NodeEnd:
        """Wait for the node's end, revoke its tokens, end its matches and reveal its deals. Return how it ended.

        Later calls return the result of the first.
        """
        if self._cleanup is None:
            self._cleanup = asyncio.create_task(self._clean_up_once())
        return await asyncio.shield(self._cleanup)

    # ---- events from the node

    def on_match_started(self, key: str, match_id: MatchId) -> None:
        self._matches[key] = match_id

    def on_progress(self, reports: tuple[MatchReport, ...]) -> None:
        for report in reports:
            before = self._progress.get(report.match_id)
            known = () if before is None else before.games
            self._progress[report.match_id] = replace(report, games=known + report.games)

    def on_bot_exit(self, loss: BotExit) -> None:
        self.lost_bots.put_nowait(self._locate_output(loss))

    # ---- inside

    def _locate_output(self, loss: BotExit) -> BotExit:
        return replace(loss, output=self._locate(loss.output))

    def _locate(self, path: Path) -> Path:
        """Return the path of a file at the node as people find it."""
        return Path(f"{self.machine}:{path}") if self.machine else path

    def _on_line_ended(self, listening: "asyncio.Task[None]", on_ended: Callable[["RunnerNode"], None]) -> None:
        if not listening.cancelled() and (fault := listening.exception()) is not None:
            log.error("a node was given up", node=self.label, fault=str(fault))
        on_ended(self)

    async def _play_or_recover(self, job: MatchJob) -> MatchJobResult:
        """If the node ends meanwhile, clean up and build the result from the store."""
        key = job.order.key
        try:
            programs = {each.name: await self._started.place(each.own_program) for each in job.players}
            self._job_signer.expect(len(programs))
            result = await self.calls.play(job.order, programs, job.shown)
            outputs = {name: path and self._locate(path) for name, path in result.outputs.items()}
            return replace(result, outputs=outputs, losses=tuple(map(self._locate_output, result.losses)))
        except LineCutError:
            end = await self.clean_up()
            match_id = self._matches.get(key)
            stored = {} if match_id is None else await self._store.results.matches_with_games([match_id])
            # A match that was offered but never began is not stored.
            report = next((report_from_rows(*rows) for rows in stored.values()), None)
            return MatchJobResult(report, node_fault=f"{self.label} {end.how}", is_ours=end.is_ours)
        finally:
            self._progress.pop(self._matches.pop(key, MatchId("")), None)

    async def _clean_up_once(self) -> NodeEnd:
        self._connection.close()
        end = await self._started.wait_or_kill()
        await self._connection.wait_until_answered()
        if self._journal is not None:
            self._journal.close()
        await self._keys.revoke_all()
        journal, store = self.journal, self._store
        journals = JournalCache(store.journals_folder)
        await reveal_abandoned_deals(store.deals, journals, games(), self._signer, journal)
        await close_interrupted_matches(store.results, journals, games(), journal)
        return end
