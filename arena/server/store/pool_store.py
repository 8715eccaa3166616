"""Seasons, seatings and ratings of pools in the database; implements the `PoolStore` port."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, func, or_, select, update
from sqlalchemy.dialects.sqlite import insert

from arena.competition.pools.ports import (
    CLOSED,
    FitRow,
    PlayedGame,
    RoundRow,
    SeasonBot,
    SeasonPart,
    SeasonRow,
    SeatingRow,
)
from arena.match.referee.ports import MatchId
from arena.server.store.database import Batcher, Database, columns_of, shield_from_cancel, value_from_row
from arena.server.store.pool_reader import (
    is_new_in_season,
    read_entrants,
    read_fit,
    read_games,
    read_season,
    read_seatings,
)
from arena.server.store.pool_tables import (
    POOL_FITS,
    POOL_MATCHES,
    POOL_MEETINGS,
    POOL_RATING_POINTS,
    POOL_RATINGS,
    POOL_ROUNDS,
    POOL_SEASONS,
    POOL_SEATS,
)
from arena.server.store.tables import MATCHES

_HOUR_S: Final = 3_600
_RATING_KEY: Final = ("bot", "version", "rating", "low", "high", "games")


class SqlPoolStore:
    """Stores pools. Every call is one transaction and raises StoreError if the store cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seatings = Batcher(self._add_seatings)

    # ---- seasons

    @shield_from_cancel
    async def seasons(self) -> Sequence[SeasonRow]:
        """Return all seasons of all pools, the oldest of each pool first."""
        rows = await self._rows(select(POOL_SEASONS).order_by(POOL_SEASONS.c.pool, POOL_SEASONS.c.season))
        return [value_from_row(row, SeasonRow) for row in rows]

    @shield_from_cancel
    async def newest_season(self, pool: str) -> SeasonRow | None:
        """Return the newest season of a pool; None if there is none."""
        table = POOL_SEASONS
        rows = await self._rows(select(table).where(table.c.pool == pool).order_by(table.c.season.desc()).limit(1))
        return value_from_row(rows[0], SeasonRow) if rows else None

    @shield_from_cancel
    async def open_season(self, row: SeasonRow) -> None:
        """Add a season; do nothing if it is stored already."""
        add = insert(POOL_SEASONS).values(columns_of(row)).on_conflict_do_nothing()
        await self._database.write(lambda connection: connection.execute(add))

    @shield_from_cancel
    async def end_season(self, pool: str, season: int, at: float) -> None:
        """Let a season end at this time, in seconds since 1970; do nothing if it ends earlier."""
        table = POOL_SEASONS
        ends_later = or_(table.c.ends_at.is_(None), table.c.ends_at > at)
        change = update(table).where(table.c.pool == pool, table.c.season == season, ends_later).values(ends_at=at)
        await self._database.write(lambda connection: connection.execute(change))

    @shield_from_cancel
    async def close_season(self, pool: str, season: int, at: float, report: str) -> None:
        """Store that a season is closed, and the folder of its report."""
        table = POOL_SEASONS
        change = (
            update(table)
            .where(table.c.pool == pool, table.c.season == season, table.c.state != CLOSED)
            .values(state=CLOSED, closed_at=at, report=report)
        )
        await self._database.write(lambda connection: connection.execute(change))

    # ---- seatings

    @shield_from_cancel
    async def add_round(self, row: RoundRow) -> None:
        """Store a round of matchmaking."""
        await self._database.write(lambda connection: connection.execute(insert(POOL_ROUNDS), [columns_of(row)]))

    @shield_from_cancel
    async def add_seating(self, row: SeatingRow) -> None:
        """Store the seating of a match. Concurrent calls share a transaction."""
        await self._seatings.submit(row)

    async def _add_seatings(self, seatings: Sequence[SeatingRow]) -> Sequence[None]:
        matches = [
            {name: value for name, value in columns_of(seating).items() if name != "seated"} for seating in seatings
        ]
        seats = [
            {"match_id": seating.match_id, "entrant": entrant, **columns_of(seated)}
            for seating in seatings
            for entrant, seated in enumerate(seating.seated)
        ]

        def add(connection: Connection) -> None:
            connection.execute(insert(POOL_MATCHES), matches)
            connection.execute(insert(POOL_SEATS), seats)

        await self._database.write(add)
        return [None] * len(seatings)

    @shield_from_cancel
    async def drop_seatings(self, match_ids: Collection[MatchId]) -> None:
        """Remove the seatings of matches that were never offered. Seatings of stored matches stay."""
        unstored = [
            each.not_in(select(MATCHES.c.match_id)) for each in (POOL_SEATS.c.match_id, POOL_MATCHES.c.match_id)
        ]

        def drop(connection: Connection) -> None:
            for table, is_unstored in zip((POOL_SEATS, POOL_MATCHES), unstored, strict=True):
                connection.execute(delete(table).where(table.c.match_id.in_(match_ids), is_unstored))

        await self._database.write(drop)

    @shield_from_cancel
    async def unended_seatings(self, pool: str) -> Sequence[SeatingRow]:
        """Return the seatings whose matches have not ended, oldest first. A match that was not offered counts too."""
        ended = select(MATCHES.c.match_id).where(MATCHES.c.state == "ended")
        wanted = select(POOL_MATCHES).where(POOL_MATCHES.c.pool == pool, POOL_MATCHES.c.match_id.not_in(ended))
        return await self._database.read(lambda connection: read_seatings(connection, wanted))

    @shield_from_cancel
    async def recent_meetings(self, pool: str, limit: int) -> Sequence[Sequence[str]]:
        """Return the bots of the newest matches of a pool, at most `limit`, newest first."""
        newest = (
            select(POOL_MATCHES.c.match_id)
            .where(POOL_MATCHES.c.pool == pool)
            .order_by(POOL_MATCHES.c.match_id.desc())
            .limit(limit)
        )
        seats = select(POOL_SEATS.c.match_id, POOL_SEATS.c.bot).where(POOL_SEATS.c.match_id.in_(newest))
        rows = await self._rows(seats.order_by(POOL_SEATS.c.match_id.desc(), POOL_SEATS.c.entrant))
        return [[row.bot for row in group] for _, group in groupby(rows, attrgetter("match_id"))]

    @shield_from_cancel
    async def season_bots(self, pool: str, season: int) -> Mapping[str, SeasonBot]:
        """Return the bots that were seated in a season, by name."""
        is_house = func.max(POOL_SEATS.c.is_house)
        wanted = (
            select(POOL_SEATS.c.bot, func.max(POOL_SEATS.c.owner).label("owner"), is_house.label("is_house"))
            .join(POOL_MATCHES, POOL_MATCHES.c.match_id == POOL_SEATS.c.match_id)
            .where(POOL_MATCHES.c.pool == pool, POOL_MATCHES.c.season == season)
            .group_by(POOL_SEATS.c.bot)
            .order_by(POOL_SEATS.c.bot)
        )
        return {row.bot: SeasonBot(row.bot, row.owner, bool(row.is_house)) for row in await self._rows(wanted)}

    @shield_from_cancel
    async def versions(self, pool: str, season: int) -> Mapping[str, Sequence[str]]:
        """Return the versions of each bot that was seated in a season, in the order of their first matches."""
        first = func.min(POOL_SEATS.c.match_id)
        wanted = (
            select(POOL_SEATS.c.bot, POOL_SEATS.c.version)
            .join(POOL_MATCHES, POOL_MATCHES.c.match_id == POOL_SEATS.c.match_id)
            .where(POOL_MATCHES.c.pool == pool, POOL_MATCHES.c.season == season)
            .group_by(POOL_SEATS.c.bot, POOL_SEATS.c.version)
            .order_by(first)
        )
        versions = defaultdict(list)
        for row in await self._rows(wanted):
            versions[row.bot].append(row.version)
        return versions

    @shield_from_cancel
    async def played_games(
        self, pool: str, season: int, after: int | None = None, among: Collection[MatchId] = ()
    ) -> Sequence[PlayedGame]:
        """Return the finished games of rated matches that have ended, in the order in which the matches were made.

        `after` leaves out the matches up to this number, except those in `among`.
        """
        counts = is_new_in_season(pool, season, after, among)
        return await self._database.read(
            lambda connection: read_games(connection, counts, read_entrants(connection, counts))
        )

    @shield_from_cancel
    async def read_season(
        self, pool: str, season: int, after: int | None = None, among: Collection[MatchId] = ()
    ) -> SeasonPart:
        """Return the matches that have ended, without those up to `after` unless they are in `among`."""
        counts = is_new_in_season(pool, season, after, among)
        return await self._database.read(lambda connection: read_season(connection, counts, after))

    # ---- ratings

    @shield_from_cancel
    async def newest_fit(self, pool: str, season: int) -> FitRow | None:
        """Return the newest ratings of a season without their figures; None if there are none."""
        return await self._database.read(lambda connection: read_fit(connection, pool, season))

    @shield_from_cancel
    async def add_fit(self, fit: FitRow) -> None:
        """Replace the ratings and meetings of a season, and keep the ratings as those of this hour."""
        await self._database.write(lambda connection: replace_fit(connection, fit))

    async def _rows(self, wanted: Any) -> Sequence[Row[Any]]:
        return await self._database.read(lambda connection: connection.execute(wanted).all())


