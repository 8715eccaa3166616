"""Closes a season that is over: writes its report, and marks it as closed in the store."""

import asyncio
from pathlib import Path
from typing import Final

from arena.competition.pools.ports import SeasonRow
from arena.ids import WallTime
from arena.organizer.report.report_page import write_report
from arena.organizer.seasons.season_fitter import SeasonFitter
from arena.organizer.seasons.season_view import build_season_view
from arena.server.store.pool_store import SqlPoolStore

REPORTS_FOLDER: Final = "pools"
"""The folder of the reports of seasons, inside the data folder."""
LONGEST_WAIT_S: Final = 3_600.0
"""Seconds after the end of a season for which it waits for matches that have not ended."""


def is_ready_to_close(fitter: SeasonFitter, now: float) -> bool:
    """Return whether a season is over and all its matches have ended, or have had an hour to end."""
    ends_at = fitter.season.ends_at
    if ends_at is None or now < ends_at:
        return False
    return not fitter.unended or now >= ends_at + LONGEST_WAIT_S


async def close_season(store: SqlPoolStore, fitter: SeasonFitter, folder: Path, now: WallTime) -> Path:
    """Write the report of a season into the data folder, close the season, and return the report's page.

    Raises StoreError, OSError.
    """
    season = fitter.season
    bots = await store.season_bots(season.pool, season.season)
    view = await asyncio.to_thread(build_season_view, season, fitter.games, bots, is_over=True, now=now)
    relative = f"{REPORTS_FOLDER}/{report_folder_name(season)}"
    page = await asyncio.to_thread(write_report, view, folder / relative)
    await store.close_season(season.pool, season.season, now, relative)
    return page


def report_folder_name(season: SeasonRow) -> str:
    """Return the name of the folder of a season's report.

    >>> report_folder_name(SeasonRow("my pool", 2, 0.0, "", {}))
    'my-pool-season-2'
    """
    return f"{season.pool.replace(' ', '-')}-season-{season.season}"
