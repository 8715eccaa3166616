"""The standings of a pool: one row for each bot, those whose rating is certain enough first."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from arena.competition.pools.live_ratings import Estimate, LiveRatings
from arena.competition.pools.ports import RatingRow

MIN_GAMES: Final = 30
"""A bot with fewer games has no rank."""
MAX_HALF_WIDTH: Final = 100.0
"""A bot whose interval reaches further than this to either side, in points, has no rank."""
_Z: Final = 1.959963984540054
"""95 % of a normal distribution lie within this many standard deviations of its mean.

`arena.competition.league.estimates` has it too, but loads NumPy, which a server without leagues does not need.
"""


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot in the standings of a pool."""

    bot: str
    version: str
    """The version that played last; the other fields are about this version."""
    rating: float
    """In Elo points; the mean of the pool is 1500."""
    low: float | None
    high: float | None
    """The 95 % interval; an unknown end is None."""
    games: int
    is_house: bool
    """Whether the server starts the bot itself."""
    is_provisional: bool
    """Whether the rating is too uncertain for a rank."""


def order_standings(
    fitted: Iterable[RatingRow], house_names: Collection[str], live: LiveRatings | None = None
) -> list[Standing]:
    """Return the standings of a season: those with a rank, the provisional ones, and last those without bounds.

    Each group is ordered by rating. `fitted` has the ratings of the newest fit. `live` has the estimates of a server
    that runs; where they count games that the fit does not, they take its place.
    """
    newest: dict[str, RatingRow] = {}
    for row in sorted(fitted, key=lambda each: (each.last_match, each.version)):
        newest[row.bot] = row
    standings = {bot: _from_row(row, bot in house_names) for bot, row in newest.items() if row.games}
    for bot, version, estimate in _played_last(live):
        fit = newest.get(bot)
        if fit is None or fit.version != version or fit.games < estimate.games:
            standings[bot] = _from_estimate(bot, version, estimate, bot in house_names)
    return sorted(standings.values(), key=_standing_order)


def _standing_order(standing: Standing) -> tuple[bool, bool, float, str]:
    has_no_bounds = standing.low is None and standing.high is None
    return standing.is_provisional, has_no_bounds, -standing.rating, standing.bot


def is_provisional(low: float | None, high: float | None, rating: float, games: int) -> bool:
    """Return whether a rating is too uncertain for a rank. `low` and `high` are the ends of its 95 % interval."""
    if low is None or high is None or games < MIN_GAMES:
        return True
    return max(rating - low, high - rating) > MAX_HALF_WIDTH


def _played_last(live: LiveRatings | None) -> Iterable[tuple[str, str, Estimate]]:
    """Yield each bot with the version that played last and its estimate, without those that have not played yet."""
    if live is None:
        return
    for (bot, version), estimate in live.all().items():
        if estimate.games and live.newest_version(bot) == version:
            yield bot, version, estimate


def _from_row(row: RatingRow, is_house: bool) -> Standing:
    provisional = is_provisional(row.low, row.high, row.rating, row.games)
    return Standing(row.bot, row.version, row.rating, row.low, row.high, row.games, is_house, provisional)


def _from_estimate(bot: str, version: str, estimate: Estimate, is_house: bool) -> Standing:
    """Return the standing that an estimate gives. Its interval is that of a normal distribution."""
    rating, reach = estimate.rating, _Z * estimate.spread
    low, high = rating - reach, rating + reach
    provisional = is_provisional(low, high, rating, estimate.games)
    return Standing(bot, version, rating, low, high, estimate.games, is_house, provisional)
