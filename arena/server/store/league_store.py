"""The ledgers of leagues in the database; implements the `LeagueStore` port."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, func, insert, not_, select, update
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.exc import IntegrityError

from arena.competition.league.ports import COMPARISON_PREFIX, DONE, OPEN, BlockRow, LeagueHead, LeagueRow, LedgerEntry
from arena.errors import StoreError
from arena.server.store.database import Database, columns_of, shield_from_cancel, value_from_row
from arena.server.store.tables import LEAGUE_ACTS, LEAGUE_BLOCKS, LEAGUES

_BLOCK_COLUMNS: Final = tuple(column for column in LEAGUE_BLOCKS.columns if column.name not in ("league", "insight"))


class SqlLeagueStore:
    """Stores ledgers. Every call is one transaction and raises StoreError if the store cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @shield_from_cancel
    async def add_league(self, row: LeagueRow) -> None:
        """Add a sealed league. Raises StoreError if the name is taken."""

        def add(connection: Connection) -> None:
            try:
                connection.execute(insert(LEAGUES).values(columns_of(row)))
            except IntegrityError as error:
                raise StoreError(f"the store has a league {row.name!r} already") from error

        await self._database.write(add)

    @shield_from_cancel
    async def league(self, name: str) -> LeagueRow | None:
        """Return a league, or None if no league has this name."""
        found = await self._rows(select(LEAGUES).where(LEAGUES.c.name == name))
        return value_from_row(found[0], LeagueRow) if found else None

    @shield_from_cancel
    async def names(self) -> Sequence[str]:
        """Return the names of all leagues."""
        wanted = select(LEAGUES.c.name).order_by(LEAGUES.c.name)
        return [name for (name,) in await self._rows(wanted)]

    @shield_from_cancel
    async def heads(self) -> Sequence[LeagueHead]:
        """Return all leagues, newest first, without comparisons."""
        wanted = select(LEAGUES.c.name, LEAGUES.c.league_id, LEAGUES.c.created_at)
        public = not_(LEAGUES.c.name.startswith(COMPARISON_PREFIX, autoescape=True))
        rows = await self._rows(wanted.where(public).order_by(LEAGUES.c.created_at.desc(), LEAGUES.c.name))
        return [value_from_row(row, LeagueHead) for row in rows]

    @shield_from_cancel
    async def version(self, league: str) -> tuple[int, int, int]:
        """Return three counts of a league: its ledger's entries, its attempts at blocks, and those that have ended.

        Nothing about the league has changed as long as they are the same.
        """
        acts = select(func.count()).select_from(LEAGUE_ACTS).where(LEAGUE_ACTS.c.league == league)
        attempts = select(func.count(), func.count(LEAGUE_BLOCKS.c.ended_at)).where(LEAGUE_BLOCKS.c.league == league)

        def read(connection: Connection) -> tuple[int, int, int]:
            begun, ended = connection.execute(attempts).one()
            return connection.scalar(acts) or 0, begun, ended

        return await self._database.read(read)

    @shield_from_cancel
    async def names_by_id(self) -> Mapping[str, str]:
        """Return the name of each league, by the id that the ids of its deals contain."""
        rows = await self._rows(select(LEAGUES.c.league_id, LEAGUES.c.name))
        return {row.league_id: row.name for row in rows}

    @shield_from_cancel
    async def add_ledger_entry(self, league: str, kind: str, at: float, values: Mapping[str, Any]) -> LedgerEntry:
        """Add an entry to a league's ledger and return it with its number."""
        newest = select(func.coalesce(func.max(LEAGUE_ACTS.c.number), 0)).where(LEAGUE_ACTS.c.league == league)

        def add(connection: Connection) -> LedgerEntry:
            entry = LedgerEntry(connection.execute(newest).scalar_one() + 1, at, kind, dict(values))
            connection.execute(insert(LEAGUE_ACTS).values(league=league, **columns_of(entry)))
            return entry

        return await self._database.write(add)

    @shield_from_cancel
    async def ledger_entries(self, league: str) -> Sequence[LedgerEntry]:
        """Return a league's ledger entries in order."""
        wanted = select(LEAGUE_ACTS).where(LEAGUE_ACTS.c.league == league).order_by(LEAGUE_ACTS.c.number)
        return [value_from_row(row, LedgerEntry) for row in await self._rows(wanted)]

    @shield_from_cancel
    async def open_block(self, league: str, row: BlockRow) -> None:
        """Store an attempt at a block before it begins. If the attempt is open already, replace only its journals."""
        insertion = upsert(LEAGUE_BLOCKS).values(league=league, **columns_of(row))
        insert_or_move = insertion.on_conflict_do_update(
            index_elements=["league", "number", "attempt"],
            set_={"journals": list(row.journals)},
            where=LEAGUE_BLOCKS.c.state == OPEN,
        )
        await self._database.write(lambda connection: connection.execute(insert_or_move))

    @shield_from_cancel
    async def end_block(self, league: str, row: BlockRow) -> None:
        """Store how an attempt ended; do nothing if it has already ended."""
        table = LEAGUE_BLOCKS
        attempt = (table.c.league == league, table.c.number == row.number, table.c.attempt == row.attempt)
        values = columns_of(row)
        ended = {name: values[name] for name in ("state", "results", "insight", "ended_at")}
        ending = update(table).where(*attempt, table.c.state == OPEN).values(ended)
        await self._database.write(lambda connection: connection.execute(ending))

    @shield_from_cancel
    async def blocks(self, league: str) -> Sequence[BlockRow]:
        """Return all attempts, ordered by block and attempt, without their analytics."""
        table = LEAGUE_BLOCKS
        wanted = select(*_BLOCK_COLUMNS).where(table.c.league == league).order_by(table.c.number, table.c.attempt)
        return [value_from_row(row, BlockRow) for row in await self._rows(wanted)]

    @shield_from_cancel
    async def block_analytics(self, league: str, numbers: range) -> Mapping[tuple[int, int], Mapping[str, Any]]:
        """Return the analytics of finished attempts at these blocks, by (block, attempt)."""
        table = LEAGUE_BLOCKS
        wanted = select(table.c.number, table.c.attempt, table.c.insight).where(table.c.league == league)
        here = wanted.where(table.c.number >= numbers.start, table.c.number < numbers.stop)
        found = await self._rows(here.where(table.c.state == DONE))
        return {(row.number, row.attempt): row.insight for row in found if row.insight is not None}

    async def _rows(self, wanted: Any) -> Sequence[Row[Any]]:
        return await self._database.read(lambda connection: connection.execute(wanted).all())
