"""The deals of a league's blocks: committed before a table opens, revealed after the block's last table has ended."""

import asyncio
from collections.abc import Iterable

from arena.competition.league.ports import DONE, BlockRow
from arena.errors import EnvironmentFaultError, StoreError
from arena.fleet.runner.connection import LineCutError
from arena.fleet.runner.table_node import TableNode
from arena.ids import id_time
from arena.match.referee.deal import DealSecret, prepare_deal, receipt_issuer, reveal_deal, rules_hash_of_terms
from arena.match.referee.deal_serialization import describe_revealed_deal, new_deal_row
from arena.match.referee.ports import MatchId, Signer
from arena.match.referee.terms import Terms
from arena.organizer.file.league_file import SealedLeague
from arena.organizer.seal.ledger import Ledger, block_from_row
from arena.organizer.seal.randomness import LeagueRandomness
from arena.server.store.open_store import Store


class BlockDeals:
    def __init__(self, league: SealedLeague, randomness: LeagueRandomness, store: Store, signer: Signer) -> None:
        self._league = league
        self._randomness = randomness
        self._store = store
        self._signer = signer
        self._rules = rules_hash_of_terms(league.terms)

    def terms(self, row: BlockRow, index: int) -> Terms:
        return self._league.terms_for(row.tables[index])

    def secret(self, row: BlockRow, index: int) -> DealSecret:
        """Return the deal secret of a table. Two paired tables share one."""
        table = index // 2 if self._league.are_paired else index
        return self._randomness.deal_secret(block_from_row(row), row.attempt, table, self._rules)

    async def commit(self, row: BlockRow, index: int) -> None:
        """Commit a table's deal in the store's chain, so that the table's replay can be checked on its own.

        Does nothing if the deal is committed already. Raises EnvironmentFaultError if the store has another deal for
        this table. That happens if the secret or the rules have changed.
        """
        match_id, secret = row.matches[index], self.secret(row, index)
        try:
            await self._store.deals.commit(
                new_deal_row(secret, match_id, 0, row.journals[-1], id_time(match_id) or 0.0)
            )
        except StoreError as error:  # a check beforehand would cost a store access each time, for a rare case
            there = await self._store.deals.deal(match_id)
            if there is None:
                raise
            if there.commitment != secret.commitment:
                raise EnvironmentFaultError(f"the store has another deal of game {match_id} already") from error

    async def reveal(self, row: BlockRow) -> None:
        """Reveal the deals of a block that is done or void."""
        await asyncio.gather(*(self._reveal_table(row, index) for index in range(len(row.matches))))

    async def reveal_left(self, ledger: Ledger, nodes: Iterable[TableNode]) -> None:
        """Reveal the hidden deals that are no longer played: those of void attempts and of blocks that are done.

        A server may still play a table of an attempt that was made void meanwhile: its deal stays hidden. Raises
        LineCutError, and reveals nothing, if such a server cannot be asked.
        """
        hidden = await self._store.deals.unrevealed_shared_matches()
        over = [row for row in ledger.rows if row.state == DONE or not ledger.is_current(row)]
        left = [row for row in over if not hidden.isdisjoint(row.matches)]
        wanted = [match_id for row in left for match_id in row.matches]
        playing = set[MatchId]()
        for node in nodes:
            try:
                playing.update(await node.calls.open_tables(tuple(wanted)))
            except LineCutError:
                if node.is_up:  # a server, which may still play without this process
                    raise
        for row in left:
            if playing.isdisjoint(row.matches):
                await self.reveal(row)

    async def _reveal_table(self, row: BlockRow, index: int) -> None:
        secret, terms, match_id = self.secret(row, index), self.terms(row, index), row.matches[index]
        prepared = prepare_deal(secret, (), terms, receipt_issuer(self._signer, match_id, terms))
        await self._store.deals.reveal(match_id, describe_revealed_deal(reveal_deal(secret, prepared)))
