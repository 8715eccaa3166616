"""The process that fits the ratings of pools beside a server, so that no match waits for a fit.

    python -m arena.organizer.seasons.rating_process DATA

It ends with its server (`arena.fleet.runner.keep_running`). Nothing is lost if it is killed: each fit is one
transaction and counts all games from the start.
"""

import asyncio
import sys
import time
from pathlib import Path
from typing import Final

from arena.competition.pools.ports import CLOSED
from arena.errors import StoreError
from arena.fleet.runner.keep_running import follow_server
from arena.fleet.telemetry import set_up_logging
from arena.ids import WallTime
from arena.log_lines import get_logger
from arena.organizer.seasons.season_close import close_season, is_ready_to_close
from arena.organizer.seasons.season_fitter import SeasonFitter
from arena.server.store.open_store import Store, open_store

log = get_logger(__name__)

SHORTEST_PAUSE_S: Final = 5.0
"""Seconds between looks for new games."""
PAUSE_A_FIT: Final = 20.0
"""After a fit, the process rests this many times as long as the fit took, so it takes at most a twentieth of a core."""


class RatingProcess:
    """Fits and closes the seasons of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._fitters: dict[tuple[str, int], SeasonFitter] = {}

    async def run(self) -> None:
        """Fit again and again. While the store cannot be used, try again."""
        while True:
            began = time.monotonic()
            try:
                await self.fit_all(time.time())
            except (StoreError, OSError) as error:
                log.warning("the ratings of pools wait", fault=str(error))
            await asyncio.sleep(max(SHORTEST_PAUSE_S, PAUSE_A_FIT * (time.monotonic() - began)))

    async def fit_all(self, now: WallTime) -> None:
        """Fit each season that has new games, and close those that are over. Raises StoreError, OSError."""
        pools = self._store.pools
        for season in await pools.seasons():
            key = season.pool, season.season
            if season.state == CLOSED:
                self._fitters.pop(key, None)
                continue
            fitter = self._fitters.setdefault(key, SeasonFitter(pools, season))
            fitter.season = season
            if await fitter.refit(now):
                log.info("ratings fitted", pool=season.pool, season=season.season, games=len(fitter.games))
            if is_ready_to_close(fitter, now):
                page = await close_season(pools, fitter, self._store.folder, now)
                log.info("season closed", pool=season.pool, season=season.season, report=str(page))


async def _run_until_server_is_gone(data: Path) -> None:
    gone = asyncio.Event()
    follow_server(gone)
    async with await open_store(data) as store:
        work = asyncio.create_task(RatingProcess(store).run())
        await asyncio.wait({work, asyncio.create_task(gone.wait())}, return_when=asyncio.FIRST_COMPLETED)
        work.cancel()


def main() -> None:
    """Fit the ratings of the data folder named on the command line."""
    set_up_logging("info")
    asyncio.run(_run_until_server_is_gone(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
