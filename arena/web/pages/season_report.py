"""The published report of a season that is closed: the files that the server wrote into the data folder."""

import asyncio
from pathlib import Path
from typing import Final

from arena.web.errors import RefusedError
from arena.web.page import SETTLED, Asked, File, PageRoute, Parameter
from arena.web.pages.pool import NAME, SEASON, find_season

POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "sandbox allow-downloads"
)
"""The page has its style in itself and runs nothing; a policy of its own allows that one style alone."""
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
}


async def read_season_report(asked: Asked) -> File:
    """Return a file of the report. Only files that lie in the folder of the report have a name here."""
    season, name = await find_season(asked), asked.part("file")
    folder = asked.sources.folder / season.report
    found = await asyncio.to_thread(_read, folder, name) if season.report else None
    if found is None:
        raise RefusedError(404, f"the report of season {season.season} of {season.pool!r} has no file {name[:64]!r}")
    media_type = _TYPES[Path(name).suffix]
    return File(found, media_type, "" if name.endswith(".html") else name, SETTLED, POLICY)


def _read(folder: Path, name: str) -> bytes | None:
    """Return the content of a file in a folder; None if it has none of this name, or none that is shown."""
    known = {path.name: path for path in folder.glob("*") if path.suffix in _TYPES and path.is_file()}
    return known[name].read_bytes() if name in known else None


SEASON_REPORT = PageRoute(
    "/pools/{name}/seasons/{season}/report/{file}",
    read_season_report,
    "A file of the published report of a season",
    parameters=(NAME, SEASON, Parameter("file", "The name of the file, such as `report.html`.", in_path=True)),
)
