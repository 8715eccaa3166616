"""The process of a node, `python -P -m arena.fleet.runner.node_main SOCKET`. It serves its runner and ends with it.

A node opens no store and trusts its runner. It writes only its journal, unless it is away, and its bots' output.
"""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, closing
from dataclasses import replace

from arena.bots.launch.launcher import Launcher
from arena.fleet.assembly.node import run_node_loop, start_node
from arena.fleet.assembly.stores import NodeStores
from arena.fleet.runner.boxes import listen_for_boxes
from arena.fleet.runner.connection import Connection, StreamTransport
from arena.fleet.runner.host import Host
from arena.fleet.runner.job import NodeSetup
from arena.fleet.runner.kept_journal import SentJournal
from arena.fleet.runner.node_services import NODE, NODE_LIFECYCLE, RunnerClient
from arena.fleet.runner.organizer import LocalOrganizer
from arena.fleet.runner.process_sampler import sample_processes
from arena.fleet.runner.runner_calls import NodeService
from arena.fleet.runner.signed_ahead import SignedAhead
from arena.fleet.telemetry import set_up_logging
from arena.match.referee.interrupted_match import MAX_MATCH_AGE_US
from arena.server.config.server_config import ServerConfig
from arena.server.node.event_loop import NodeClock, StampingSelector
from arena.server.store.data_folder import JOURNALS_FOLDER, register_node
from arena.server.store.receipt_key import ReceiptKey

RUNNER_GONE_EXIT_CODE = 75
"""The exit code of a node whose runner has gone."""


@asynccontextmanager
async def _open_node(
    setup: NodeSetup, runner: RunnerClient, clock: NodeClock, selector: StampingSelector
) -> AsyncIterator[NodeService]:
    """On exit, end its bots and shut it down. Raises StoreError, JournalError, PortBusyError."""
    ahead = SignedAhead(setup.receipt_key, runner.signer) if setup.is_away else None
    stores = NodeStores(
        runner.results,
        runner.deals,
        runner.tokens,
        ahead or ReceiptKey(setup.receipt_key),
        setup.data / JOURNALS_FOLDER,
        setup.name,
        SentJournal(runner.journal) if setup.is_away else None,
    )
    config = replace(setup.server or ServerConfig(), data=setup.data, grace_s=0)
    launchers: list[Launcher] = []
    with closing(register_node(setup.data)), listen_for_boxes(config, setup.boxes) as config:
        async with (
            sample_processes(launchers, clock.now) as processes,
            start_node(config, stores, clock, selector, (), processes) as server,
        ):
            organizer = LocalOrganizer(server.matches)
            host = Host(
                server.address,
                organizer,
                runner.tokens,
                setup.data,
                server,
                launchers,
                server.public_address,
                boxes=setup.boxes,
                socket=next(iter(server.sockets), ""),
            )
            async with aclosing(NodeService(runner.events, server, host, ahead)) as node:
                yield node


class _NodeLifecycle:
    """Implements `NodeLifecycle`, and ends this process when the runner has gone."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.setup: asyncio.Future[NodeSetup] = loop.create_future()
        """Resolves to the setup that the runner asks for."""
        self.address: asyncio.Future[str] = loop.create_future()
        """Resolves to the node's address when the node listens, or to an error if the node could not be opened."""
        self.node: NodeService | None = None
        """The node; None until it is open."""
        self.stopped = asyncio.Event()

    async def open(self, setup: NodeSetup) -> str:
        self.setup.set_result(setup)
        return await self.address

    def stop(self) -> None:
        self.stopped.set()

    def abort(self, listening: "asyncio.Task[None]") -> None:
        """End the bots and this process immediately, before any further message leaves, because the runner has gone.

        The journal has everything that was sent so far. The next process that opens the store closes the matches with
        the help of this journal.
        """
        if listening.cancelled():
            return
        if self.node is not None:
            self.node.end_bots()
        os._exit(RUNNER_GONE_EXIT_CODE)


async def _serve(clock: NodeClock, selector: StampingSelector) -> int:
    """Serve the runner until it stops this node or has gone. Return the exit code."""
    streams = await asyncio.open_connection(sock=socket.socket(fileno=int(sys.argv[1])))
    connection = Connection(StreamTransport(*streams))
    lifecycle = _NodeLifecycle()
    handlers = dict(NODE_LIFECYCLE.handlers(lifecycle))
    listening = asyncio.create_task(connection.run(handlers))
    listening.add_done_callback(lifecycle.abort)
    setup = await lifecycle.setup
    set_up_logging(setup.log_level)
    async with AsyncExitStack() as stack:
        try:
            opened = _open_node(setup, RunnerClient.at(connection), clock, selector)
            lifecycle.node = node = await stack.enter_async_context(opened)
        except Exception as error:  # noqa: BLE001  the runner gets it as the answer to its call
            lifecycle.address.set_exception(error)
            await lifecycle.stopped.wait()
            return 0
        handlers.update(NODE.handlers(node))
        lifecycle.address.set_result(node.address)
        async with asyncio.TaskGroup() as tasks:
            background = [tasks.create_task(node.report_progress()), tasks.create_task(node.watch_bots())]
            try:
                await lifecycle.stopped.wait()
            finally:  # also if a task has failed: no bot may be blamed for the end of its node
                node.suspend_shared_tables()
            for task in background:
                task.cancel()
    os._exit(0)  # nothing is left to lose, and closing the connection would look as if the runner had gone


if __name__ == "__main__":
    sys.exit(run_node_loop(_serve, MAX_MATCH_AGE_US))
