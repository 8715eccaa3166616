"""Keeps the games of one season in memory and fits its ratings."""

from collections import defaultdict
from collections.abc import Mapping

from arena.competition.pools.live_ratings import Program
from arena.competition.pools.ports import PlayedGame, SeasonRow
from arena.competition.pools.season_ratings import fit_season
from arena.ids import WallTime
from arena.match.referee.ports import MatchId
from arena.server.store.pool_store import SqlPoolStore

_MEANS = frozenset({"think_s"})
"""Figures of a match that are means over its decisions, and are summed with that weight."""
_MAXIMA = frozenset({"slowest_share"})


class SeasonFitter:
    """Fits the ratings of one season again and again. Only matches that are new are read from the store."""

    def __init__(self, store: SqlPoolStore, season: SeasonRow) -> None:
        self.season = season
        self._store = store
        self._games: list[PlayedGame] = []
        self._figures: dict[Program, dict[str, float]] = defaultdict(dict)
        self._upto: int | None = None
        self._unended: tuple[MatchId, ...] = ()
        self._fitted_games = -1

    @property
    def unended(self) -> tuple[MatchId, ...]:
        """The matches of the season that had not ended at the last look."""
        return self._unended

    async def refit(self, now: WallTime) -> bool:
        """Fit the ratings if new games have ended. Return whether they were fitted. Raises StoreError."""
        name, number = self.season.pool, self.season.season
        part = await self._store.read_season(name, number, self._upto, self._unended)
        self._upto, self._unended = part.upto, part.unended
        self._games += part.games
        self._games.sort(key=lambda game: (game.match_id, game.game))
        for program, figures in part.figures:
            add_figures(self._figures[program], figures)
        if len(self._games) == self._fitted_games:
            return False
        self._fitted_games = len(self._games)
        fit = fit_season(
            name,
            number,
            self._games,
            self._figures,
            bots=await self._store.season_bots(name, number),
            fitted_at=now,
            upto=part.upto,
            unended=part.unended,
        )
        await self._store.add_fit(fit)
        return True

    @property
    def games(self) -> list[PlayedGame]:
        """The games of the season so far, in the order of their matches."""
        return self._games


def add_figures(sums: dict[str, float], figures: Mapping[str, float]) -> None:
    """Add the figures of a match to sums. Means become sums over decisions, and of maxima the largest one stays.

    >>> sums = {"decisions": 1, "think_s": 2.0}
    >>> add_figures(sums, {"decisions": 3, "think_s": 1.0})
    >>> sums
    {'decisions': 4, 'think_s': 5.0}
    """
    for name, value in figures.items():
        before = sums.get(name, 0)
        if name in _MAXIMA:
            sums[name] = max(before, value)
        else:
            sums[name] = before + value * (figures.get("decisions", 0) if name in _MEANS else 1)
