"""Seasons, seatings and ratings of pools in the database; implements the `PoolStore` port."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Connection, Integer, and_, cast, delete, func, or_, select, update

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
from arena.server.store.batcher import Batcher
from arena.server.store.database import (
    Database,
    columns_of,
    read_value,
    read_values,
    reads,
    shield_from_cancel,
    writes,
)
from arena.server.store.dialect import upsert
from arena.server.store.pool_reader import PoolReader, read_seatings
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
from arena.server.store.tables import GAMES, MATCHES

_HOUR_S: Final = 3_600
_RATING_KEY: Final = ("bot", "version", "rating", "low", "high", "games")


class SqlPoolStore(PoolReader):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._seatings = Batcher(database.write, self._add_seatings)

    # ---- seasons

    @reads
    def seasons(self, connection: Connection) -> Sequence[SeasonRow]:
        """Return all seasons of all pools, the oldest of each pool first."""
        by_pool = select(POOL_SEASONS).order_by(POOL_SEASONS.c.pool, POOL_SEASONS.c.season)
        return read_values(connection, by_pool, SeasonRow)

    @reads
    def newest_season(self, connection: Connection, pool: str) -> SeasonRow | None:
        newest_first = select(POOL_SEASONS).where(POOL_SEASONS.c.pool == pool).order_by(POOL_SEASONS.c.season.desc())
        return read_value(connection, newest_first.limit(1), SeasonRow)

    @writes
    def open_season(self, connection: Connection, row: SeasonRow) -> None:
        connection.execute(upsert(POOL_SEASONS).values(columns_of(row)).on_conflict_do_nothing())

    @writes
    def end_season(self, connection: Connection, pool: str, season: int, at: float) -> None:
        """Let a season end at this time, in seconds since 1970; do nothing if it ends earlier."""
        table = POOL_SEASONS
        ends_later = or_(table.c.ends_at.is_(None), table.c.ends_at > at)
        change = update(table).where(table.c.pool == pool, table.c.season == season, ends_later).values(ends_at=at)
        connection.execute(change)

    @writes
    def close_season(self, connection: Connection, pool: str, season: int, at: float, report: str) -> None:
        """Store that a season is closed, and the folder of its report."""
        table = POOL_SEASONS
        change = (
            update(table)
            .where(table.c.pool == pool, table.c.season == season, table.c.state != CLOSED)
            .values(state=CLOSED, closed_at=at, report=report)
        )
        connection.execute(change)

    # ---- seatings

    @writes
    def add_round(self, connection: Connection, row: RoundRow) -> None:
        connection.execute(upsert(POOL_ROUNDS), [columns_of(row)])

    @shield_from_cancel
    async def add_seating(self, row: SeatingRow) -> None:
        await self._seatings.submit(row)

    def _add_seatings(self, connection: Connection, seatings: Sequence[SeatingRow]) -> Sequence[None]:
        matches = [
            {name: value for name, value in columns_of(seating).items() if name != "seated"} for seating in seatings
        ]
        seats = [
            {"match_id": seating.match_id, "entrant": entrant, **columns_of(seated)}
            for seating in seatings
            for entrant, seated in enumerate(seating.seated)
        ]
        connection.execute(upsert(POOL_MATCHES), matches)
        connection.execute(upsert(POOL_SEATS), seats)
        return [None] * len(seatings)

    @writes
    def drop_seatings(self, connection: Connection, match_ids: Collection[MatchId]) -> None:
        """Seatings of stored matches stay."""
        for table in (POOL_SEATS, POOL_MATCHES):
            is_unstored = table.c.match_id.not_in(select(MATCHES.c.match_id))
            connection.execute(delete(table).where(table.c.match_id.in_(match_ids), is_unstored))

    @reads
    def unended_seatings(self, connection: Connection, pool: str) -> Sequence[SeatingRow]:
        ended = select(MATCHES.c.match_id).where(MATCHES.c.state == "ended")
        wanted = select(POOL_MATCHES).where(POOL_MATCHES.c.pool == pool, POOL_MATCHES.c.match_id.not_in(ended))
        return read_seatings(connection, wanted)

    @reads
    def recent_meetings(self, connection: Connection, pool: str, limit: int) -> Sequence[Sequence[str]]:
        newest = (
            select(POOL_MATCHES.c.match_id)
            .where(POOL_MATCHES.c.pool == pool)
            .order_by(POOL_MATCHES.c.match_id.desc())
            .limit(limit)
        )
        seats = select(POOL_SEATS.c.match_id, POOL_SEATS.c.bot).where(POOL_SEATS.c.match_id.in_(newest))
        rows = connection.execute(seats.order_by(POOL_SEATS.c.match_id.desc(), POOL_SEATS.c.entrant))
        return [[row.bot for row in group] for _, group in groupby(rows, attrgetter("match_id"))]

    @reads
    def season_bots(self, connection: Connection, pool: str, season: int) -> Mapping[str, SeasonBot]:
        """Return the bots that were seated in a season, by name."""
        is_house = func.max(cast(POOL_SEATS.c.is_house, Integer))
        wanted = (
            select(POOL_SEATS.c.bot, func.max(POOL_SEATS.c.owner).label("owner"), is_house.label("is_house"))
            .join(POOL_MATCHES, POOL_MATCHES.c.match_id == POOL_SEATS.c.match_id)
            .where(POOL_MATCHES.c.pool == pool, POOL_MATCHES.c.season == season)
            .group_by(POOL_SEATS.c.bot)
            .order_by(POOL_SEATS.c.bot)
        )
        return {row.bot: SeasonBot(row.bot, row.owner, bool(row.is_house)) for row in connection.execute(wanted)}

    @reads
    def versions(self, connection: Connection, pool: str, season: int) -> Mapping[str, Sequence[str]]:
        first = func.min(POOL_SEATS.c.match_id)
        wanted = (
            select(POOL_SEATS.c.bot, POOL_SEATS.c.version)
            .join(POOL_MATCHES, POOL_MATCHES.c.match_id == POOL_SEATS.c.match_id)
            .where(POOL_MATCHES.c.pool == pool, POOL_MATCHES.c.season == season)
            .group_by(POOL_SEATS.c.bot, POOL_SEATS.c.version)
            .order_by(first)
        )
        versions = defaultdict(list)
        for row in connection.execute(wanted):
            versions[row.bot].append(row.version)
        return versions

    @reads
    def played_games(
        self, connection: Connection, pool: str, season: int, after: int | None = None, among: Collection[MatchId] = ()
    ) -> Sequence[PlayedGame]:
        counts = _is_new_in_season(pool, season, after, among)
        return _read_games(connection, counts, _read_entrants(connection, counts))

    @reads
    def read_season(
        self, connection: Connection, pool: str, season: int, after: int | None = None, among: Collection[MatchId] = ()
    ) -> SeasonPart:
        """Return the matches that have ended, without those up to `after` unless they are in `among`.

        If there are none, `upto` is `after`.
        """
        counts = _is_new_in_season(pool, season, after, among)
        entrants = _read_entrants(connection, counts)
        rows = (
            select(
                POOL_MATCHES.c.number,
                POOL_MATCHES.c.match_id,
                MATCHES.c.state,
                MATCHES.c.statistics,
                MATCHES.c.strikes,
            )
            .join_from(POOL_MATCHES, MATCHES, MATCHES.c.match_id == POOL_MATCHES.c.match_id, isouter=True)
            .where(counts)
            .order_by(POOL_MATCHES.c.match_id)
        )
        figures: list[tuple[tuple[str, str], Mapping[str, float]]] = []
        upto, unended = after or 0, []
        for number, match_id, state, statistics, strikes in connection.execute(rows):
            upto = max(upto, number)
            if state != "ended":
                unended.append(match_id)
                continue
            for program, numbers, struck in zip(entrants[match_id], statistics, strikes, strict=False):
                named = {f"strikes_{kind}": count for kind, count in struck.items() if count}
                figures.append((program, {"matches": 1, **numbers, **named}))
        return SeasonPart(_read_games(connection, counts, entrants), figures, upto, tuple(unended))

    # ---- ratings

    @writes
    def add_fit(self, connection: Connection, fit: FitRow) -> None:
        """Replace the ratings and meetings of a season, and keep the ratings as those of this hour."""
        key = {"pool": fit.pool, "season": fit.season}
        for table in (POOL_FITS, POOL_RATINGS, POOL_MEETINGS):
            connection.execute(delete(table).where(table.c.pool == fit.pool, table.c.season == fit.season))
        values = {name: value for name, value in columns_of(fit).items() if name not in ("ratings", "meetings")}
        connection.execute(upsert(POOL_FITS).values(values | {"unended": list(fit.unended)}))
        if fit.ratings:
            connection.execute(upsert(POOL_RATINGS), [key | columns_of(row) for row in fit.ratings])
            add = upsert(POOL_RATING_POINTS)
            changed = {name: add.excluded[name] for name in ("rating", "low", "high", "games")}
            points = list(_rating_points(fit))
            connection.execute(
                add.on_conflict_do_update(index_elements=POOL_RATING_POINTS.primary_key, set_=changed), points
            )
        if fit.meetings:
            connection.execute(upsert(POOL_MEETINGS), [key | columns_of(row) for row in fit.meetings])


def _is_new_in_season(pool: str, season: int, after: int | None, among: Collection[MatchId]) -> Any:
    """Return the condition that a match of a season has a higher number than `after`, or is in `among`."""
    in_season = and_(POOL_MATCHES.c.pool == pool, POOL_MATCHES.c.season == season)
    if after is None:
        return in_season
    return and_(in_season, or_(POOL_MATCHES.c.number > after, POOL_MATCHES.c.match_id.in_(among)))


def _read_entrants(connection: Connection, counts: Any) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return the bot and the version of each entrant of the matches that meet a condition, by match."""
    seats = (
        select(POOL_SEATS.c.match_id, POOL_SEATS.c.bot, POOL_SEATS.c.version)
        .join(POOL_MATCHES, POOL_MATCHES.c.match_id == POOL_SEATS.c.match_id)
        .where(counts)
        .order_by(POOL_SEATS.c.match_id, POOL_SEATS.c.entrant)
    )
    entrants: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for match_id, bot, version in connection.execute(seats):
        entrants[match_id].append((bot, version))
    return entrants


