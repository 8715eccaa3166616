"""Reads and writes the fitted ratings of the seasons of pools."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert

from arena.competition.pools.ports import FitRow, RatingRow
from arena.server.store.pool_tables import POOL_FITS, POOL_MEETINGS, POOL_RATING_POINTS, POOL_RATINGS
from arena.server.store.rows import columns_of

_HOUR_S: Final = 3_600
_RATING_KEY: Final = ("bot", "version", "rating", "low", "high", "games")


_RATING: Final = [POOL_RATINGS.c[each.name] for each in fields(RatingRow) if each.name != "figures"]


def read_fit(connection: Connection, pool: str, season: int) -> FitRow | None:
    """Return the newest ratings of a season without their figures and meetings; None if there are none."""
    fits = select(POOL_FITS).where(POOL_FITS.c.pool == pool, POOL_FITS.c.season == season)
    found = connection.execute(fits).one_or_none()
    if found is None:
        return None
    wanted = select(*_RATING).where(POOL_RATINGS.c.pool == pool, POOL_RATINGS.c.season == season)
    ratings = tuple(RatingRow(**row._asdict()) for row in connection.execute(wanted))
    return FitRow(**found._asdict() | {"unended": tuple(found.unended), "ratings": ratings})


def replace_fit(connection: Connection, fit: FitRow) -> None:
    """Replace the ratings and meetings of a season, and keep the ratings as those of this hour."""
    key = {"pool": fit.pool, "season": fit.season}
    for table in (POOL_FITS, POOL_RATINGS, POOL_MEETINGS):
        connection.execute(delete(table).where(table.c.pool == fit.pool, table.c.season == fit.season))
    values = {name: value for name, value in columns_of(fit).items() if name not in ("ratings", "meetings")}
    connection.execute(insert(POOL_FITS).values(values | {"unended": list(fit.unended)}))
    if fit.ratings:
        connection.execute(insert(POOL_RATINGS), [key | columns_of(row) for row in fit.ratings])
        add = insert(POOL_RATING_POINTS)
        changed = {name: add.excluded[name] for name in ("rating", "low", "high", "games")}
        points = list(_rating_points(fit))
        connection.execute(
            add.on_conflict_do_update(index_elements=POOL_RATING_POINTS.primary_key, set_=changed), points
        )
    if fit.meetings:
        connection.execute(insert(POOL_MEETINGS), [key | columns_of(row) for row in fit.meetings])


def _rating_points(fit: FitRow) -> Iterator[Mapping[str, Any]]:
    hour = int(fit.fitted_at // _HOUR_S)
    for row in fit.ratings:
        values = columns_of(row)
        yield {name: values[name] for name in _RATING_KEY} | {"pool": fit.pool, "season": fit.season, "hour": hour}
