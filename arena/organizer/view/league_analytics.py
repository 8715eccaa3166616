"""The analytics of a league: sums and explained faults, read from the data that each block keeps.

For a long league this takes as long as computing the standings, so another process reads the analytics at the same
time.
"""

import asyncio
import gc
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from arena.games.catalogue import games
from arena.organizer.play.fault_records import explain_faults
from arena.organizer.play.open_league import OpenLeague
from arena.organizer.report.play_view import StrikeView
from arena.organizer.seal.ledger import read_block_analytics
from arena.organizer.view.bot_plays import add_block_analytics
from arena.replays.analytics.counts import AnalyticsTotals
from arena.server.store.open_store import open_store

MIN_BLOCKS_FOR_PROCESS: Final = 4_000
"""With this many blocks or more, a separate process saves more time than its start takes."""
GC_THRESHOLDS: Final = (50_000, 20, 100)
"""Thresholds that make garbage collection rare. The data has no cycles, and a collection takes as long as the
reading."""


@dataclass(slots=True)
class LeagueAnalytics:
    """Sums over a league's blocks, and its faults."""

    sums: AnalyticsTotals = field(default_factory=AnalyticsTotals)
    faults: list[StrikeView] = field(default_factory=list)


async def read_league_analytics(league: OpenLeague, folder: Path) -> LeagueAnalytics:
    """Return a league's analytics. `folder` is the data folder. Raises StoreError."""
    counting, game = league.ledger.counting_attempts, league.file.terms.game.name
    if len(counting) < MIN_BLOCKS_FOR_PROCESS:
        return await _read_blocks(league.ledger.block_analytics(), game)
    with ProcessPoolExecutor(1, get_context("spawn"), gc.set_threshold, GC_THRESHOLDS) as pool:
        work = pool.submit(_read_in_process, folder, league.file.name, counting, game)
        return await asyncio.wrap_future(work)


def _read_in_process(folder: Path, league: str, counting: Mapping[int, int], game: str) -> LeagueAnalytics:
    async def read() -> LeagueAnalytics:
        async with await open_store(folder) as store:
            return await _read_blocks(read_block_analytics(league, store.leagues, counting), game)

    return asyncio.run(read())


async def _read_blocks(blocks: AsyncIterator[Mapping[str, Any]], game: str) -> LeagueAnalytics:
    found = LeagueAnalytics()
    async for block in blocks:
        add_block_analytics(found.sums, block)
        found.faults += explain_faults(block, games()[game])
    return found
