"""The standings of a pool: one row for each bot, those whose rating is certain enough first."""

from collections.abc import Iterable
from typing import Final

from arena.competition.pools.live_ratings import LiveRatings
from arena.competition.pools.ports import RatingRow
from arena.match.referee.ports import MatchId

_Z: Final = 1.959963984540054
"""95 % of a normal distribution lie within this many standard deviations of its mean.

`arena.competition.league.estimates` has it too, but loads NumPy, which a server without leagues does not need.
"""


def order_standings(fitted: Iterable[RatingRow], live: LiveRatings | None = None) -> list[RatingRow]:
    """Return the standings of a season: those with a rank, the provisional ones, and last those without bounds.

    Each group is ordered by rating. A bot has the rating of the version that played last. `fitted` has the ratings of
    the newest fit. `live` has the estimates of a server that runs; where they count games that the fit does not, they
    take its place.
    """
    newest: dict[str, RatingRow] = {}
    for row in sorted(fitted, key=lambda each: (each.last_match, each.version)):
        newest[row.bot] = row
    standings = {bot: row for bot, row in newest.items() if row.games}
    for row in _played_last(live):
        fit = newest.get(row.bot)
        if fit is None or fit.version != row.version or fit.games < row.games:
            standings[row.bot] = row
    return sorted(standings.values(), key=_standing_order)


def _standing_order(row: RatingRow) -> tuple[bool, bool, float, str]:
    has_no_bounds = row.low is None and row.high is None
    return row.is_provisional, has_no_bounds, -row.rating, row.bot


def _played_last(live: LiveRatings | None) -> Iterable[RatingRow]:
    """Yield the estimate of the version of each bot that played last, without those that have not played yet.

    The interval of an estimate is that of a normal distribution.
    """
    if live is None:
        return
    for (bot, version), now in live.all().items():
        if now.games and live.newest_version(bot) == version:
            low, high = now.rating - _Z * now.spread, now.rating + _Z * now.spread
            yield RatingRow(bot, version, now.rating, now.spread, now.games, MatchId(""), low, high)
