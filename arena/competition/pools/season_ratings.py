"""Fits the ratings of a season: the league's Plackett-Luce fit over all its games, with intervals."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

import numpy as np

from arena.competition.league.accomplices import NO_ACCOMPLICES, Accomplices
from arena.competition.league.points import place_points
from arena.competition.league.rating import PUBLISHED_DRAWS, Ratings, compute_ratings
from arena.competition.pools.accomplices import find_accomplices
from arena.competition.pools.live_ratings import FIRST_SPREAD, Program
from arena.competition.pools.ports import RATED_GAMES, FitRow, MeetingRow, PlayedGame, RatingRow, SeasonBot
from arena.competition.pools.season_results import SeasonResults
from arena.ids import WallTime
from arena.match.referee.ports import MatchId

Figures = Mapping[str, float]
FIRST_PLACES: Final = "first_places"
POINTS: Final = "points"
"""Names of figures: the number of first places, and the share of opponents beaten, each summed over games."""


def rate_season(results: SeasonResults, pool: str, season: int, accomplices: Accomplices) -> Ratings | None:
    """Return the ratings of all versions that played; None before the first game.

    Their mean over all seats of all games is 1500, so an entrant with few games moves it little. The first versions of
    bots have a prior (`league/prior.py`), later ones are linked to the version before. The weights of the bootstrap
    depend on the pool and the season alone, so the same games give the same intervals.
    """
    if not results.blocks:
        return None
    return compute_ratings(
        results.blocks,
        seed=weights_seed(pool, season),
        draw_count=PUBLISHED_DRAWS,
        weights_in_mean=results.game_counts,
        drawn_alike=results.first_versions,
        accomplices=accomplices,
    )


def weights_seed(pool: str, season: int) -> bytes:
    """Return the seed of the bootstrap of a season, 32 bytes."""
    return sha256(f"{pool}:{season}".encode()).digest()


def fit_season(
    pool: str,
    season: int,
    games: Sequence[PlayedGame],
    figures: Mapping[Program, Figures],
    *,
    bots: Mapping[str, SeasonBot],
    fitted_at: WallTime,
    upto: int,
    unended: Iterable[MatchId],
) -> FitRow:
    """Return the ratings and meetings of a season.

    `figures` has sums over the matches of each version, `bots` the bots that played. `upto` and `unended` say which
    matches are counted (`FitRow`).
    """
    results = SeasonResults.from_games(games, bots)
    ratings = rate_season(results, pool, season, find_accomplices(results, bots) if games else NO_ACCOMPLICES)
    rows = () if ratings is None else tuple(_rating_rows(results, ratings, games, figures))
    meetings = tuple(count_meetings(games))
    return FitRow(pool, season, fitted_at, upto, tuple(unended), len(games), rows, meetings)


def count_meetings(games: Iterable[PlayedGame]) -> Iterator[MeetingRow]:
    """Yield how often each bot met each other one, by name."""
    met: Counter[tuple[str, str]] = Counter()
    points: defaultdict[tuple[str, str], float] = defaultdict(float)
    for game in games:
        bots = [bot for bot, _ in game.seats]
        for one, place in zip(bots, game.places, strict=True):
            for other, other_place in zip(bots, game.places, strict=True):
                if one != other:
                    met[one, other] += 1
                    points[one, other] += 1.0 if place < other_place else 0.5 if place == other_place else 0.0
    for one, other in sorted(met):
        yield MeetingRow(one, other, met[one, other], points[one, other])


def _rating_rows(
    results: SeasonResults, ratings: Ratings, games: Sequence[PlayedGame], figures: Mapping[Program, Figures]
) -> Iterator[RatingRow]:
    """Yield the rating of each version, in the order of the ratings."""
    last_match = {program: game.match_id for game in games for program in game.seats}
    counts = Counter(program for game in games for program in game.seats)
    sums, rated = _sum_places(games), results.rated_counts
    spreads = dict(zip(ratings.names, np.std(ratings.estimates.draws, axis=0, ddof=1).tolist(), strict=True))
    for row in ratings.rows:
        program = results.programs[row.name]
        yield RatingRow(
            bot=program[0],
            version=program[1],
            rating=row.rating,
            low=row.interval.low,
            high=row.interval.high,
            spread=min(FIRST_SPREAD, spreads[row.name]),
            games=counts[program],
            last_match=last_match[program],
            figures={**sums[program], RATED_GAMES: rated[row.name], **figures.get(program, {})},
        )


def _sum_places(games: Iterable[PlayedGame]) -> Mapping[Program, Figures]:
    sums: dict[Program, dict[str, float]] = {}
    for game in games:
        for program, place, points in zip(game.seats, game.places, place_points(game.places), strict=True):
            mine = sums.setdefault(program, {POINTS: 0.0, FIRST_PLACES: 0.0})
            mine[POINTS] += points
            mine[FIRST_PLACES] += place == 1
    return sums
