"""Reads matches for lists: each match with its places and its deal, but without the events of its games."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from sqlalchemy import Connection, exists, func, not_, or_, select

from arena.match.ports import DealRow, GameSummary, MatchId, MatchRow, MatchSummary
from arena.store.rows import value_from_row
from arena.store.tables import DEALS, GAMES, IS_SHARED, MATCHES

MAX_SEARCHED: Final = 20_000
"""The largest number of matches that one search for a bot's matches reads, so that no call takes long. The next search
continues where this one ended."""
_GAME_COLUMNS: Final = [column for column in GAMES.c if column is not GAMES.c.events]
_COLUMNS_WITHOUT_FAULTS: Final = [column for column in MATCHES.c if column is not MATCHES.c.faults]


def read_newest(
    connection: Connection, limit: int, before: MatchId | None, *, with_shared: bool = True
) -> Sequence[MatchSummary]:
    """Return at most `limit` matches older than `before`, newest first, without their faults.

    Unless `with_shared`, matches with a shared deal are left out.
    """
    ids = select(MATCHES.c.match_id).order_by(MATCHES.c.match_id.desc()).limit(limit)
    if before is not None:
        ids = ids.where(MATCHES.c.match_id < before)
    if not with_shared:
        ids = ids.where(not_(exists().where(DEALS.c.match_id == MATCHES.c.match_id, IS_SHARED)))
    return read_summaries(connection, list(connection.scalars(ids)))


def search_matches_of(
    connection: Connection, name: str, limit: int, before: MatchId | None
) -> tuple[Sequence[MatchId], MatchId | None]:
    """Return the ids of at most `limit` matches of a bot, newest first, and the `before` of the next search.

    There may be fewer than `limit` matches, or none, although older ones follow. The second value is None if no older
    match is left.
    """
    recent = select(MATCHES.c.match_id, MATCHES.c.entrants).order_by(MATCHES.c.match_id.desc()).limit(MAX_SEARCHED)
    if before is not None:
        recent = recent.where(MATCHES.c.match_id < before)
    window = recent.subquery()
    entrant = func.json_each(window.c.entrants).table_valued("value").c.value
    is_bot = or_(entrant == name, func.substr(entrant, 1, len(name) + 1) == f"{name}/")
    wanted = select(window.c.match_id).where(exists().where(is_bot)).order_by(window.c.match_id.desc()).limit(limit + 1)
    found = list(connection.scalars(wanted))
    if len(found) > limit:
        return found[:limit], found[limit - 1]
    count, oldest = connection.execute(select(func.count(), func.min(window.c.match_id))).one()
    return found, oldest if count == MAX_SEARCHED else None


def read_summaries(
    connection: Connection, ids: Sequence[MatchId], *, with_faults: bool = False
) -> Sequence[MatchSummary]:
    """Return the stored matches among these ids, newest first."""
    columns = list(MATCHES.c) if with_faults else _COLUMNS_WITHOUT_FAULTS
    rows = connection.execute(
        select(*columns).where(MATCHES.c.match_id.in_(ids)).order_by(MATCHES.c.match_id.desc())
    ).all()
    deals = connection.execute(select(DEALS).where(DEALS.c.match_id.in_(ids))).all()
    games = _games_by_match(connection, ids)
    deal_by_match = {deal.match_id: value_from_row(deal, DealRow) for deal in deals}
    return [
        MatchSummary(value_from_row(row, MatchRow), games.get(row.match_id, ()), deal_by_match.get(row.match_id))
        for row in rows
    ]


def _games_by_match(connection: Connection, ids: Sequence[MatchId]) -> dict[MatchId, tuple[GameSummary, ...]]:
    """Return the finished games of these matches, in order."""
    wanted = select(*_GAME_COLUMNS).where(GAMES.c.match_id.in_(ids)).order_by(GAMES.c.match_id, GAMES.c.game)
    return {
        match_id: tuple(value_from_row(game, GameSummary) for game in group)
        for match_id, group in groupby(connection.execute(wanted).all(), attrgetter("match_id"))
    }
