"""How matches stand, read off a node's hall or out of the store."""

from collections.abc import Mapping, Sequence

from arena.match.match_order import MatchReport, PlayedGame
from arena.match.match_record import strike_counts_of
from arena.match.ports import GameRow, MatchId, MatchRow
from arena.node.hosted_match import HostedMatch
from arena.node.node import Node


def build_running_reports(node: Node) -> list[MatchReport]:
    """How the matches stand that run on a node of this process."""
    return [_build_running_report(booking, 0) for booking in node.hall.matches.values()]


def build_new_reports(node: Node, told: Mapping[MatchId, int]) -> list[MatchReport]:
    """The same of those that have more games than were told before, without these."""
    known = [(booking, told.get(booking.match_id, 0)) for booking in node.hall.matches.values()]
    return [
        _build_running_report(booking, count) for booking, count in known if len(booking.table.referee.results) > count
    ]


def count_ended_games(node: Node) -> Mapping[MatchId, int]:
    """How many games of each match that runs are over."""
    return {booking.match_id: len(booking.table.referee.results) for booking in node.hall.matches.values()}


def report_from_rows(row: MatchRow, games: Sequence[GameRow]) -> MatchReport:
    """How a match stands that is in the store."""
    played = tuple(PlayedGame(game.game, game.places, game.termination, game.turn_count) for game in games)
    return MatchReport(row.match_id, row.state, played, row.termination, row.strikes, row.statistics)


def _build_running_report(booking: HostedMatch, first: int) -> MatchReport:
    referee = booking.table.referee
    games = [PlayedGame(each.game, each.places_by_entrant, each.termination, 0) for each in referee.results[first:]]
    figures = [
        {"decisions": float(c.decision_count), "think_s": c.think_us / 1e6 / max(1, c.decision_count)}
        for c in referee.entrant_records
    ]
    return MatchReport(booking.match_id, "running", tuple(games), "", strike_counts_of(referee), tuple(figures))
