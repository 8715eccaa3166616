"""Reads seasons, seatings, ratings and meetings of pools for those who show or check them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Row, and_, exists, func, or_, select

from arena.competition.pools.ports import OPEN, FitRow, MeetingRow, RatingRow, RoundRow, SeasonRow, SeatingRow
from arena.match.referee.ports import MatchId
from arena.server.store.database import Database, shield_from_cancel
from arena.server.store.pool_fits import read_fit
from arena.server.store.pool_matches import read_seatings
from arena.server.store.pool_tables import (
    POOL_MATCHES,
    POOL_MEETINGS,
    POOL_RATING_POINTS,
    POOL_RATINGS,
    POOL_ROUNDS,
    POOL_SEASONS,
)
from arena.server.store.rows import value_from_row
from arena.server.store.tables import MATCHES

REVEALING_S: Final = 60.0
"""For this long, those who waited in a round are likely to sit in the next matches."""


class PoolReader:
    """Reads pools. Every call is one transaction and raises StoreError if the store cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @shield_from_cancel
    async def newest_seasons(self) -> Sequence[SeasonRow]:
        """Return the newest season of each pool, by name of the pool."""
        table = POOL_SEASONS
        newest = select(table.c.pool, func.max(table.c.season).label("season")).group_by(table.c.pool).subquery()
        wanted = select(table).join(newest, and_(table.c.pool == newest.c.pool, table.c.season == newest.c.season))
        return [value_from_row(row, SeasonRow) for row in await self._rows(wanted.order_by(table.c.pool))]

    @shield_from_cancel
    async def seasons(self, pool: str, limit: int) -> Sequence[SeasonRow]:
        """Return at most `limit` seasons of a pool, newest first."""
        table = POOL_SEASONS
        wanted = select(table).where(table.c.pool == pool).order_by(table.c.season.desc()).limit(limit)
        return [value_from_row(row, SeasonRow) for row in await self._rows(wanted)]

    @shield_from_cancel
    async def season(self, pool: str, number: int) -> SeasonRow | None:
        """Return a season of a pool; None if there is no such season."""
        table = POOL_SEASONS
        rows = await self._rows(select(table).where(table.c.pool == pool, table.c.season == number))
        return value_from_row(rows[0], SeasonRow) if rows else None

    @shield_from_cancel
    async def standings(self, pool: str, season: int) -> FitRow | None:
        """Return the newest ratings of a season without their figures; None if there are none."""
        return await self._database.read(lambda connection: read_fit(connection, pool, season))

    @shield_from_cancel
    async def seasons_of(self, bot: str) -> Sequence[tuple[str, int]]:
        """Return the pool and the number of each season in which a bot was rated, by pool, the newest season first."""
        table = POOL_RATING_POINTS
        wanted = select(table.c.pool, table.c.season).where(table.c.bot == bot).distinct()
        rows = await self._rows(wanted.order_by(table.c.pool, table.c.season.desc()))
        return [(row.pool, row.season) for row in rows]

    @shield_from_cancel
    async def ratings_of(self, bot: str, pool: str, season: int) -> Sequence[RatingRow]:
        """Return the newest ratings of the versions of a bot with their figures, the version that played last first."""
        table = POOL_RATINGS
        wanted = select(table).where(table.c.pool == pool, table.c.season == season, table.c.bot == bot)
        rows = await self._rows(wanted.order_by(table.c.last_match.desc(), table.c.version.desc()))
        return [value_from_row(row, RatingRow) for row in rows]

    @shield_from_cancel
    async def points(self, bot: str, pool: str, season: int) -> Sequence[tuple[int, RatingRow]]:
        """Return the ratings of a bot's versions at the end of each hour that changed them, oldest first.

        Each has its hour since 1970. The ratings have neither spread nor figures.
        """
        table = POOL_RATING_POINTS
        wanted = select(table).where(table.c.bot == bot, table.c.pool == pool, table.c.season == season)
        rows = await self._rows(wanted.order_by(table.c.hour, table.c.version))
        return [
            (row.hour, RatingRow(row.bot, row.version, row.rating, 0.0, row.games, MatchId(""), row.low, row.high))
            for row in rows
        ]

    @shield_from_cancel
    async def meetings(
        self, pool: str, season: int, bot: str | None = None, among: Collection[str] | None = None
    ) -> Sequence[MeetingRow]:
        """Return who met whom in a season, by name: all, those of one bot, or those `among` some bots."""
        table = POOL_MEETINGS
        wanted = select(table).where(table.c.pool == pool, table.c.season == season)
        if bot is not None:
            wanted = wanted.where(table.c.bot == bot)
        if among is not None:
            wanted = wanted.where(table.c.bot.in_(among), table.c.other.in_(among))
        rows = await self._rows(wanted.order_by(table.c.bot, table.c.other))
        return [MeetingRow(row.bot, row.other, row.games, row.points) for row in rows]

    @shield_from_cancel
    async def seating(self, match_id: MatchId) -> SeatingRow | None:
        """Return the seating of a match; None if no pool has made it."""
        wanted = select(POOL_MATCHES).where(POOL_MATCHES.c.match_id == match_id)
        found = await self._database.read(lambda connection: read_seatings(connection, wanted))
        return found[0] if found else None

    @shield_from_cancel
    async def seatings(self, pool: str, limit: int, before: MatchId | None = None) -> Sequence[SeatingRow]:
        """Return at most `limit` seatings of a pool, newest first; only those older than `before`, if it is given."""
        wanted = select(POOL_MATCHES).where(POOL_MATCHES.c.pool == pool)
        if before is not None:
            wanted = wanted.where(POOL_MATCHES.c.match_id < before)
        newest = wanted.order_by(POOL_MATCHES.c.match_id.desc()).limit(limit)
        found = await self._database.read(lambda connection: read_seatings(connection, newest))
        return found[::-1]

    @shield_from_cancel
    async def rounds(self, round_ids: Collection[str]) -> Mapping[str, RoundRow]:
        """Return the rounds with these ids that are stored, by id."""
        rows = await self._rows(select(POOL_ROUNDS).where(POOL_ROUNDS.c.round_id.in_(round_ids)))
        return {row.round_id: value_from_row(row, RoundRow) for row in rows}

    @shield_from_cancel
    async def is_round_secret(self, row: RoundRow, now: float) -> bool:
        """Return whether a round may tell who plays in an anonymous match. `now` is in seconds since 1970.

        The matches that ran at the round are in its meetings, and their bots are missing among the seekers. Those who
        waited in vain sit in the matches made soon after it. So a round is secret until all these matches are over.
        """
        latest = row.at + REVEALING_S
        is_anonymous = func.json_extract(POOL_SEASONS.c.settings, "$.terms.anonymous") == 1
        running = exists().where(
            MATCHES.c.state == "running",
            MATCHES.c.created_at <= latest,
            func.json_extract(MATCHES.c.terms, "$.anonymous") == 1,
        )
        offered = exists().where(
            and_(POOL_MATCHES.c.pool == POOL_SEASONS.c.pool, POOL_MATCHES.c.season == POOL_SEASONS.c.season),
            is_anonymous,
            POOL_MATCHES.c.at.between(row.at - REVEALING_S, latest),
            POOL_MATCHES.c.match_id.not_in(select(MATCHES.c.match_id)),
        )
        may_be_next = exists().where(is_anonymous, POOL_SEASONS.c.state == OPEN)
        wanted = select(or_(running, offered).label("is_played"), may_be_next.label("may_follow"))
        found = (await self._rows(wanted))[0]
        return bool(found.is_played or (found.may_follow and now < latest))

    @shield_from_cancel
    async def count_running(self) -> Mapping[str, int]:
        """Return the number of running matches of each pool; pools without any are left out."""
        wanted = (
            select(POOL_MATCHES.c.pool, func.count().label("matches"))
            .join_from(MATCHES, POOL_MATCHES, POOL_MATCHES.c.match_id == MATCHES.c.match_id)
            .where(MATCHES.c.state == "running")
            .group_by(POOL_MATCHES.c.pool)
        )
        return {row.pool: row.matches for row in await self._rows(wanted)}

    async def _rows(self, wanted: Any) -> Sequence[Row[Any]]:
        return await self._database.read(lambda connection: connection.execute(wanted).all())
