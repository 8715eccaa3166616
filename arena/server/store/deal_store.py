"""Commitments in the database, as a chain; implements the `DealStore` port.

`unrevealed_deals`, `revealed_seeds` and `chain` are for the process that opens the store; nodes do not use them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Connection, bindparam, insert, not_, select, update
from sqlalchemy.dialects import sqlite

from arena.match.deal.commitment import GENESIS_LINK, next_link
from arena.match.referee.ports import DealRow, MatchId
from arena.server.store.database import Batcher, Database, shield_from_cancel, value_from_row
from arena.server.store.tables import DEALS, IS_SHARED

_DRIVER: Final = sqlite.dialect(paramstyle="qmark")
_INSERT_SQL: Final = str(insert(DEALS).compile(dialect=_DRIVER))
_NEWEST_SQL: Final = str(
    select(DEALS.c.number, DEALS.c.link)
    .order_by(DEALS.c.number.desc())
    .limit(1)
    .compile(dialect=_DRIVER, compile_kwargs={"literal_binds": True})
)
"""Matches wait for this statement and for `_INSERT_SQL`. Both are compiled once, because compiling takes four times as
long as running them."""
_REVEAL_UPDATE: Final = (
    update(DEALS)
    .where(DEALS.c.match_id == bindparam("revealed_match"), DEALS.c.revealed.is_(None))
    .values(revealed=bindparam("revealed_deal"))
)
_column_values: Final = attrgetter(*(column.name for column in DEALS.columns))


class SqlDealStore:
    """Stores deals; concurrent calls share a transaction. Raises StoreError if the store cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._commits = Batcher(self._commit)
        self._reveals = Batcher(self._reveal)

    @shield_from_cancel
    async def commit(self, row: DealRow) -> DealRow:
        """Add a commitment to the chain. Raises StoreError if the match already has one.

        Concurrent calls share a transaction, in call order.
        """
        return await self._commits.submit(row)

    async def _commit(self, rows: Sequence[DealRow]) -> Sequence[DealRow]:
        def add(connection: Connection) -> Sequence[DealRow]:
            newest = connection.exec_driver_sql(_NEWEST_SQL).one_or_none()
            number, link = (0, GENESIS_LINK) if newest is None else newest
            linked = []
            for row in rows:
                number, link = number + 1, next_link(link, row.commitment)
                linked.append(replace(row, number=number, link=link))
            connection.exec_driver_sql(_INSERT_SQL, [_column_values(row) for row in linked])
            return linked

        return await self._database.write(add)

    @shield_from_cancel
    async def reveal(self, match_id: MatchId, revealed: Mapping[str, Any]) -> None:
        """Store a match's revealed deal; do nothing if it is stored already, or if the match has no deal.

        Concurrent calls share a transaction.
        """
        await self._reveals.submit((match_id, revealed))

    async def _reveal(self, deals: Sequence[tuple[MatchId, Mapping[str, Any]]]) -> Sequence[None]:
        values = [{"revealed_match": match_id, "revealed_deal": dict(revealed)} for match_id, revealed in deals]
        await self._database.write(lambda connection: connection.execute(_REVEAL_UPDATE, values))
        return [None] * len(deals)

    @shield_from_cancel
    async def deal(self, match_id: MatchId) -> DealRow | None:
        """Return a match's deal, or None if it has none."""
        wanted = select(DEALS).where(DEALS.c.match_id == match_id)
        row = await self._database.read(lambda connection: connection.execute(wanted).one_or_none())
        return None if row is None else value_from_row(row, DealRow)

    @shield_from_cancel
    async def has_deals(self) -> bool:
        """Return whether the chain has any deal."""
        wanted = select(DEALS.c.number).limit(1)
        return await self._database.read(lambda connection: connection.scalar(wanted)) is not None

    @shield_from_cancel
    async def link(self, number: int) -> bytes:
        """Return the chain link with this number; the genesis link if there is none."""
        wanted = select(DEALS.c.link).where(DEALS.c.number == number)
        link: bytes | None = await self._database.read(lambda connection: connection.scalar(wanted))
        return GENESIS_LINK if link is None else link

    @shield_from_cancel
    async def unrevealed_deals(self) -> Sequence[DealRow]:
        """Return the unrevealed deals, oldest first. Shared deals are left out, because their league reveals them."""
        wanted = select(DEALS).where(DEALS.c.revealed.is_(None), not_(IS_SHARED)).order_by(DEALS.c.number)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return [value_from_row(row, DealRow) for row in rows]

    @shield_from_cancel
    async def revealed_seeds(self, beginning: str) -> Mapping[MatchId, tuple[str, str]]:
        """Return, by match, the deal's id and seed (hex) for all revealed deals whose ids start with `beginning`."""
        seed = DEALS.c.revealed["seed"].as_string()
        wanted = select(DEALS.c.match_id, DEALS.c.deal_id, seed).where(
            DEALS.c.revealed.is_not(None), DEALS.c.deal_id.startswith(beginning, autoescape=True)
        )
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return {match_id: (deal_id, seed) for match_id, deal_id, seed in rows}

    @shield_from_cancel
    async def unrevealed_shared_matches(self) -> frozenset[MatchId]:
        """Return the matches whose deal is shared and not yet revealed."""
        wanted = select(DEALS.c.match_id).where(IS_SHARED, DEALS.c.revealed.is_(None))
        return frozenset(await self._database.read(lambda connection: connection.scalars(wanted).all()))

    @shield_from_cancel
    async def shared_matches(self) -> frozenset[MatchId]:
        """Return the matches whose deal is shared, which are those of leagues and comparisons."""
        wanted = select(DEALS.c.match_id).where(IS_SHARED)
        return frozenset(await self._database.read(lambda connection: connection.scalars(wanted).all()))

    @shield_from_cancel
    async def shared_journals(self) -> frozenset[str]:
        """Return the names of the journals that have shared deals and no others."""

        def read(connection: Connection) -> frozenset[str]:
            shared, other = [
                frozenset(connection.scalars(select(DEALS.c.journal).where(where).distinct()))
                for where in (IS_SHARED, not_(IS_SHARED))
            ]
            return shared - other

        return await self._database.read(read)

    @shield_from_cancel
    async def chain(self) -> Sequence[DealRow]:
        """Return all deals in chain order."""
        wanted = select(DEALS).order_by(DEALS.c.number)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return [value_from_row(row, DealRow) for row in rows]
