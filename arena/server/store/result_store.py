"""Matches and finished games in the database; implements the `ResultStore` port."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, delete, select, update

from arena.errors import MatchMovedError, StoreDamagedError, StoreError, UnknownNameError
from arena.log_lines import get_logger
from arena.match.referee.ports import EVERY_MATCH, GameRow, MatchId, MatchRow, MatchSearch, MatchSummary
from arena.server.store.batcher import Batcher
from arena.server.store.database import (
    Database,
    StorePart,
    columns_of,
    read_value,
    read_values,
    reads,
    shield_from_cancel,
    value_from_row,
    writes,
)
from arena.server.store.dialect import add_pairs, is_one_of, upsert
from arena.server.store.match_summaries import bots_of, find_matches_of, read_newest, read_summaries
from arena.server.store.sealed_rows import open_game_rows, open_rows
from arena.server.store.tables import DEALS, GAMES, IS_SHARED, MATCH_BOTS, MATCHES

log = get_logger(__name__)

_IDENTIFYING_COLUMNS: Final = (MATCHES.c.created_at, MATCHES.c.game, MATCHES.c.preset)
"""If a match is added again, these columns are the same. If they differ, it is another match with the same id."""
_AFTER_ANY_ID: Final = "\x7f"
"""Sorts after every character of an id."""
_ENDING: Final = ("state", "termination", "strikes", "statistics", "faults")
"""What the end of a match changes in its row."""
_END: Final = update(MATCHES).where(MATCHES.c.match_id == bindparam("ended"))


class SqlResultStore(StorePart):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._additions = Batcher(database.write, self._add_matches)
        self._games = Batcher(database.write, self._add_games)
        self._ends = Batcher(database.write, self._end_matches)

    @shield_from_cancel
    async def add_match(self, row: MatchRow) -> None:
        """Add a match, or do nothing if it is already stored. A caller that got no answer may thus simply call again.

        Raises StoreError if another match has this id. Concurrent calls share a transaction.
        """
        await self._additions.submit(row)

    def _add_matches(self, connection: Connection, rows: Sequence[MatchRow]) -> Sequence[None]:
        once = upsert(MATCHES).on_conflict_do_nothing(index_elements=["match_id"])
        connection.execute(once, [columns_of(row) for row in rows])
        ids = [row.match_id for row in rows]
        wanted = select(MATCHES.c.match_id, *_IDENTIFYING_COLUMNS).where(is_one_of(connection, MATCHES.c.match_id, ids))
        stored = {match_id: values for match_id, *values in connection.execute(wanted)}
        for row in rows:
            if stored[row.match_id] != [getattr(row, column.name) for column in _IDENTIFYING_COLUMNS]:
                raise StoreError(f"the store has another match {row.match_id!r} already")
        add_pairs(connection, MATCH_BOTS, [bot for row in rows for bot in bots_of(row)])
        return [None] * len(rows)

    @writes
    def move_matches(self, connection: Connection, rows: Sequence[MatchRow]) -> None:
        """Matches that are not stored are added. Games of the old journal go: they will follow from the new one."""
        for row in rows:
            left = select(MATCHES.c.match_id).where(
                MATCHES.c.match_id == row.match_id, MATCHES.c.journal != row.journal
            )
            connection.execute(delete(GAMES).where(GAMES.c.match_id.in_(left)))
            moved = {"number": row.number, "journal": row.journal}
            add = upsert(MATCHES).values(columns_of(row))
            connection.execute(add.on_conflict_do_update(index_elements=["match_id"], set_=moved))
            add_pairs(connection, MATCH_BOTS, bots_of(row))
            deal = {"match_number": row.number, "journal": row.journal}
            connection.execute(update(DEALS).where(DEALS.c.match_id == row.match_id).values(deal))

    @shield_from_cancel
    async def add_games(self, match: MatchRow, rows: Iterable[GameRow]) -> None:
        values = [columns_of(row) for row in rows]
        if values:
            await self._games.submit((match, values))

    def _add_games(
        self, connection: Connection, batch: Sequence[tuple[MatchRow, Sequence[dict[str, Any]]]]
    ) -> Sequence[None]:
        _refuse_late_writers(connection, [match for match, _ in batch])
        once = upsert(GAMES).on_conflict_do_nothing(index_elements=["match_id", "game"])
        connection.execute(once, [game for _, games in batch for game in games])
        return [None] * len(batch)

    @shield_from_cancel
    async def end_match(self, row: MatchRow) -> None:
        await self._ends.submit(row)

    def _end_matches(self, connection: Connection, rows: Sequence[MatchRow]) -> Sequence[None]:
        _refuse_late_writers(connection, rows)
        ends = [{"ended": row.match_id, **{name: getattr(row, name) for name in _ENDING}} for row in rows]
        connection.execute(_END, ends)
        return [None] * len(rows)

    @reads
    def match(self, connection: Connection, match_id: MatchId) -> MatchRow:
        row = read_value(connection, select(MATCHES).where(MATCHES.c.match_id == match_id), MatchRow)
        if row is None:
            raise UnknownNameError("match", match_id)
        return open_rows(connection, {match_id: (row, ())})[match_id][0]

    @reads
    def games(self, connection: Connection, match_id: MatchId) -> Sequence[GameRow]:
        """An unknown match has none."""
        wanted = select(GAMES).where(GAMES.c.match_id == match_id).order_by(GAMES.c.game)
        return open_game_rows(connection, match_id, read_values(connection, wanted, GameRow))

    @reads
    def matches_with_games(
        self, connection: Connection, match_ids: Sequence[MatchId]
    ) -> Mapping[MatchId, tuple[MatchRow, Sequence[GameRow]]]:
        """Return the stored matches among these ids, each with its finished games in order.

        What other tables may still play with the same deal stays sealed (see `sealed_results`).
        """
        wanted = select(MATCHES).where(MATCHES.c.match_id.in_(match_ids))
        wanted_games = select(GAMES).where(GAMES.c.match_id.in_(match_ids)).order_by(GAMES.c.match_id, GAMES.c.game)
        games = groupby(read_values(connection, wanted_games, GameRow), attrgetter("match_id"))
        by_match = {match_id: [*group] for match_id, group in games}
        rows = read_values(connection, wanted, MatchRow)
        return open_rows(connection, {row.match_id: (row, by_match.get(row.match_id, [])) for row in rows})

    @reads
    def match_places(self, connection: Connection) -> Mapping[MatchId, tuple[str, int]]:
        """Return the journal file of every match and the match's number in it, by match id."""
        wanted = select(MATCHES.c.match_id, MATCHES.c.journal, MATCHES.c.number).order_by(MATCHES.c.match_id)
        return {MatchId(match_id): (journal, number) for match_id, journal, number in connection.execute(wanted)}

    @reads
    def matches_of_games(self, connection: Connection) -> Sequence[MatchId]:
        """Return the ids of all matches that have a stored game. The match itself need not be stored."""
        wanted = select(GAMES.c.match_id).distinct().order_by(GAMES.c.match_id)
        return connection.scalars(wanted).all()

    @reads
    def unfinished_matches(self, connection: Connection) -> Sequence[MatchRow]:
        """Return the matches that have not ended, oldest first. One that cannot be read is left out and logged.

        Matches on an unrevealed shared deal are left out, because their league continues them.
        """
        waiting = select(DEALS.c.match_id).where(IS_SHARED, DEALS.c.revealed.is_(None))
        left = and_(MATCHES.c.state == "running", MATCHES.c.match_id.not_in(waiting))
        wanted = select(MATCHES).where(left).order_by(MATCHES.c.match_id)
        found = []
        for row in connection.execute(wanted):
            try:
                found.append(value_from_row(row, MatchRow))
            except StoreDamagedError as error:
                log.warning("a match cannot be continued", match=row.match_id, fault=str(error))
        return found

    @reads
    def match_ids(self, connection: Connection, prefix: str, limit: int) -> Sequence[MatchId]:
        """Return at most `limit` ids that begin with a text, newest first."""
        begins = MATCHES.c.match_id.between(prefix, prefix + _AFTER_ANY_ID)
        wanted = select(MATCHES.c.match_id).where(begins).order_by(MATCHES.c.match_id.desc()).limit(limit)
        return connection.scalars(wanted).all()

    @reads
    def summaries(
        self,
        connection: Connection,
        limit: int,
        before: MatchId | None = None,
        wanted: MatchSearch = EVERY_MATCH,
        *,
        with_shared: bool = True,
    ) -> Sequence[MatchSummary]:
        """Unless `with_shared`, the matches of leagues and comparisons, whose deals are shared, are left out."""
        return read_newest(connection, limit, before, wanted, with_shared=with_shared)

    @reads
    def summary(self, connection: Connection, match_id: MatchId) -> MatchSummary | None:
        """Return a match with its faults, games and deal; None for an unknown match. Raises StoreDamagedError."""
        found = read_summaries(connection, [match_id], with_faults=True)
        if found and found[0].damage:
            raise StoreDamagedError(found[0].damage)
        return found[0] if found else None

    @reads
    def summaries_of(
        self, connection: Connection, name: str, limit: int, before: MatchId | None
    ) -> tuple[Sequence[MatchSummary], MatchId | None]:
        """Return at most `limit` matches of a bot older than `before`, newest first, with their faults.

        Those that cannot be read are left out. Also return the `before` of the next call, or None if no older match is
        left.
        """
        ids, following = find_matches_of(connection, name, limit, before)
        found = read_summaries(connection, ids, with_faults=True)
        return [each for each in found if not each.damage], following


def _refuse_late_writers(connection: Connection, rows: Sequence[MatchRow]) -> None:
    """Raise MatchMovedError for a match that goes on elsewhere than its row says; UnknownNameError for an unknown one.

    The matches cannot move before the transaction ends.
    """
    ids = {row.match_id for row in rows}
    wanted = select(MATCHES.c.match_id, MATCHES.c.journal, MATCHES.c.number)
    wanted = wanted.where(is_one_of(connection, MATCHES.c.match_id, ids))
    stored = {match_id: place for match_id, *place in connection.execute(wanted.with_for_update())}
    for row in rows:
        if row.match_id not in stored:
            raise UnknownNameError("match", row.match_id)
        if stored[row.match_id] != [row.journal, row.number]:
            raise MatchMovedError(row.match_id, row.journal, row.number)
