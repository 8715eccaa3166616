"""The analytics of a league: sums and explained faults, read from the data that each block keeps.

For a long league this takes as long as computing the standings, so another process reads the analytics at the same
time.
"""

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from arena.games.catalogue import games, phrasing_of
from arena.match.game import Game
from arena.match.referee.strike_record import StrikeRecord, culprit_of, response_times_of
from arena.organizer.report.play_view import StrikeView
from arena.organizer.seal.ledger import read_block_analytics
from arena.organizer.seal.open_league import OpenLeague
from arena.plain_data import from_plain
from arena.replays.analytics.counts import AnalyticsTotals
from arena.replays.narration.blame import explain_strike
from arena.replays.narration.move_numbers import shown_turn
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


def explain_faults(block: Mapping[str, Any], game: Game) -> Iterator[StrikeView]:
    """Yield an explanation of each fault kept with a block."""
    for table in block["tables"]:
        for values in table.get("faults", ()):
            fault = from_plain(values, StrikeRecord)
            name, match_id = table["seats"][fault.entrant], table["match_id"]
            phrasing = phrasing_of(game)
            sentence = explain_strike(replace(fault, words=""), game, phrasing)  # reports are public
            turn = shown_turn(fault.prompt, fault.turn, phrasing)
            times, culprit = response_times_of(fault), culprit_of(fault)
            yield StrikeView(name, match_id, turn, fault.kind, sentence, times, culprit)


COLLUSION_METHOD: Final = (
    "For each pair, calls (in CHEATER attacks) made on each other beside those that were to be expected from both bots'"
    " rates in like moments of the same games; one-sided, Holm over all pairs at 1 %, fewer than three quarters. A flag"
    " means that chance and the deals do not explain it; it is no verdict."
)


def add_block_analytics(
    total: AnalyticsTotals, block: Mapping[str, Any], roles: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Add a block's analytics to the total. Entrants with the same role are counted together."""
    for table in block["tables"]:
        total.add_plain([roles.get(name, name) for name in table["seats"]], table["insight"])
