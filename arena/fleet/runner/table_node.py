"""A node at which a league plays, as the league's process sees it: a process of its own, or a server with pools."""

import asyncio
from collections.abc import Collection, Sequence
from typing import Protocol

from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.job import ResourceUsage
from arena.fleet.runner.started_bot import BotExit
from arena.match.referee.ports import GameRow, MatchId, MatchRow
from arena.server.node.deals import SharedTable


class TableNode(Protocol):
    """Every call raises LineCutError if the node has gone."""

    lost_bots: asyncio.Queue[BotExit]
    """Resident bots that ended by themselves."""

    @property
    def is_up(self) -> bool: ...

    @property
    def journal(self) -> str:
        """The file name of its journal."""

    async def start_bot(self, player: BotEntrant, instance: str, game: str, preset: str) -> None:
        """Wait until a resident bot has connected. Raises BotStartError."""

    async def stop_bot(self, name: str) -> None: ...

    async def give_up_bot(self, name: str, instance: str) -> None:
        """Give up the seats of a resident bot that will not come back."""

    async def open_tables(self, wanted: Collection[MatchId]) -> Collection[MatchId]:
        """Return which of these tables this node plays already; `play_shared_table` waits for their ends."""

    async def play_shared_table(self, table: SharedTable) -> tuple[MatchRow, Sequence[GameRow]] | None:
        """Play a table of a shared deal. Return the match's rows once it has ended and is stored.

        Returns None if the final state of the match was not stored. Raises NotConnectedError if the table needs
        everybody and somebody is missing.
        """

    async def connected_bots(self, instance: str, game: str, preset: str) -> Sequence[str]: ...

    async def usage(self) -> ResourceUsage: ...
