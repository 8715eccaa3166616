"""Reads seasons, seatings, ratings and meetings of pools for those who show or check them, and for `pool_store`."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Connection, and_, exists, func, or_, select, union

from arena.competition.pools.ports import (
    OPEN,
    RATED_GAMES,
    FitRow,
    MeetingRow,
    RatingRow,
    RoundRow,
    SeasonRow,
    SeatedBot,
    SeatingRow,
)
from arena.match.referee.ports import MatchId
from arena.server.store.database import StorePart, read_value, read_values, reads, value_from_row
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
from arena.server.store.tables import BOTS, MATCH_BOTS, MATCHES

REVEALING_S: Final = 60.0
"""For this long, those who waited in a round are likely to sit in the next matches."""
_RATING: Final = [POOL_RATINGS.c[each.name] for each in fields(RatingRow) if each.name != "figures"]


class PoolReader(StorePart):
    @reads
    def newest_seasons(self, connection: Connection) -> Sequence[SeasonRow]:
        """Return the newest season of each pool, by name of the pool."""
        table = POOL_SEASONS
        newest = select(table.c.pool, func.max(table.c.season).label("season")).group_by(table.c.pool).subquery()
        wanted = select(table).join(newest, and_(table.c.pool == newest.c.pool, table.c.season == newest.c.season))
        return read_values(connection, wanted.order_by(table.c.pool), SeasonRow)

    @reads
    def seasons_of_pool(self, connection: Connection, pool: str, limit: int) -> Sequence[SeasonRow]:
        """Return at most `limit` seasons of a pool, newest first."""
        table = POOL_SEASONS
        wanted = select(table).where(table.c.pool == pool).order_by(table.c.season.desc()).limit(limit)
        return read_values(connection, wanted, SeasonRow)

    @reads
    def season(self, connection: Connection, pool: str, number: int) -> SeasonRow | None:
        table = POOL_SEASONS
        return read_value(connection, select(table).where(table.c.pool == pool, table.c.season == number), SeasonRow)

    @reads
    def fitted_at(self, connection: Connection, pool: str, season: int) -> float | None:
        """Return when the newest ratings of a season were computed, in seconds since 1970; None if there are none."""
        table = POOL_FITS
        wanted = select(table.c.fitted_at).where(table.c.pool == pool, table.c.season == season)
        found: float | None = connection.scalar(wanted)
        return found

    @reads
    def newest_fit(self, connection: Connection, pool: str, season: int) -> FitRow | None:
        """Return the newest ratings of a season without meetings, and of their figures only `RATED_GAMES`.

        None if there are none.
        """
        fits = select(POOL_FITS).where(POOL_FITS.c.pool == pool, POOL_FITS.c.season == season)
        found = connection.execute(fits).one_or_none()
        if found is None:
            return None
        rated = POOL_RATINGS.c.figures[RATED_GAMES].as_float()
        wanted = select(rated, *_RATING).where(POOL_RATINGS.c.pool == pool, POOL_RATINGS.c.season == season)
        ratings = tuple(
            replace(RatingRow(*values), figures={} if counted is None else {RATED_GAMES: counted})
            for counted, *values in connection.execute(wanted)
        )
        return FitRow(**found._asdict() | {"unended": tuple(found.unended), "ratings": ratings})

    @reads
    def seasons_of(self, connection: Connection, bot: str) -> Sequence[tuple[str, int]]:
        """Return the pool and the number of each season in which a bot was rated, by pool, the newest season first."""
        table = POOL_RATING_POINTS
        wanted = select(table.c.pool, table.c.season).where(table.c.bot == bot).distinct()
        rows = connection.execute(wanted.order_by(table.c.pool, table.c.season.desc()))
        return [(row.pool, row.season) for row in rows]

    @reads
    def ratings_of(self, connection: Connection, bot: str, pool: str, season: int) -> Sequence[RatingRow]:
        """Return the newest ratings of the versions of a bot with their figures, the version that played last first."""
        table = POOL_RATINGS
        wanted = select(table).where(table.c.pool == pool, table.c.season == season, table.c.bot == bot)
        newest_first = wanted.order_by(table.c.last_match.desc(), table.c.version.desc())
        return read_values(connection, newest_first, RatingRow)

    @reads
    def points(self, connection: Connection, bot: str, pool: str, season: int) -> Sequence[tuple[int, RatingRow]]:
        """Return the ratings of a bot's versions at the end of each hour that changed them, oldest first.

        Each has its hour since 1970. The ratings have neither spread nor figures.
        """
        table = POOL_RATING_POINTS
        wanted = select(table).where(table.c.bot == bot, table.c.pool == pool, table.c.season == season)
        rows = connection.execute(wanted.order_by(table.c.hour, table.c.version))
        return [
            (row.hour, RatingRow(row.bot, row.version, row.rating, 0.0, row.games, MatchId(""), row.low, row.high))
            for row in rows
        ]

    @reads
    def meetings(
        self,
        connection: Connection,
        pool: str,
        season: int,
        bot: str | None = None,
        among: Collection[str] | None = None,
    ) -> Sequence[MeetingRow]:
        """Return who met whom in a season, by name: all, those of one bot, or those `among` some bots."""
        table = POOL_MEETINGS
        wanted = select(table).where(table.c.pool == pool, table.c.season == season)
        if bot is not None:
            wanted = wanted.where(table.c.bot == bot)
        if among is not None:
            wanted = wanted.where(table.c.bot.in_(among), table.c.other.in_(among))
        rows = connection.execute(wanted.order_by(table.c.bot, table.c.other))
        return [MeetingRow(row.bot, row.other, row.games, row.points) for row in rows]

    @reads
    def bots_like(self, connection: Connection, text: str, limit: int) -> Sequence[str]:
        """Return at most `limit` names, in order, that contain a text: of registered, rated and playing bots."""
        registered, rated, playing = BOTS.c.name, POOL_RATINGS.c.bot, MATCH_BOTS.c.bot
        found = union(
            select(registered.label("bot")).where(registered.icontains(text, autoescape=True)),
            select(rated).where(rated.icontains(text, autoescape=True)),
            select(playing).where(playing == text),
        ).subquery()
        return list(connection.scalars(select(found.c.bot).order_by(found.c.bot).limit(limit)))

    @reads
    def seating(self, connection: Connection, match_id: MatchId) -> SeatingRow | None:
        wanted = select(POOL_MATCHES).where(POOL_MATCHES.c.match_id == match_id)
        found = read_seatings(connection, wanted)
        return found[0] if found else None

    @reads
    def seatings(
        self, connection: Connection, pool: str, limit: int, before: MatchId | None = None
    ) -> Sequence[SeatingRow]:
        """Return at most `limit` seatings of a pool, newest first; only those older than `before`, if it is given."""
        wanted = select(POOL_MATCHES).where(POOL_MATCHES.c.pool == pool)
        if before is not None:
            wanted = wanted.where(POOL_MATCHES.c.match_id < before)
        newest = wanted.order_by(POOL_MATCHES.c.match_id.desc()).limit(limit)
        found = read_seatings(connection, newest)
        return found[::-1]

    @reads
    def rounds(self, connection: Connection, round_ids: Collection[str]) -> Mapping[str, RoundRow]:
        """Return the rounds with these ids that are stored, by id."""
        wanted = select(POOL_ROUNDS).where(POOL_ROUNDS.c.round_id.in_(round_ids))
        return {row.round_id: row for row in read_values(connection, wanted, RoundRow)}

    @reads
    def is_round_secret(self, connection: Connection, row: RoundRow, now: float) -> bool:
        """Return whether a round may tell who plays in an anonymous match. `now` is in seconds since 1970.

        The matches that ran at the round are in its meetings, and their bots are missing among the seekers. Those who
        waited in vain sit in the matches made soon after it. So a round is secret until all these matches are over.
        """
        latest = row.at + REVEALING_S
        is_anonymous = POOL_SEASONS.c.settings["terms", "anonymous"].as_boolean()
        running = exists().where(
            MATCHES.c.state == "running",
            MATCHES.c.created_at <= latest,
            MATCHES.c.terms["anonymous"].as_boolean(),
        )
        offered = exists().where(
            and_(POOL_MATCHES.c.pool == POOL_SEASONS.c.pool, POOL_MATCHES.c.season == POOL_SEASONS.c.season),
            is_anonymous,
            POOL_MATCHES.c.at.between(row.at - REVEALING_S, latest),
            POOL_MATCHES.c.match_id.not_in(select(MATCHES.c.match_id)),
        )
        may_be_next = exists().where(is_anonymous, POOL_SEASONS.c.state == OPEN)
        wanted = select(or_(running, offered).label("is_played"), may_be_next.label("may_follow"))
        found = connection.execute(wanted).one()
        return bool(found.is_played or (found.may_follow and now < latest))

    @reads
    def count_running(self, connection: Connection) -> Mapping[str, int]:
        """Return the number of running matches of each pool; pools without any are left out."""
        wanted = (
            select(POOL_MATCHES.c.pool, func.count().label("matches"))
            .join_from(MATCHES, POOL_MATCHES, POOL_MATCHES.c.match_id == MATCHES.c.match_id)
            .where(MATCHES.c.state == "running")
            .group_by(POOL_MATCHES.c.pool)
        )
        return {row.pool: row.matches for row in connection.execute(wanted)}


def read_seatings(connection: Connection, wanted: Any) -> list[SeatingRow]:
    """Return seatings, oldest first. `wanted` selects rows of `pool_match`."""
    matches = connection.execute(wanted).all()
    seats: dict[str, list[SeatedBot]] = defaultdict(list)
    ids = [row.match_id for row in matches]
    of_matches = select(POOL_SEATS).where(POOL_SEATS.c.match_id.in_(ids))
    for row in connection.execute(of_matches.order_by(POOL_SEATS.c.match_id, POOL_SEATS.c.entrant)):
        seats[row.match_id].append(value_from_row(row, SeatedBot))
    rows = ({name: value for name, value in row._asdict().items() if name != "number"} for row in matches)
    found = [SeatingRow(**row, seated=tuple(seats[row["match_id"]])) for row in rows]
    return sorted(found, key=attrgetter("match_id"))
