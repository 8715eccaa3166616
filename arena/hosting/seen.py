"""What the games of a league have shown of its bots: sums and faults, read from what was kept with each block.

Of very many blocks that takes as long as all that is reckoned from their results, so another process does it meanwhile.
"""

import asyncio
import gc
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from arena.hosting.faults import told_faults
from arena.hosting.league import OpenLeague
from arena.hosting.ledger import read_insights
from arena.hosting.play import gather
from arena.insight.counts import Gathered
from arena.report.play_view import Fault
from arena.rpc.games import games
from arena.store.opening import open_store

MANY: Final = 4_000
"""Blocks for which a process of its own is worth its start."""
SELDOM: Final = (50_000, 20, 100)
"""How often cycles are looked for: nothing that is read is in one, and to look takes as long as to read."""


@dataclass(slots=True)
class Seen:
    """What was found."""

    sums: Gathered = field(default_factory=Gathered)
    faults: list[Fault] = field(default_factory=list)


async def seen_in(league: OpenLeague, folder: Path) -> Seen:
    """Read it all; `folder`: the data folder. Raises StoreError."""
    counting, game = league.ledger.counting, league.file.terms.game.name
    if len(counting) < MANY:
        return await _read(league.ledger.insights(), game)
    with ProcessPoolExecutor(1, get_context("spawn"), gc.set_threshold, SELDOM) as pool:
        work = pool.submit(_read_apart, folder, league.file.name, counting, game)
        return await asyncio.wrap_future(work)


def _read_apart(folder: Path, league: str, counting: Mapping[int, int], game: str) -> Seen:
    async def read() -> Seen:
        async with await open_store(folder) as store:
            return await _read(read_insights(league, store.leagues, counting), game)

    return asyncio.run(read())


async def _read(blocks: AsyncIterator[Mapping[str, Any]], game: str) -> Seen:
    found = Seen()
    async for block in blocks:
        gather(found.sums, block)
        found.faults += told_faults(block, games()[game])
    return found
