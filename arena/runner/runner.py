"""The runner: owns the store, keeps nodes, and gives each match to one that is free."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from arena.app import new_node_name, open_stores
from arena.errors import EnvironmentFaultError
from arena.match.match_order import MatchOrder, MatchReport
from arena.runner.concurrency import run_all
from arena.runner.job import MatchJob, MatchJobResult, NodeSetup
from arena.runner.node_process import NodeProcess
from arena.store.open_store import Store
from arena.store.receipt_key import ReceiptKey


def count_usable_cores() -> int:
    """How many cores this process may use; 1 where nodes cannot be started."""
    if os.name != "posix":  # a node's line is a socket that it inherits
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Runner:
    """Nodes that wait for matches. Made by `open_runner`."""

    def __init__(self, nodes: list[NodeProcess], store: Store, signer: ReceiptKey) -> None:
        self.nodes = nodes
        self.store = store
        self.signer = signer
        self._free: asyncio.Queue[NodeProcess | None] = asyncio.Queue()
        """Nodes that have nothing to play; None when no node is left."""

    async def play(self, job: MatchJob, noted: list[MatchJobResult]) -> MatchJobResult:
        """Have a free node play a match, and note how it went; if we are stopped meanwhile, as it stands.

        What its node's end has interrupted is a performance too: its report has the games that were over. Raises
        BotStartError where a bot does not come, EnvironmentFaultError when no node is left, RequestError for a match
        that is refused.
        """
        node = await self._take_free_node()
        try:
            return await node.play(job, noted)
        finally:
            if node.is_up:
                self._free.put_nowait(node)

    def running_matches(self) -> list[tuple[MatchOrder, MatchReport]]:
        """How the matches stand that are played now."""
        return [each for node in self.nodes for each in node.running_matches()]

    async def start(self) -> None:
        """Start all nodes. Raises EnvironmentFaultError for one that does not."""
        await run_all(node.start(self._on_node_ended) for node in self.nodes)
        for node in self.nodes:
            self._free.put_nowait(node)

    async def stop(self) -> None:
        """Stop all nodes."""
        await run_all(node.stop() for node in self.nodes)

    async def _take_free_node(self) -> NodeProcess:
        while (node := await self._free.get()) is not None:
            if node.is_up:
                return node
        self._free.put_nowait(None)  # for the next one who waits
        raise EnvironmentFaultError("no node is left that could play")

    def _on_node_ended(self, _: NodeProcess) -> None:
        if not any(node.is_up for node in self.nodes):
            self._free.put_nowait(None)


@asynccontextmanager
async def open_runner(data: Path, node_count: int, log_level: str = "error", port: int = 0) -> AsyncIterator[Runner]:
    """Hold a data folder and start nodes that play for it. Stop them on leaving.

    `port`: where the first listens; 0: any free one, as the others do.

    Raises what `arena.app.keeping` raises, and EnvironmentFaultError for a node that does not start.
    """
    async with open_stores(data) as (held, store, signer):
        nodes = []
        for number in range(1, node_count + 1):
            setup = NodeSetup(data, new_node_name(held), signer.secret, log_level, port if number == 1 else 0)
            nodes.append(NodeProcess(f"node {number}", setup, store, signer))
        runner = Runner(nodes, store, signer)
        try:
            await runner.start()
            yield runner
        finally:
            await runner.stop()