def replace_fit(connection: Connection, fit: FitRow) -> None:
    """Replace the ratings and meetings of a season, and keep the ratings as those of this hour."""
    key = {"pool": fit.pool, "season": fit.season}
    for table in (POOL_FITS, POOL_RATINGS, POOL_MEETINGS):
        connection.execute(delete(table).where(table.c.pool == fit.pool, table.c.season == fit.season))
    values = {name: value for name, value in columns_of(fit).items() if name not in ("ratings", "meetings")}
    connection.execute(insert(POOL_FITS).values(values | {"unended": list(fit.unended)}))
    if fit.ratings:
        connection.execute(insert(POOL_RATINGS), [key | columns_of(row) for row in fit.ratings])
        add = insert(POOL_RATING_POINTS)
        changed = {name: add.excluded[name] for name in ("rating", "low", "high", "games")}
        points = list(_rating_points(fit))
        connection.execute(
            add.on_conflict_do_update(index_elements=POOL_RATING_POINTS.primary_key, set_=changed), points
        )
    if fit.meetings:
        connection.execute(insert(POOL_MEETINGS), [key | columns_of(row) for row in fit.meetings])


def _rating_points(fit: FitRow) -> Iterator[Mapping[str, Any]]:
    hour = int(fit.fitted_at // _HOUR_S)
    for row in fit.ratings:
        values = columns_of(row)
        yield {name: values[name] for name in _RATING_KEY} | {"pool": fit.pool, "season": fit.season, "hour": hour}
