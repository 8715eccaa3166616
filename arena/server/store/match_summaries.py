"""Reads matches for lists: each match with its places and its deal, but without the events of its games."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, exists, false, func, not_, or_, select

from arena.errors import StoreDamagedError
from arena.ids import id_time
from arena.match.referee.ports import DealRow, GameSummary, MatchId, MatchRow, MatchSearch, MatchSummary
from arena.match.referee.sealed_results import has_sealed_faults, open_faults
from arena.match.referee.strike_record import StrikeRecord
from arena.plain_data import from_plain
from arena.server.store.database import value_from_row
from arena.server.store.pool_tables import POOL_MATCHES
from arena.server.store.tables import DEALS, GAMES, IS_SHARED, MATCH_BOTS, MATCHES

_GAME_COLUMNS: Final = [column for column in GAMES.c if column is not GAMES.c.events]
_COLUMNS_WITHOUT_FAULTS: Final = [column for column in MATCHES.c if column is not MATCHES.c.faults]
_UNREADABLE_TERMS: Final = {"game": "", "rules_version": "", "preset": "", "entrants": (), "game_count": 0}


@dataclass(frozen=True, slots=True)
class _ListedTerms:
    game: str
    rules_version: str
    preset: str
    entrants: tuple[str, ...]
    game_count: int


def read_newest(
    connection: Connection,
    limit: int,
    before: MatchId | None,
    wanted: MatchSearch,
    *,
    with_shared: bool,
) -> Sequence[MatchSummary]:
    """Return at most `limit` matches older than `before`, newest first, without their faults.

    Unless `with_shared`, matches with a shared deal are left out.
    """
    ids = _select_newest(limit, before, wanted)
    if not with_shared:
        ids = ids.where(not_(exists().where(DEALS.c.match_id == MATCHES.c.match_id, IS_SHARED)))
    return read_summaries(connection, list(connection.scalars(ids)))


def find_matches_of(
    connection: Connection, bot: str, limit: int, before: MatchId | None
) -> tuple[Sequence[MatchId], MatchId | None]:
    """Return the ids of at most `limit` matches of a bot, newest first, and the `before` of the next call.

    The second value is None if no older match is left.
    """
    found: list[MatchId] = list(connection.scalars(_select_newest(limit + 1, before, MatchSearch(bot=bot))))
    return found[:limit], found[limit - 1] if len(found) > limit else None


def bots_of(row: MatchRow) -> list[tuple[str, str]]:
    """Return the rows that say which bots play in a match. An instance of a bot (NAME/1) counts as the bot."""
    return [(bot, row.match_id) for bot in {name.partition("/")[0] for name in row.entrants}]


def _select_newest(limit: int, before: MatchId | None, wanted: MatchSearch) -> Select[Any]:
    """Return the statement that selects the ids of the newest matches.

    It follows one index, in the order of the ids: that of a bot, that of the season unless few matches run, or one of
    the matches. An added empty text keeps the database from using the index of another column, after which it
    would have to sort.
    """
    match_id = MATCHES.c.match_id
    game: ColumnElement[str] = MATCHES.c.game
    state: ColumnElement[str] = MATCHES.c.state
    follows_season = wanted.season is not None and wanted.bot is None and wanted.state != "running"
    if wanted.bot is not None or follows_season:
        match_id = POOL_MATCHES.c.match_id if follows_season else MATCH_BOTS.c.match_id
        game, state = MATCHES.c.game.concat(""), MATCHES.c.state.concat("")
        ids = select(match_id).join(MATCHES, MATCHES.c.match_id == match_id)
    else:
        ids = select(match_id)
    if wanted.bot is not None:
        ids = ids.where(MATCH_BOTS.c.bot == wanted.bot)
    if wanted.other is not None:
        other = MATCH_BOTS.alias("other")
        ids = ids.where(exists().where(other.c.bot == wanted.other, other.c.match_id == match_id))
    if wanted.season is not None:
        of_season = and_(POOL_MATCHES.c.pool == wanted.season[0], POOL_MATCHES.c.season == wanted.season[1])
        is_here = exists().where(POOL_MATCHES.c.match_id == match_id, of_season)
        ids = ids.where(of_season if follows_season else is_here)
    if wanted.game is not None:
        ids = ids.where(game == wanted.game)
    if wanted.state is not None:
        ids = ids.where(state == wanted.state)
    if wanted.shows_names:
        is_anonymous = func.coalesce(MATCHES.c.terms["anonymous"].as_boolean(), false())
        ids = ids.where(or_(state == "ended", not_(is_anonymous)))
    if before is not None:
        ids = ids.where(match_id < before)
    return ids.order_by(match_id.desc()).limit(limit)


def read_summaries(
    connection: Connection, ids: Sequence[MatchId], *, with_faults: bool = False
) -> Sequence[MatchSummary]:
    """Return the stored matches among these ids, newest first. One that cannot be read is there with its damage.

    Actions of strikes are empty while other games may still use the deal.
    """
    columns = list(MATCHES.c) if with_faults else _COLUMNS_WITHOUT_FAULTS
    rows = connection.execute(
        select(*columns).where(MATCHES.c.match_id.in_(ids)).order_by(MATCHES.c.match_id.desc())
    ).all()
    deals = connection.execute(select(DEALS).where(DEALS.c.match_id.in_(ids))).all()
    games = connection.execute(
        select(*_GAME_COLUMNS).where(GAMES.c.match_id.in_(ids)).order_by(GAMES.c.match_id, GAMES.c.game)
    ).all()
    games_of = {match_id: list(group) for match_id, group in groupby(games, attrgetter("match_id"))}
    deal_of = {deal.match_id: deal for deal in deals}
    return [_read_summary(row, games_of.get(row.match_id, ()), deal_of.get(row.match_id)) for row in rows]


def _read_summary(row: Row[Any], games: Sequence[Row[Any]], deal: Row[Any] | None) -> MatchSummary:
    """Return a match, or its damage if a row of it cannot be read."""
    try:
        finished = tuple(value_from_row(game, GameSummary) for game in games)
        revealed = None if deal is None else value_from_row(deal, DealRow)
        match = _without_seals(value_from_row(row, MatchRow), revealed)
        from_plain(match.terms, _ListedTerms)
        from_plain(match.faults, tuple[StrikeRecord, ...])
        _check_entrants(match, finished)
    except (StoreDamagedError, ValueError) as error:
        match_id = MatchId(str(row.match_id))
        listed = MatchRow(
            match_id, 0, "", id_time(match_id) or 0.0, "", "", _UNREADABLE_TERMS, (), False, "ended", "unreadable"
        )
        return MatchSummary(listed, (), None, f"match {match_id} cannot be read: {error}")
    return MatchSummary(match, finished, revealed)


def _without_seals(match: MatchRow, deal: DealRow | None) -> MatchRow:
    """Raises ValueError."""
    if not has_sealed_faults(match.faults):
        return match
    revealed = None if deal is None else deal.revealed
    return replace(
        match, faults=open_faults(match.faults, None if revealed is None else bytes.fromhex(revealed["seed"]))
    )


def _check_entrants(match: MatchRow, games: Sequence[GameSummary]) -> None:
    by_entrant = [match.strikes or match.entrants, *(game.places for game in games)]
    if any(len(each) != len(match.entrants) for each in by_entrant):
        raise StoreDamagedError("it has strikes or places of other entrants")
