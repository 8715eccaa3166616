"""The services through which a server and the process of a league call each other, beside those of runner and node."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from arena.fleet.runner.service import Service
from arena.server.rpc.league_service import LeagueOrder, LeagueStatus


@dataclass(frozen=True, slots=True)
class LeagueSetting:
    """Where a league is played."""

    data: Path
    journal: str
    """The file name of the server's journal."""
    has_boxes: bool
    """Whether the server runs bots in boxes."""
    has_plain_address: bool
    """Whether bots without a box reach the server."""


class LeagueCalls(Protocol):
    async def play(self, order: LeagueOrder, setting: LeagueSetting) -> bool:
        """Seal the league unless it is sealed, and play it. Return whether it is over.

        Raises an error that says why it cannot be sealed or played.
        """

    async def show(self, name: str, data: Path) -> LeagueStatus:
        """Return a league as the store has it, with its standings. Raises UnknownNameError."""


class LeagueEvents(Protocol):
    def on_sealed(self, status: LeagueStatus) -> None:
        """The league is sealed, the server goes on with it after a kill, and its games begin."""

    def on_progress(self, game_count: int, planned_count: int | None, awaited: tuple[str, ...]) -> None:
        """The values are those of `LeagueStatus`."""


LEAGUE: Final = Service(LeagueCalls)
LEAGUE_EVENTS: Final = Service(LeagueEvents)
