"""Files of a pool: what its matchmaker knew in a round, and the published report of a closed season."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.web.errors import RefusedError
from arena.web.page import SETTLED, Asked, File, Parameter, page_at
from arena.web.pages.pool import NAME, SEASON, find_season

_PRIVATE: Final = "instance"
"""The field of a seeker that is left out: how its owner names its processes. The tables do not depend on it."""


@page_at(
    "/pools/{name}/rounds/{round_id}",
    "What the matchmaker knew in a round: the tables of the round follow from it",
    None,
    NAME,
    Parameter("round_id", "The id of the round.", in_path=True),
    media_type="application/json",
)
async def read_round(asked: Asked) -> File:
    """Raises RefusedError while the inputs may tell who plays in an anonymous match."""
    pool, round_id, store = asked.part("name"), asked.part("round_id"), asked.sources.store
    found = (await store.pools.rounds([round_id])).get(round_id)
    if found is None or found.pool != pool:
        raise RefusedError(404, f"there is no round {round_id[:64]!r} of pool {pool[:64]!r} here")
    if await store.pools.is_round_secret(found, asked.sources.clock()):
        raise RefusedError(403, f"round {round_id} stays secret until the anonymous matches of its time are over")
    values = {"pool": pool, "at": found.at, **_without_instances(found.inputs)}
    return File(msgspec.json.encode(values), "application/json", caching=SETTLED)


def _without_instances(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    hidden = {
        name: [{key: value for key, value in seeker.items() if key != _PRIVATE} for seeker in inputs.get(name, ())]
        for name in ("seekers", "house")
    }
    return {**inputs, **hidden}


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


@page_at(
    "/pools/{name}/seasons/{season}/report/{file}",
    "A file of the published report of a season",
    None,
    NAME,
    SEASON,
    Parameter("file", "The name of the file, such as `report.html`.", in_path=True),
)
async def read_season_report(asked: Asked) -> File:
    """Only files that lie in the folder of the report have a name here."""
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
