"""The ratings of a pool between two fits: the last fit, moved by each game that has ended since.

The moves are openskill's Plackett-Luce update (R. C. Weng and C.-J. Lin, JMLR 12, 2011) on the scale of the fit. In
that model the odds of n players are exp(mu / c) with c^2 = sum of (sigma^2 + beta^2). With
beta = POINTS_PER_THETA / sqrt(n), c tends to POINTS_PER_THETA when the ratings become certain: then both models give
the same odds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import hypot
from typing import TYPE_CHECKING, Final

from arena.competition.league.elo_scale import MEAN_RATING, POINTS_PER_THETA
from arena.competition.pools.ports import PlayedGame, RatingRow

if TYPE_CHECKING:
    from openskill.models import PlackettLuce

FIRST_RATING: Final = float(MEAN_RATING)
FIRST_SPREAD: Final = 350.0
"""Standard deviation of the rating of a bot that has not played, as in Glicko (M. E. Glickman, 1999)."""
VERSION_SPREAD: Final = 120.0
"""By how much two versions of a bot differ, as a standard deviation in points, before either has played."""

Program = tuple[str, str]
"""A bot and its version."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated rating in points."""

    rating: float = FIRST_RATING
    spread: float = FIRST_SPREAD
    games: int = 0


class LiveRatings:
    def __init__(self, seats: int) -> None:
        self._seats = seats
        self._model: PlackettLuce | None = None
        self._now: dict[Program, Estimate] = {}
        self._newest: dict[str, str] = {}
        """The version of each bot that played last."""

    def estimate(self, bot: str, version: str) -> Estimate:
        """Return the estimate for a version. One that has not played starts where the bot's last version is.

        So a new version does not escape a bad rating.
        """
        known = self._now.get((bot, version))
        if known is not None:
            return known
        last = self._newest.get(bot)
        if last is None:
            return Estimate()
        before = self._now[bot, last]
        return Estimate(before.rating, min(FIRST_SPREAD, hypot(before.spread, VERSION_SPREAD)))

    def all(self) -> Mapping[Program, Estimate]:
        """Return the estimate of each version that has played."""
        return self._now

    def newest_version(self, bot: str) -> str:
        """Return the version of a bot that played last; empty if none has played."""
        return self._newest.get(bot, "")

    def start_from(self, fitted: Iterable[RatingRow], games: Iterable[PlayedGame]) -> None:
        """Begin again at fitted ratings, and add the games that they do not count."""
        rows = sorted(fitted, key=lambda row: row.last_match)
        self._now = {(row.bot, row.version): Estimate(row.rating, row.spread, row.games) for row in rows}
        self._newest = {row.bot: row.version for row in rows}
        for game in games:
            self.add_game(game.seats, game.places)

    def add_game(self, seats: Iterable[Program], places: Iterable[int]) -> None:
        """Move the ratings of those who played a game."""
        if self._model is None:
            from openskill.models import PlackettLuce  # noqa: PLC0415  a server without pools does not need it

            beta = POINTS_PER_THETA / self._seats**0.5
            self._model = PlackettLuce(mu=FIRST_RATING, sigma=FIRST_SPREAD, beta=beta, tau=0.0)
        model, programs = self._model, list(seats)
        before = [self.estimate(*program) for program in programs]
        teams = [[model.rating(mu=each.rating, sigma=each.spread)] for each in before]
        after = model.rate(teams, ranks=[float(place) for place in places])
        for program, old, (new,) in zip(programs, before, after, strict=True):
            self._now[program] = replace(old, rating=new.mu, spread=new.sigma, games=old.games + 1)
            self._newest[program[0]] = program[1]
