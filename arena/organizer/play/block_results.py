"""What a block keeps of its stored matches: results, analytics, and the strikes that a report explains."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from arena.competition.league.model import TableResult
from arena.competition.league.points import points_at
from arena.games.catalogue import pack_of
from arena.match.referee.ports import MatchRow
from arena.organizer.play.void_check import StoredMatch
from arena.organizer.seal.ledger import VoidForBot
from arena.replays.analytics.match_analytics import analyze_match

TableAnalytics = Sequence[Mapping[str, Any]]


def compute_analytics(tables: Sequence[StoredMatch]) -> list[TableAnalytics]:
    """Return the analytics of each table's seats as plain values. This takes some milliseconds."""
    found: list[TableAnalytics] = []
    for table in tables:
        analytics = pack_of(table.match.game).load_analytics()
        (seats,) = analyze_match(table.match, table.games[:1], analytics.build_analyzer)
        found.append([each.to_plain() for each in seats])
    return found


def hand_luck(analytics: TableAnalytics) -> tuple[float, ...]:
    """Return the luck of each seat's dealt hand, in the game's unit, from the analytics of the seats of a table."""
    return tuple(float(seat["counts"].get("luck", (0.0,))[0]) for seat in analytics)


def table_result_of(stored: StoredMatch, *, was_awaited: bool) -> TableResult:
    """Return a table's result from its stored match.

    If the league waited for the bots of the table and none came, they share the first place, because none of them
    finished ahead of another. The stored match has other places, by seat.
    """
    match, game = stored.match, stored.games[0]
    gone = frozenset(name for name, each in zip(match.entrants, match.strikes, strict=False) if each.get("gone"))
    nobody_came = was_awaited and not game.turn_count and len(gone) == len(match.entrants)
    places = (1,) * len(game.places) if nobody_came else game.places
    return TableResult(match.match_id, match.entrants, places, game.termination, gone, match.strikes, game.turn_count)


def lower_result(result: TableResult, voids: Iterable[VoidForBot]) -> TableResult:
    """Return a table's result, with the places of its void game unless the bot that this was void for is lower now.

    Otherwise a bot that can slow the machine down could play its worst games again. All places of the void game count,
    and not just the bot's own: they are an order that was played, and no other bot of the table gets a second try
    either. The block's other tables keep their replay, because an owner's bots are kept apart.
    """
    for row, act in voids:
        name = act.values["name"]
        for seats, match_id, places in zip(row.tables, row.matches, act.values["places"], strict=True):
            seat = seats.index(name) if seats == result.seats and name in seats else None
            if seat is not None and points_at(places, seat) <= points_at(result.places, seat):
                result = replace(result, places=tuple(places), luck=(), places_of=match_id)
    return result


MAX_EXPLAINED_STRIKES: Final = 100
"""How many strikes of each entrant a league's report explains. Later strikes are only counted. Replays explain all."""


def select_faults_to_keep(row: MatchRow, strikes: Mapping[str, int]) -> list[Mapping[str, Any]]:
    """Return the faults of a match to keep with its block, as plain values.

    `strikes` maps each entrant to its number of earlier faults.
    """
    counts, selected = Counter(strikes), list[Mapping[str, Any]]()
    for fault in row.faults:
        name = row.entrants[fault["entrant"]]
        counts[name] += 1
        if counts[name] <= MAX_EXPLAINED_STRIKES:
            selected.append(fault)
    return selected
