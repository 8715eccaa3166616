"""The runner: owns the store, keeps nodes and passes each match to a free node."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

from arena.bots.launch.box_settings import BoxSettings
from arena.errors import EnvironmentFaultError
from arena.fleet.assembly.stores import new_node_name, open_stores
from arena.fleet.runner.connection import LineCutError
from arena.fleet.runner.fleet import Fleet
from arena.fleet.runner.job import MatchJob, MatchJobResult, NodeSetup
from arena.fleet.runner.node_process import OWN_FLEET
from arena.fleet.runner.runner_node import RunnerNode
from arena.log_lines import get_logger
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.plurals import format_count
from arena.server.config.server_config import ServerConfig
from arena.server.store.open_store import Store
from arena.server.store.receipt_key import ReceiptKey

log = get_logger(__name__)

REPLACE_RETRY_S: Final = 10.0
"""Seconds until another node is asked for again."""


async def run_all(coroutines: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run coroutines side by side. The first error cancels the others and is raised.

    Each task is cancelled only once, so that it can clean up, and is then awaited.
    """
    # No TaskGroup: it would wrap the error in an ExceptionGroup, which callers do not expect.
    tasks = [asyncio.create_task(each) for each in coroutines]
    done: set[asyncio.Task[None]] = set()
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


class Runner:
    def __init__(
        self,
        nodes: list[RunnerNode],
        store: Store,
        signer: ReceiptKey,
        report: Callable[[str], None],
        new_node: Callable[[], RunnerNode] | None,
    ) -> None:
        """`report` is called with a sentence when a node has ended that nobody stopped, and when another one has come.

        `new_node` returns a node to start in place of a lost one; without it, the others go on alone.
        """
        self._report = report
        self._new_node = new_node
        self._joined: asyncio.Queue[RunnerNode | None] = asyncio.Queue()
        """Nodes that came in place of lost ones. None means that no more will come."""
        if new_node is None:
            self._joined.put_nowait(None)
        self._losses: set[asyncio.Task[None]] = set()
        self._is_stopping = False
        self.nodes = nodes
        self.store = store
        self.signer = signer
        self._free: asyncio.Queue[RunnerNode | None] = asyncio.Queue()
        """Idle nodes. None means that no node is left."""

    async def play(self, job: MatchJob, results: list[MatchJobResult]) -> MatchJobResult:
        """Play a match on a free node and append its result to `results`. A cancelled task appends the result too.

        If the node ends, the result has a report with the games that were finished by then. Raises BotStartError if a
        bot does not connect, EnvironmentFaultError if no node is left, and RequestError if the match is refused.
        """
        node = await self._take_free_node()
        try:
            return await node.play(job, results)
        finally:
            if node.is_up:
                self._free.put_nowait(node)

    def running_matches(self) -> list[tuple[MatchOrder, MatchReport]]:
        """Each comes with its latest report."""
        return [each for node in self.nodes for each in node.running_matches()]

    def describe_nodes(self) -> str:
        """Return how many nodes are up: "2 nodes"; and on how many other machines, if so: "3 nodes on 2 machines"."""
        machines = {node.machine for node in self.nodes if node.is_up}
        where = f" on {format_count(len(machines), 'machine')}" if machines - {""} else ""
        return f"{self._count_nodes()}{where}"

    async def start(self) -> None:
        """Raises EnvironmentFaultError if a node does not start."""
        await run_all(node.start(self._on_node_ended) for node in self.nodes)
        for node in self.nodes:
            self._free.put_nowait(node)

    async def next_node(self) -> RunnerNode | None:
        """Wait for the next node that comes in place of a lost one, and return it; None if none will come any more."""
        node = await self._joined.get()
        if node is None:
            self._joined.put_nowait(None)
        return node

    async def stop(self) -> None:
        self._is_stopping = True
        for task in self._losses:
            task.cancel()
        await asyncio.gather(*self._losses, return_exceptions=True)
        await run_all(node.stop() for node in self.nodes)

    async def _take_free_node(self) -> RunnerNode:
        """Raises EnvironmentFaultError if no node is left."""
        while (node := await self._free.get()) is not None:
            if node.is_up:
                return node
        self._free.put_nowait(None)  # wake the next waiting task too
        raise EnvironmentFaultError("no node is left to play")

    def _on_node_ended(self, node: RunnerNode) -> None:
        if not any(node.is_up for node in self.nodes):
            self._free.put_nowait(None)
        if node.address and not self._is_stopping:  # one that never listened is an error of `start`
            task = asyncio.create_task(self._report_loss(node))
            self._losses.add(task)
            task.add_done_callback(self._losses.discard)

    async def _report_loss(self, node: RunnerNode) -> None:
        end, is_replaced = await node.wait_for_end(), self._new_node is not None
        wish = ", and another one is asked for" if is_replaced else ""
        self._report(f"{node.label} {end.how}; {self._count_nodes()} left{wish}")
        if self._new_node is not None:
            await self._replace(self._new_node)

    def _count_nodes(self) -> str:
        return format_count(sum(each.is_up for each in self.nodes), "node")

    async def _replace(self, new_node: Callable[[], RunnerNode]) -> None:
        """Have a node started as soon as there is room for it."""
        while True:
            node = new_node()
            try:
                await node.start(self._on_node_ended)
            except LineCutError:
                self._joined.put_nowait(None)
                return
            except EnvironmentFaultError as error:
                log.info("no node has come in place of a lost one yet", fault=str(error))
                await asyncio.sleep(REPLACE_RETRY_S)
            else:
                self.nodes.append(node)
                self._free.put_nowait(node)
                self._joined.put_nowait(node)
                self._report(f"{node.label} has come; {self._count_nodes()}")
                return


@asynccontextmanager
async def open_runner(
    data: Path,
    node_count: int,
    log_level: str = "error",
    server: ServerConfig | None = None,
    boxes: BoxSettings | None = None,
    fleet: Fleet = OWN_FLEET,
    report_loss: Callable[[str], None] = lambda _: None,
) -> AsyncIterator[Runner]:
    """Lock a data folder and have `fleet` start nodes that store their results in it. On exit, stop the nodes.

    The first node listens as `server` says, by default on a free port; the others always listen on free ports. With
    `boxes`, nodes may start bots in boxes: call `require_isolation` before. A fleet that is away is asked for another
    node whenever one has ended that nobody stopped.

    Raises what `open_stores` raises, and EnvironmentFaultError if a node does not start.
    """
    async with open_stores(data) as opened:
        store, signer = opened.store, opened.signer
        numbers = count(1)

        def new_node(server: ServerConfig | None = None) -> RunnerNode:
            setup = NodeSetup(data, new_node_name(opened.lock), signer.secret, log_level, server, boxes)
            return RunnerNode(f"node {next(numbers)}", fleet, setup, store, signer)

        nodes = [new_node(server if index == 0 else None) for index in range(node_count)]
        runner = Runner(nodes, store, signer, report_loss, new_node if fleet.is_away else None)
        try:
            await runner.start()
            yield runner
        finally:
            await runner.stop()