def _read_games(
    connection: Connection, counts: Any, entrants: Mapping[str, Sequence[tuple[str, str]]]
) -> list[PlayedGame]:
    """Return the finished games of rated, ended matches that meet a condition, oldest match first."""
    games = (
        select(GAMES.c.match_id, GAMES.c.game, GAMES.c.places, MATCHES.c.terms["seating"].as_string())
        .join(POOL_MATCHES, POOL_MATCHES.c.match_id == GAMES.c.match_id)
        .join(MATCHES, MATCHES.c.match_id == GAMES.c.match_id)
        .where(counts, POOL_MATCHES.c.rated, MATCHES.c.state == "ended")
        .order_by(GAMES.c.match_id, GAMES.c.game)
    )
    return [
        _seat_by_seat(match_id, game, entrants[match_id], places, is_rotated=seating == "rotated")
        for match_id, game, places, seating in connection.execute(games)
    ]


def _seat_by_seat(
    match_id: str, game: int, entrants: Sequence[tuple[str, str]], places: Sequence[int], *, is_rotated: bool
) -> PlayedGame:
    """Return a game by seat. In a rotated match entrant e has seat e + game (`Terms.seat_of`)."""
    shift = game if is_rotated else 0
    order = [(seat - shift) % len(entrants) for seat in range(len(entrants))]
    return PlayedGame(
        MatchId(match_id), game, tuple(entrants[each] for each in order), tuple(places[each] for each in order)
    )


def _rating_points(fit: FitRow) -> Iterator[Mapping[str, Any]]:
    hour = int(fit.fitted_at // _HOUR_S)
    for row in fit.ratings:
        values = columns_of(row)
        yield {name: values[name] for name in _RATING_KEY} | {"pool": fit.pool, "season": fit.season, "hour": hour}
