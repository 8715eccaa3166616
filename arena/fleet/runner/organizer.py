"""Orders matches on a host, waits for their results, and reports on those that run."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Protocol

from arena.match.referee.match_order import MatchOrder, MatchReport, request_terms
from arena.match.referee.match_record import strike_counts_of
from arena.match.referee.ports import GameRow, GameSummary, MatchId, MatchRow
from arena.match.referee.think_time import late_figures
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.match_organizer import CreationRequest, MatchOrganizer
from arena.server.node.node import Node


class Organizer(Protocol):
    async def create_match(self, order: MatchOrder) -> MatchId:
        """Raises NotConnectedError if a bot is not connected, CapacityError if the server is full.

        Raises RequestError for bad terms, and EnvironmentFaultError if the store or the server cannot be reached.
        """

    async def wait_for_result(self, match_id: MatchId) -> MatchReport:
        """Wait until the match has ended and is stored. Raises UnknownNameError, EnvironmentFaultError."""

    async def cancel_match(self, match_id: MatchId) -> MatchReport:
        """Raises UnknownNameError, EnvironmentFaultError."""


class LocalOrganizer:
    """Implements `Organizer` on the node of this process."""

    def __init__(self, matches: MatchOrganizer) -> None:
        self._matches = matches

    async def create_match(self, order: MatchOrder) -> MatchId:
        """Raises NotConnectedError, CapacityError, RequestError, StoreError."""
        digest = sha256(repr(order).encode()).digest()
        request = CreationRequest(request_terms(order), order.seed, "", order.key, digest)
        match, _ = await self._matches.create(request)
        return match.match_id

    async def wait_for_result(self, match_id: MatchId) -> MatchReport:
        """Raises UnknownNameError, StoreError."""
        ended = await self._matches.wait_for_end(match_id)
        return report_from_rows(ended.row, ended.games)

    async def cancel_match(self, match_id: MatchId) -> MatchReport:
        """Raises UnknownNameError, StoreError."""
        await self._matches.cancel(match_id)
        return await self.wait_for_result(match_id)


def build_running_reports(node: Node) -> list[MatchReport]:
    return [_build_running_report(hosted, 0) for hosted in node.registry.matches.values()]


def build_new_reports(node: Node, reported: Mapping[MatchId, int]) -> list[MatchReport]:
    """Report only newly finished games. `reported` is how many games of each match were reported before."""
    known = [(hosted, reported.get(hosted.match_id, 0)) for hosted in node.registry.matches.values()]
    return [
        _build_running_report(hosted, count) for hosted, count in known if len(hosted.table.referee.results) > count
    ]


def count_ended_games(node: Node) -> Mapping[MatchId, int]:
    return {hosted.match_id: len(hosted.table.referee.results) for hosted in node.registry.matches.values()}


def report_from_rows(row: MatchRow, games: Sequence[GameRow]) -> MatchReport:
    played = tuple(GameSummary(game.game, game.places, game.termination, game.turn_count) for game in games)
    return MatchReport(row.match_id, row.state, played, row.termination, row.strikes, row.statistics)


def _build_running_report(hosted: HostedMatch, first: int) -> MatchReport:
    """The report begins with game `first`."""
    referee = hosted.table.referee
    games = [GameSummary(each.game, each.places_by_entrant, each.termination, 0) for each in referee.results[first:]]
    figures = [
        {
            "decisions": float(each.decision_count),
            "think_s": each.think_us / 1e6 / max(1, each.decision_count),
            **late_figures(each.late_count, each.late_us),
        }
        for each in referee.entrant_records
    ]
    return MatchReport(hosted.match_id, "running", tuple(games), "", strike_counts_of(referee), tuple(figures))
