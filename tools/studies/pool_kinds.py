"""Simulates kinds of pools: how ratings converge, and what an accomplice, or trying several times, is worth.

    python -m tools.studies.pool_kinds [--seeds 3]

Tables are drawn by lot, so that a kind takes seconds; the fit is the server's. The accomplice lets its friend pass:
where it would be ahead, they swap places. A gain is the friend's rating less that beside an honest bot, with the same
luck.
"""

import argparse
import statistics
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from random import Random
from typing import NamedTuple

import numpy as np

from arena.competition.pools.accomplices import find_accomplices
from arena.competition.pools.ports import FitRow, PlayedGame, RatingRow, SeasonBot
from arena.competition.pools.season_ratings import fit_season
from arena.competition.pools.season_results import SeasonResults
from arena.match.referee.ports import MatchId
from tools.studies.pool_week import SEATS, draw_places

SPREAD = 150.0
"""Standard deviation of the strengths, in points."""
HOUSE = tuple(f"house-{number}" for number in range(SEATS - 1))
FRIEND, ACCOMPLICE = "friend", "accomplice"


class Hall:
    """The games of a season, and the strengths of its bots."""

    def __init__(self, bots: int, seed: int) -> None:
        self.random = Random(seed)
        self.strengths = {f"bot{number}": self.random.gauss(0, SPREAD) for number in range(bots)}
        self.games: list[PlayedGame] = []
        self._ids = count(1)

    def play(self, bots: Sequence[str], *, helps: bool = False) -> None:
        """Play a game of these bots in seats by lot; `helps` says whether the accomplice lets its friend pass."""
        seats = self.random.sample(bots, SEATS)
        places = list(draw_places([self.strengths.get(bot, 0.0) for bot in seats], self.random))
        if helps and ACCOMPLICE in seats and FRIEND in seats:
            one, other = seats.index(ACCOMPLICE), seats.index(FRIEND)
            places[one], places[other] = max(places[one], places[other]), min(places[one], places[other])
        match_id = MatchId(f"{next(self._ids):026d}")
        self.games.append(PlayedGame(match_id, 0, tuple((bot, "") for bot in seats), tuple(places)))

    def play_all(self, games_a_bot: int) -> None:
        """Let all bots play some games each, at tables by lot."""
        for _ in range(games_a_bot):
            order = self.random.sample(sorted(self.strengths), len(self.strengths) // SEATS * SEATS)
            for first in range(0, len(order), SEATS):
                self.play(order[first : first + SEATS])

    def rate(self) -> Mapping[str, RatingRow]:
        """Return the ratings by bot."""
        bots = {name: SeasonBot(name, is_house=True) for name in HOUSE}
        fit: FitRow = fit_season("kind", 1, self.games, {}, bots=bots, fitted_at=1.0, upto=0, unended=())
        return {row.bot: row for row in fit.ratings}


class Convergence(NamedTuple):
    """How well ratings tell strengths, over all bots."""

    error: float
    """Root mean square, in points."""
    correlation: float
    held: float
    """The share of intervals that hold the strength."""
    ranked: float
    """The share of bots with a rank."""


def measure_convergence(games_a_bot: int, seed: int, bots: int = 60) -> Convergence:
    """Rate bots after so many games each."""
    hall = Hall(bots, seed)
    hall.play_all(games_a_bot)
    rows = list(hall.rate().values())
    true = np.array([hall.strengths[row.bot] for row in rows])
    true += 1500 - true.mean()
    found = np.array([row.rating for row in rows])
    held = [
        (row.low is None or row.low <= each) and (row.high is None or each <= row.high)
        for row, each in zip(rows, true, strict=True)
    ]
    ranks = found.argsort().argsort(), true.argsort().argsort()
    return Convergence(
        float(np.sqrt(((found - true) ** 2).mean())),
        float(np.corrcoef(*ranks)[0, 1]),
        statistics.fmean(held),
        statistics.fmean(not row.is_provisional for row in rows),
    )


def rate_friend(games: int, seed: int, *, house: bool, helps: bool, awake: int = 2, bots: int = 40) -> RatingRow:
    """Return the friend's rating after so many games in quiet hours, in a season of bots with a hundred games.

    `awake` of the other bots are there too. With house bots, the friend meets the accomplice in every second game.
    """
    hall = Hall(bots, seed)
    hall.play_all(100)
    others = sorted(hall.strengths)[:awake]
    for number in range(games):
        if house and number % 2:
            hall.play([FRIEND, *HOUSE])
        else:
            pool = [ACCOMPLICE, *others] if awake < SEATS else hall.random.sample([ACCOMPLICE, *others], SEATS - 1)
            hall.play([FRIEND, *hall.random.sample(pool, SEATS - 1)], helps=helps)
    return hall.rate()[FRIEND]


def rate_helped(games: int, part: float, seed: int, *, helps: bool, bots: int = 40) -> tuple[RatingRow, bool]:
    """Return the friend's rating after so many games in a busy season, and whether its accomplice is flagged.

    The accomplice is in this part of the friend's games, and plays as often elsewhere as the friend does without it.
    """
    hall = Hall(bots, seed)
    hall.play_all(100)
    others, together = sorted(hall.strengths), round(games * part)
    for number in range(games):
        if (number + 1) * together // games > number * together // games:
            hall.play([FRIEND, ACCOMPLICE, *hall.random.sample(others, SEATS - 2)], helps=helps)
        else:
            for one in (FRIEND, ACCOMPLICE):
                hall.play([one, *hall.random.sample(others, SEATS - 1)])
    flagged = find_accomplices(SeasonResults.from_games(hall.games, {}), {}).get(FRIEND, frozenset())
    return hall.rate()[FRIEND], ACCOMPLICE in flagged


def measure_helped(games: int, part: float, seeds: Iterable[int]) -> tuple[float, float, float]:
    """Return the mean gain of the friend, half its 95 % interval, and how often its accomplice is flagged."""
    gains, flags = [], []
    for seed in seeds:
        (honest, _), (helped, is_flagged) = (rate_helped(games, part, seed, helps=helps) for helps in (False, True))
        gains.append(helped.rating - honest.rating)
        flags.append(is_flagged)
    return statistics.fmean(gains), 1.96 * statistics.stdev(gains) / len(gains) ** 0.5, statistics.fmean(flags)


def measure_accomplice(games: int, seeds: Iterable[int], *, house: bool, awake: int = 2) -> tuple[float, float, float]:
    """Return the mean gain of the friend, half its 95 % interval, and the share of seeds in which it has a rank."""
    gains, ranks = [], []
    for seed in seeds:
        honest, helped = (rate_friend(games, seed, house=house, helps=helps, awake=awake) for helps in (False, True))
        gains.append(helped.rating - honest.rating)
        ranks.append(not helped.is_provisional)
    return statistics.fmean(gains), 1.96 * statistics.stdev(gains) / len(gains) ** 0.5, statistics.fmean(ranks)


def measure_newcomer(strength: float, games: int, seed: int) -> tuple[float, bool]:
    """Return the error of a newcomer's rating in points, and whether it has a rank."""
    hall = Hall(40, seed)
    hall.play_all(100)
    mean = statistics.fmean(hall.strengths.values())
    others = sorted(hall.strengths)
    hall.strengths[FRIEND] = strength + mean
    for _ in range(games):
        hall.play([FRIEND, *hall.random.sample(others, SEATS - 1)])
    row = hall.rate()[FRIEND]
    return row.rating - 1500 - strength, not row.is_provisional


def measure_best_of(tries: int, games: int, seed: int) -> float:
    """Return by how many points the best of several equal accounts stands above their strength."""
    hall = Hall(40, seed)
    hall.play_all(100)
    mean = statistics.fmean(hall.strengths.values())
    others, accounts = sorted(hall.strengths), [f"try{number}" for number in range(tries)]
    for account in accounts:
        hall.strengths[account] = mean
        for _ in range(games):
            hall.play([account, *hall.random.sample(others, SEATS - 1)])
    rows = hall.rate()
    return max(rows[account].rating for account in accounts) - 1500


def main() -> None:
    """Print the figures of all kinds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    seeds = range(1, 1 + parser.parse_args().seeds)
    for games in (10, 20, 30, 60, 120, 200):
        found = [measure_convergence(games, seed) for seed in seeds]
        means = Convergence(*(statistics.fmean(each) for each in zip(*found, strict=True)))
        print(f"{games} games: {means}", flush=True)
    for house, awake in ((False, 2), (True, 2), (False, 40)):
        for games in (30, 60, 120):
            gain, half, ranked = measure_accomplice(games, range(1, 1 + 10 * len(seeds)), house=house, awake=awake)
            beside = f"{awake} others{' and house bots' if house else ''}"
            print(
                f"accomplice beside {beside}, {games} games: {gain:+.0f} +- {half:.0f}, ranked {ranked:.0%}", flush=True
            )
    for part in (1 / 8, 1 / 4, 1 / 2):
        for games in (30, 60, 120, 240):
            gain, half, flagged = measure_helped(games, part, range(1, 1 + 10 * len(seeds)))
            print(
                f"accomplice in {part:.0%} of {games} games: {gain:+.0f} +- {half:.0f}, flagged {flagged:.0%}",
                flush=True,
            )
    for strength in (-300.0, 0.0, 400.0):
        errors = [measure_newcomer(strength, 30, seed) for seed in range(1, 1 + 10 * len(seeds))]
        mean, ranked = (statistics.fmean(each) for each in zip(*errors, strict=True))
        print(f"newcomer of {strength:+.0f} after 30 games: error {mean:+.0f}, ranked {ranked:.0%}", flush=True)
    for games in (30, 60):
        best = statistics.fmean(measure_best_of(5, games, seed) for seed in range(1, 1 + 10 * len(seeds)))
        print(f"the best of five equal accounts, {games} games each: {best:+.0f}", flush=True)


if __name__ == "__main__":
    main()
