"""A node at which a league plays, as the league's process sees it: a process of its own, or a server with pools."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.node_services import TableNodeCalls
from arena.fleet.runner.started_bot import BotExit
from arena.match.referee.ports import GameRow, MatchRow
from arena.server.node.deals import SharedTable


class TableNode(Protocol):
    """Every call raises LineCutError if the node has gone."""

    lost_bots: asyncio.Queue[BotExit]
    """Resident bots that ended by themselves."""

    @property
    def calls(self) -> TableNodeCalls: ...

    @property
    def is_up(self) -> bool: ...

    @property
    def journal(self) -> str:
        """The file name of its journal."""

    async def start_bot(self, player: BotEntrant, instance: str, game: str, preset: str) -> None:
        """Wait until a resident bot has connected. Raises BotStartError."""

    async def play_shared_table(self, table: SharedTable) -> tuple[MatchRow, Sequence[GameRow]] | None:
        """Play a table of a shared deal. Return the match's rows once it has ended and is stored.

        Returns None if the final state of the match was not stored. Raises NotConnectedError if the table needs
        everybody and somebody is missing.
        """
