"""The standings of a pool: one row for each bot, those whose rating is certain enough first."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from arena.competition.pools.live_ratings import LiveRatings
from arena.competition.pools.ports import RATED_GAMES, RatingRow
from arena.match.referee.ports import MatchId

_Z: Final = 1.959963984540054
"""95 % of a normal distribution lie within this many standard deviations of its mean.

`arena.competition.league.estimates` has it too, but loads NumPy, which a server without leagues does not need.
"""


def order_standings(fitted: Iterable[RatingRow], live: LiveRatings | None = None) -> list[RatingRow]:
    """Return the standings of a season: those with a rank, the provisional ones, and last those without bounds.

    Each group is ordered by rating. A bot has one row: that of the version that played last. `fitted` is the newest
    fit, and `live` a running server's estimates, which replace the fit's wherever they count more games.
    """
    newest: dict[str, RatingRow] = {}
    for row in sorted(fitted, key=lambda each: (each.last_match, each.version)):
        newest[row.bot] = row
    standings = {bot: row for bot, row in newest.items() if row.games}
    for row in _played_last(live):
        fit = newest.get(row.bot)
        if fit is None or fit.version != row.version or fit.games < row.games:
            standings[row.bot] = _count_rated(row, fit)
    return sorted(standings.values(), key=_standing_order)


def count_versions(fitted: Iterable[RatingRow], live: LiveRatings) -> Counter[str]:
    """Return how many versions of each bot have played in a season: those of the fit, and those that played since."""
    programs = {(row.bot, row.version) for row in fitted if row.games}
    programs |= {program for program, now in live.all().items() if now.games}
    return Counter(bot for bot, _ in programs)


def count_owner_bots(bots: Iterable[str], owners: Mapping[str, str]) -> Mapping[str, int]:
    """Return for each of these bots how many of them have its owner; 1 if it has none."""
    owner_of = {bot: owners.get(bot) for bot in bots}
    counts = Counter(owner_of.values())
    return {bot: 1 if owner is None else counts[owner] for bot, owner in owner_of.items()}


def _count_rated(row: RatingRow, fit: RatingRow | None) -> RatingRow:
    """Return the estimate with the games that count: of those in the fit as many as there, and all since."""
    if fit is None or fit.version != row.version:
        return row
    return replace(row, figures={RATED_GAMES: fit.rated_games + row.games - fit.games})


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
