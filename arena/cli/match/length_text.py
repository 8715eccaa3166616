"""Tells how long games were, and how many of them ended only because of the turn limit."""

from collections.abc import Iterable
from typing import Any

from arena.match.referee.game_lengths import GameLengths, measure_games
from arena.match.referee.match_order import MatchReport
from arena.plurals import format_count


def lengths_of(reports: Iterable[MatchReport], turn_limit: int | None) -> GameLengths:
    """Return how long the finished games of some matches were."""
    return measure_games(((game.termination, game.turn_count) for each in reports for game in each.games), turn_limit)


def length_text(lengths: GameLengths) -> str:
    """Return how long the games were, in one line; empty if nothing is known."""
    median = lengths.median_turns
    turns = "" if median is None else f"{median:.0f}" if lengths.game_count == 1 else f"{median:.0f} a game (median)"
    return "; ".join(filter(None, [turns, stopped_text(lengths)]))


def stopped_text(lengths: GameLengths) -> str:
    """Return how many games ended at the turn limit; empty if none did."""
    if not lengths.stopped_count:
        return ""
    at = "the turn limit" if lengths.turn_limit is None else f"the limit of {format_count(lengths.turn_limit, 'turn')}"
    if lengths.game_count == 1:
        return f"the game ended at {at}"
    return f"{lengths.stopped_count} of {format_count(lengths.game_count, 'game')} ended at {at}"


def lengths_as_dict(lengths: GameLengths) -> dict[str, Any]:
    """Return plain values for JSON."""
    return {
        "turn_limit": lengths.turn_limit,
        "games_at_turn_limit": lengths.stopped_count,
        "median_turns": lengths.median_turns,
    }
