"""The server as a node, as the process of a league sees it."""

import asyncio
from collections.abc import Sequence

from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.connection import Connection
from arena.fleet.runner.node_services import NODE, SharedTableMessage
from arena.fleet.runner.started_bot import BotExit
from arena.match.referee.match_order import MatchReport
from arena.match.referee.ports import GameRow, MatchId, MatchRow
from arena.server.node.deals import SharedTable
from arena.server.store.open_store import Store


class ServedNode:
    """Implements `TableNode` and `RunnerEvents`. If the server goes, so does this process: the node is always up."""

    is_up = True

    def __init__(self, line: Connection) -> None:
        self.lost_bots: asyncio.Queue[BotExit] = asyncio.Queue()
        self.journal = ""
        self.calls = NODE.client(line)
        self._store: Store | None = None

    def begin(self, store: Store, journal: str) -> None:
        """Use a store and the server's journal, by its file name, from now on."""
        self._store, self.journal = store, journal

    async def start_bot(self, player: BotEntrant, instance: str, game: str, preset: str) -> None:
        await self.calls.start_bot(player.name, player.own_program, instance, game, preset)

    async def play_shared_table(self, table: SharedTable) -> tuple[MatchRow, Sequence[GameRow]] | None:
        assert self._store is not None, "tables are played after `begin`"
        await self.calls.play_shared_table(SharedTableMessage.of(table))
        rows = (await self._store.results.matches_with_games([table.match_id])).get(table.match_id)
        return None if rows is None or rows[0].state != "ended" else rows

    def on_bot_exit(self, loss: BotExit) -> None:
        self.lost_bots.put_nowait(loss)

    def on_match_started(self, key: str, match_id: MatchId) -> None:
        """The server orders no matches for a league."""

    def on_progress(self, reports: tuple[MatchReport, ...]) -> None:
        """Tables are known to be over when their calls return."""
