"""Commitments in the database, as a chain; implements the `DealStore` port.

`unrevealed_deals`, `revealed_seeds` and `chain` are for the process that opens the store; nodes do not use them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Connection, Text, bindparam, insert, not_, select, update
from sqlalchemy.dialects import sqlite

from arena.match.deal.commitment import GENESIS_LINK, next_link
from arena.match.referee.ports import DealRow, MatchId
from arena.server.store.batcher import Batcher
from arena.server.store.database import (
    Database,
    StorePart,
    columns_of,
    read_value,
    read_values,
    reads,
    shield_from_cancel,
)
from arena.server.store.dialect import is_sqlite
from arena.server.store.tables import DEALS, IS_SHARED

_DRIVER: Final = sqlite.dialect(paramstyle="qmark")
_INSERT: Final = insert(DEALS)
_NEWEST: Final = select(DEALS.c.number, DEALS.c.link).order_by(DEALS.c.number.desc()).limit(1)
_INSERT_SQL: Final = str(_INSERT.compile(dialect=_DRIVER))
_NEWEST_SQL: Final = str(_NEWEST.compile(dialect=_DRIVER, compile_kwargs={"literal_binds": True}))
"""Matches wait for this statement and for `_INSERT_SQL`. Both are compiled once for SQLite, because there compiling
takes four times as long as running them."""
_REVEAL_UPDATE: Final = (
    update(DEALS)
    .where(
        DEALS.c.match_id == bindparam("revealed_match"),
        DEALS.c.revealed.is_(None),
        bindparam("its_journal", type_=Text).in_(["", DEALS.c.journal]),
    )
    .values(revealed=bindparam("revealed_deal"))
)
_column_values: Final = attrgetter(*(column.name for column in DEALS.columns))


class SqlDealStore(StorePart):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._commits = Batcher(database.write, self._commit)
        self._reveals = Batcher(database.write, self._reveal)

    @shield_from_cancel
    async def commit(self, row: DealRow) -> DealRow:
        """Raises StoreError if the match has one. Concurrent calls share a transaction, in call order."""
        return await self._commits.submit(row)

    def _commit(self, connection: Connection, rows: Sequence[DealRow]) -> Sequence[DealRow]:
        number, link = _read_newest(connection)
        linked = []
        for row in rows:
            number, link = number + 1, next_link(link, row.commitment)
            linked.append(replace(row, number=number, link=link))
        if is_sqlite(connection):
            connection.exec_driver_sql(_INSERT_SQL, [_column_values(row) for row in linked])
        else:
            connection.execute(_INSERT, [columns_of(row) for row in linked])
        return linked

    @shield_from_cancel
    async def reveal(self, match_id: MatchId, revealed: Mapping[str, Any], journal: str = "") -> None:
        """Do nothing if the match has no deal. Concurrent calls share a transaction."""
        values = {"revealed_match": match_id, "revealed_deal": dict(revealed), "its_journal": journal}
        await self._reveals.submit(values)

    def _reveal(self, connection: Connection, deals: Sequence[Mapping[str, Any]]) -> Sequence[None]:
        connection.execute(_REVEAL_UPDATE, deals)
        return [None] * len(deals)

    @reads
    def deal(self, connection: Connection, match_id: MatchId) -> DealRow | None:
        return read_value(connection, select(DEALS).where(DEALS.c.match_id == match_id), DealRow)

    @reads
    def has_deals(self, connection: Connection) -> bool:
        return connection.scalar(select(DEALS.c.number).limit(1)) is not None

    @reads
    def link(self, connection: Connection, number: int) -> bytes:
        """Return the chain link with this number; the genesis link if there is none."""
        link: bytes | None = connection.scalar(select(DEALS.c.link).where(DEALS.c.number == number))
        return GENESIS_LINK if link is None else link

    @reads
    def unrevealed_deals(self, connection: Connection) -> Sequence[DealRow]:
        """Return the unrevealed deals, oldest first. Shared deals are left out, because their league reveals them."""
        wanted = select(DEALS).where(DEALS.c.revealed.is_(None), not_(IS_SHARED)).order_by(DEALS.c.number)
        return read_values(connection, wanted, DealRow)

    @reads
    def revealed_seeds(self, connection: Connection, beginning: str) -> Mapping[MatchId, tuple[str, str]]:
        """Return, by match, the deal's id and seed (hex) for all revealed deals whose ids start with `beginning`."""
        seed = DEALS.c.revealed["seed"].as_string()
        wanted = select(DEALS.c.match_id, DEALS.c.deal_id, seed).where(
            DEALS.c.revealed.is_not(None), DEALS.c.deal_id.startswith(beginning, autoescape=True)
        )
        return {match_id: (deal_id, seed) for match_id, deal_id, seed in connection.execute(wanted)}

    @reads
    def unrevealed_shared_matches(self, connection: Connection) -> frozenset[MatchId]:
        wanted = select(DEALS.c.match_id).where(IS_SHARED, DEALS.c.revealed.is_(None))
        return frozenset(connection.scalars(wanted))

    @reads
    def shared_matches(self, connection: Connection) -> frozenset[MatchId]:
        """Return the matches whose deal is shared, which are those of leagues and comparisons."""
        wanted = select(DEALS.c.match_id).where(IS_SHARED)
        return frozenset(connection.scalars(wanted))

    @reads
    def shared_journals(self, connection: Connection) -> frozenset[str]:
        """Return the names of the journals that have shared deals and no others."""
        shared, other = [
            frozenset(connection.scalars(select(DEALS.c.journal).where(where).distinct()))
            for where in (IS_SHARED, not_(IS_SHARED))
        ]
        return shared - other

    @reads
    def chain(self, connection: Connection) -> Sequence[DealRow]:
        return read_values(connection, select(DEALS).order_by(DEALS.c.number), DealRow)


def _read_newest(connection: Connection) -> tuple[int, bytes]:
    """Return number and link of the newest deal; before the first one, those that it follows."""
    found = connection.exec_driver_sql(_NEWEST_SQL) if is_sqlite(connection) else connection.execute(_NEWEST)
    newest = found.one_or_none()
    return (0, GENESIS_LINK) if newest is None else (newest.number, newest.link)
