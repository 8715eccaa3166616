"""Reads the matches of pools from the database: their seatings, and what ratings need of their games."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, and_, or_, select

from arena.competition.pools.ports import PlayedGame, SeasonPart, SeatedBot, SeatingRow
from arena.match.referee.ports import MatchId
from arena.server.store.pool_tables import POOL_MATCHES, POOL_SEATS
from arena.server.store.rows import value_from_row
from arena.server.store.tables import GAMES, MATCHES


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


def is_new_in_season(pool: str, season: int, after: int | None, among: Collection[MatchId]) -> Any:
    """Return the condition that a match of a season has a higher number than `after`, or is in `among`."""
    in_season = and_(POOL_MATCHES.c.pool == pool, POOL_MATCHES.c.season == season)
    if after is None:
        return in_season
    return and_(in_season, or_(POOL_MATCHES.c.number > after, POOL_MATCHES.c.match_id.in_(among)))


def read_entrants(connection: Connection, counts: Any) -> Mapping[str, Sequence[tuple[str, str]]]:
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


def read_games(
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


def read_season(connection: Connection, counts: Any, after: int | None) -> SeasonPart:
    """Return the matches that meet a condition and have ended. If there are none, `upto` is `after`."""
    entrants = read_entrants(connection, counts)
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
    return SeasonPart(read_games(connection, counts, entrants), figures, upto, tuple(unended))


def _seat_by_seat(
    match_id: str, game: int, entrants: Sequence[tuple[str, str]], places: Sequence[int], *, is_rotated: bool
) -> PlayedGame:
    """Return a game by seat. In a rotated match entrant e has seat e + game (`Terms.seat_of`)."""
    shift = game if is_rotated else 0
    order = [(seat - shift) % len(entrants) for seat in range(len(entrants))]
    return PlayedGame(
        MatchId(match_id), game, tuple(entrants[each] for each in order), tuple(places[each] for each in order)
    )
