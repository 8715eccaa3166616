"""Orders matches on a host and waits for their results, wherever the host's server runs."""

from hashlib import sha256
from typing import Protocol

from arena.fleet.runner.match_reports import report_from_rows
from arena.match.referee.match_order import MatchOrder, MatchReport, request_terms
from arena.match.referee.ports import MatchId
from arena.server.node.match_organizer import CreationRequest, MatchOrganizer


class Organizer(Protocol):
    """Creates matches on a server and returns their reports."""

    async def create_match(self, order: MatchOrder) -> MatchId:
        """Create a match and return its id.

        Raises NotConnectedError if a bot is not connected, CapacityError if the server plays as many as it may,
        RequestError for bad terms, and EnvironmentFaultError if the store or the server cannot be reached.
        """

    async def wait_for_result(self, match_id: MatchId) -> MatchReport:
        """Return the report of a match once it has ended and is stored.

        Raises UnknownNameError, EnvironmentFaultError.
        """

    async def cancel_match(self, match_id: MatchId) -> MatchReport:
        """Cancel a match and return its report. Raises UnknownNameError, EnvironmentFaultError."""


class LocalOrganizer:
    """Implements `Organizer` on the node of this process."""

    def __init__(self, matches: MatchOrganizer) -> None:
        self._matches = matches

    async def create_match(self, order: MatchOrder) -> MatchId:
        """Create a match and return its id. Raises NotConnectedError, CapacityError, RequestError, StoreError."""
        digest = sha256(repr(order).encode()).digest()
        request = CreationRequest(request_terms(order), order.seed, "", order.key, digest)
        match, _ = await self._matches.create(request)
        return match.match_id

    async def wait_for_result(self, match_id: MatchId) -> MatchReport:
        """Return the report of a match once it has ended and is stored. Raises UnknownNameError, StoreError."""
        ended = await self._matches.wait_for_end(match_id)
        return report_from_rows(ended.row, ended.games)

    async def cancel_match(self, match_id: MatchId) -> MatchReport:
        """Cancel a match and return its report. Raises UnknownNameError, StoreError."""
        await self._matches.cancel(match_id)
        return await self.wait_for_result(match_id)
