"""Plays a league's tables on the node of a server, and keeps them while the league's process is replaced.

A table whose seats are offered goes on without the process. The next process asks which tables are open, and waits for
their ends.
"""

import asyncio
from typing import Final

from arena.fleet.assembly.node import RunningNode
from arena.fleet.runner.host import Host
from arena.fleet.runner.node_services import RunnerEvents, SharedTableMessage
from arena.fleet.runner.runner_calls import NodeService
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import SessionKey
from arena.server.node.deals import SharedTable
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.identity import LEAGUE_INSTANCE_PREFIX, SUBMITTED_INSTANCE

_OWN_INSTANCES: Final = (SUBMITTED_INSTANCE, LEAGUE_INSTANCE_PREFIX)
"""How the instances of programs begin that the arena runs itself."""


class TableKeeper(NodeService):
    """Implements `NodeCalls` for the tables of one league."""

    def __init__(self, events: RunnerEvents, server: RunningNode, host: Host) -> None:
        super().__init__(events, server, host)
        self._tables: dict[MatchId, asyncio.Task[None]] = {}
        self._ended: set[MatchId] = set()
        """The tables that have ended since the present process came. It may still ask for one of them."""
        self._unopened: set[asyncio.Task[None]] = set()
        """The tasks of tables that wait for free seats."""
        self._remote_instances: dict[str, str] = {}
        """The session that plays for each remote bot, as long as it is connected."""

    def welcome_process(self) -> None:
        """A new process has come, which knows what is stored."""
        self._ended.clear()

    def leave_alone(self) -> None:
        """The process has gone. Tables that wait for free seats are forgotten, and the others go on."""
        for task in self._unopened:
            task.cancel()

    @property
    def has_tables(self) -> bool:
        return bool(self._tables)

    async def open_tables(self, wanted: tuple[MatchId, ...]) -> tuple[MatchId, ...]:
        return tuple(each for each in wanted if each in self._tables)

    async def play_shared_table(self, table: SharedTableMessage) -> None:
        match_id = table.match_id
        if match_id in self._ended:
            return
        if (playing := self._tables.get(match_id)) is None:
            playing = self._tables[match_id] = asyncio.create_task(super().play_shared_table(table))
            playing.add_done_callback(lambda task: self._forget(match_id, task))
        await asyncio.shield(playing)

    def _forget(self, match_id: MatchId, task: "asyncio.Task[None]") -> None:
        del self._tables[match_id]
        if not task.cancelled() and task.exception() is None:
            self._ended.add(match_id)

    async def _open_table(self, wanted: SharedTable) -> HostedMatch:
        task = self._tables[wanted.match_id]
        self._unopened.add(task)
        try:
            return await super()._open_table(wanted)
        finally:
            self._unopened.discard(task)

    def _session_key(self, name: str, instance: str) -> SessionKey:
        """A remote bot plays with a session that it has here already, whatever its instance."""
        if (name, instance) in self._own_instances:
            return super()._session_key(name, instance)
        sessions = self._server.node.registry.sessions.by_key
        here = [own for bot, own in sessions if bot == name and not own.startswith(_OWN_INSTANCES)]
        if here and self._remote_instances.get(name) not in here:
            self._remote_instances[name] = min(here)
        return name, self._remote_instances.get(name, instance)
