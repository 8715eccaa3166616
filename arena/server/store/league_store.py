"""The ledgers of leagues in the database; implements the `LeagueStore` port."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, func, insert, not_, select, update
from sqlalchemy.exc import IntegrityError

from arena.competition.league.ports import COMPARISON_PREFIX, DONE, OPEN, BlockRow, LeagueHead, LeagueRow, LedgerEntry
from arena.errors import StoreError
from arena.server.store.database import StorePart, columns_of, read_value, read_values, reads, writes
from arena.server.store.dialect import upsert
from arena.server.store.tables import LEAGUE_ACTS, LEAGUE_BLOCKS, LEAGUES

_BLOCK_COLUMNS: Final = tuple(column for column in LEAGUE_BLOCKS.columns if column.name not in ("league", "insight"))


class SqlLeagueStore(StorePart):
    @writes
    def add_league(self, connection: Connection, row: LeagueRow) -> None:
        try:
            connection.execute(insert(LEAGUES).values(columns_of(row)))
        except IntegrityError as error:
            raise StoreError(f"the store has a league {row.name!r} already") from error

    @reads
    def league(self, connection: Connection, name: str) -> LeagueRow | None:
        return read_value(connection, select(LEAGUES).where(LEAGUES.c.name == name), LeagueRow)

    @reads
    def names(self, connection: Connection) -> Sequence[str]:
        return connection.scalars(select(LEAGUES.c.name).order_by(LEAGUES.c.name)).all()

    @reads
    def heads(self, connection: Connection) -> Sequence[LeagueHead]:
        """Return the heads of all leagues, newest first. Comparisons, which are stored as leagues, are left out."""
        wanted = select(LEAGUES.c.name, LEAGUES.c.league_id, LEAGUES.c.created_at)
        public = not_(LEAGUES.c.name.startswith(COMPARISON_PREFIX, autoescape=True))
        newest_first = wanted.where(public).order_by(LEAGUES.c.created_at.desc(), LEAGUES.c.name)
        return read_values(connection, newest_first, LeagueHead)

    @reads
    def version(self, connection: Connection, league: str) -> tuple[int, int, int]:
        """Return three counts of a league: its ledger's entries, its attempts at blocks, and those that have ended.

        Nothing about the league has changed as long as they are the same.
        """
        acts = select(func.count()).select_from(LEAGUE_ACTS).where(LEAGUE_ACTS.c.league == league)
        attempts = select(func.count(), func.count(LEAGUE_BLOCKS.c.ended_at)).where(LEAGUE_BLOCKS.c.league == league)

        begun, ended = connection.execute(attempts).one()
        return connection.scalar(acts) or 0, begun, ended

    @reads
    def names_by_id(self, connection: Connection) -> Mapping[str, str]:
        """Return the name of each league, by the id that the ids of its deals contain."""
        rows = connection.execute(select(LEAGUES.c.league_id, LEAGUES.c.name))
        return {row.league_id: row.name for row in rows}

    @writes
    def add_ledger_entry(
        self, connection: Connection, league: str, kind: str, at: float, values: Mapping[str, Any]
    ) -> LedgerEntry:
        newest = select(func.coalesce(func.max(LEAGUE_ACTS.c.number), 0)).where(LEAGUE_ACTS.c.league == league)

        entry = LedgerEntry(connection.execute(newest).scalar_one() + 1, at, kind, dict(values))
        connection.execute(insert(LEAGUE_ACTS).values(league=league, **columns_of(entry)))
        return entry

    @reads
    def ledger_entries(self, connection: Connection, league: str) -> Sequence[LedgerEntry]:
        wanted = select(LEAGUE_ACTS).where(LEAGUE_ACTS.c.league == league).order_by(LEAGUE_ACTS.c.number)
        return read_values(connection, wanted, LedgerEntry)

    @writes
    def open_block(self, connection: Connection, league: str, row: BlockRow) -> None:
        insertion = upsert(LEAGUE_BLOCKS).values(league=league, **columns_of(row))
        insert_or_move = insertion.on_conflict_do_update(
            index_elements=["league", "number", "attempt"],
            set_={"journals": list(row.journals)},
            where=LEAGUE_BLOCKS.c.state == OPEN,
        )
        connection.execute(insert_or_move)

    @writes
    def end_block(self, connection: Connection, league: str, row: BlockRow) -> None:
        table = LEAGUE_BLOCKS
        attempt = (table.c.league == league, table.c.number == row.number, table.c.attempt == row.attempt)
        values = columns_of(row)
        ended = {name: values[name] for name in ("state", "results", "insight", "ended_at")}
        ending = update(table).where(*attempt, table.c.state == OPEN).values(ended)
        connection.execute(ending)

    @reads
    def blocks(self, connection: Connection, league: str) -> Sequence[BlockRow]:
        table = LEAGUE_BLOCKS
        wanted = select(*_BLOCK_COLUMNS).where(table.c.league == league).order_by(table.c.number, table.c.attempt)
        return read_values(connection, wanted, BlockRow)

    @reads
    def block_analytics(
        self, connection: Connection, league: str, numbers: range
    ) -> Mapping[tuple[int, int], Mapping[str, Any]]:
        table = LEAGUE_BLOCKS
        wanted = select(table.c.number, table.c.attempt, table.c.insight).where(table.c.league == league)
        here = wanted.where(table.c.number >= numbers.start, table.c.number < numbers.stop)
        found = connection.execute(here.where(table.c.state == DONE))
        return {(row.number, row.attempt): row.insight for row in found if row.insight is not None}
