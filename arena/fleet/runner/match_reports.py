"""Builds match reports from a node's match registry or from the store."""

from collections.abc import Mapping, Sequence

from arena.match.referee.match_order import MatchReport, PlayedGame
from arena.match.referee.match_record import strike_counts_of
from arena.match.referee.ports import GameRow, MatchId, MatchRow
from arena.match.referee.think_time import late_figures
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.node import Node


def build_running_reports(node: Node) -> list[MatchReport]:
    """Return reports on the matches that run on a node of this process."""
    return [_build_running_report(hosted, 0) for hosted in node.registry.matches.values()]


def build_new_reports(node: Node, reported: Mapping[MatchId, int]) -> list[MatchReport]:
    """Return reports on the running matches that have newly finished games. The reports contain only these games.

    `reported` is how many games of each match were reported before.
    """
    known = [(hosted, reported.get(hosted.match_id, 0)) for hosted in node.registry.matches.values()]
    return [
        _build_running_report(hosted, count) for hosted, count in known if len(hosted.table.referee.results) > count
    ]


def count_ended_games(node: Node) -> Mapping[MatchId, int]:
    """Return the number of finished games of each running match."""
    return {hosted.match_id: len(hosted.table.referee.results) for hosted in node.registry.matches.values()}


def report_from_rows(row: MatchRow, games: Sequence[GameRow]) -> MatchReport:
    """Return the report on a match from its rows in the store."""
    played = tuple(PlayedGame(game.game, game.places, game.termination, game.turn_count) for game in games)
    return MatchReport(row.match_id, row.state, played, row.termination, row.strikes, row.statistics)


def _build_running_report(hosted: HostedMatch, first: int) -> MatchReport:
    """Return the report on a running match with its finished games from game `first` on."""
    referee = hosted.table.referee
    games = [PlayedGame(each.game, each.places_by_entrant, each.termination, 0) for each in referee.results[first:]]
    figures = [
        {
            "decisions": float(each.decision_count),
            "think_s": each.think_us / 1e6 / max(1, each.decision_count),
            **late_figures(each.late_count, each.late_us),
        }
        for each in referee.entrant_records
    ]
    return MatchReport(hosted.match_id, "running", tuple(games), "", strike_counts_of(referee), tuple(figures))
