"""How often the best bot is champion: leagues of bots with known strength are played by a model, and counted.

`make champion-statistics` prints the figures; `test_champion_study.py` tries a few leagues. Each league of 12 bots is
played as a season, which a play-off may follow. The best bot is the one with the highest expected points at tables that
are drawn evenly, over the whole season. Two other champions are counted for comparison:

* The champion by the old judgement, whose play-off seats the contenders with one another.
* The champion of a longer season. It has as many more games as a play-off may have.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from math import sqrt
from statistics import NormalDist, fmean
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.competition.formats import Format, Season, WithPlayOff
from arena.competition.league.adjustment import Draw
from arena.competition.league.champion import Champion
from arena.competition.league.estimates import Floats
from arena.competition.league.field import Entry, Field
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import PLAY_OFF, BlockResult, Entrant, TableResult
from arena.competition.league.standings import compute_standings
from arena.competition.league.standings_inputs import PlayOffTerms
from arena.organizer.file.league_format import play_off_rounds

BOTS: Final = 12
SEATS: Final = 4
DRAWS: Final = 200
Integers = NDArray[np.intp]
SEED: Final = b"champion"
"""All leagues have the same schedule, and other strengths and results."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Leagues of one kind."""

    games: int
    tables: int
    """In a block: with 1, scores are plain points."""
    spread: float
    """Standard deviation of the bots' strengths, in theta; each league draws its own."""
    cycle: float = 0.0
    """What a bot gains for each opponent of the kind that it beats, and loses for each that beats it, in theta times
    opponents. There are three kinds, as in rock, paper, scissors."""
    drift: float = 0.0
    """Standard deviation of what a bot gains from the first to the last game of the season, in theta."""

    def __str__(self) -> str:
        return f"{self.games:5} {self.tables:6} {self.spread:6} {self.cycle:5} {self.drift:5}"


KINDS: Final = (
    Kind(120, 1, 0.3), Kind(400, 1, 0.3), Kind(120, 1, 0.7), Kind(120, 1, 0.0),
    Kind(160, 1, 0.35), Kind(160, 1, 0.35, cycle=1.2), Kind(160, 1, 0.35, drift=0.8),
)  # fmt: skip
"""A spread of 0.3 is 52 rating points, as between versions of one bot; 0.7 is 122, as between different bots. With 0
all are alike, and the first by name counts as the best: it drops out as often as the rule allows at most."""
MOMENTS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The moments of a season over which expected points are averaged, 0 being the first game and 1 the last."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one league says."""

    old: bool
    """Whether the champion by the old judgement is the best bot."""
    first: bool
    """Whether the first of the standings is the best bot."""
    certainty: float
    """What the league says of its first without a play-off."""
    play_off: bool
    """Whether the best bot is champion after a play-off, if there is one."""
    best_contender: bool
    """Whether the champion is the best of the contenders."""
    later_certainty: float
    """What the league says of its champion after the play-off."""
    more: int
    """Games of the play-off."""
    is_decided: bool
    """Whether the play-off ended with one leader."""
    lost_best: bool
    """Whether the best of its contenders dropped out."""
    longer: bool
    """Whether the first is the best after a season that is longer by the games that a play-off may have."""


class ModelLeague:
    """Bots that finish in the order of their strength at the table with standard Gumbel noise: Plackett and Luce."""

    def __init__(self, kind: Kind, seed: int) -> None:
        switches = [int(10 * each) for each in (kind.cycle, kind.drift) if each]
        self._source = source = np.random.default_rng([kind.games, kind.tables, int(10 * kind.spread), *switches, seed])
        self._kind = kind
        self._theta = source.normal(0, kind.spread, BOTS)
        self._gain = source.normal(0, kind.drift, BOTS)
        kinds = source.permutation(BOTS) % 3
        self._beats = kind.cycle * np.array([0.0, 1.0, -1.0])[kinds[None, :] - kinds[:, None]]
        self.names = [f"bot{number}" for number in range(BOTS)]
        self.field = Field(tuple(Entry(Entrant(name)) for name in self.names), SEATS, SEED)

    def best(self, names: Sequence[str]) -> str:
        """Return the bot with the highest expected points; the first by name of equals."""
        return max(sorted(names), key=lambda name: float(self.expected_points[self.names.index(name)]))

    @cached_property
    def expected_points(self) -> Floats:
        """The mean points of each bot over all tables, at several moments of the season."""
        tables = np.array(list(combinations(range(BOTS), SEATS)))
        found = np.zeros(BOTS)
        for moment in MOMENTS if self._kind.drift else (0.5,):
            strength = self._strength(tables, moment)
            ahead = 1 / (1 + np.exp(strength[:, None, :] - strength[:, :, None]))
            found += np.bincount(tables.ravel(), (ahead.sum(axis=2) - 0.5).ravel(), BOTS)
        return np.asarray(np.round(found, 9))

    def play(
        self, league: Format, history: Sequence[BlockResult] = (), judgement: Judgement = Judgement.NEW
    ) -> list[BlockResult]:
        """Play a league to its end, after the results in `history`."""
        results, own_field = list(history), replace(self.field, judgement=judgement)
        number = 1 + max((result.block.round for result in results), default=0)
        while blocks := league.draw_round(number, own_field, results):
            for block in blocks:
                moment = sum(len(each.tables) for each in results) / self._kind.games
                results.append(BlockResult(block, tuple(self._play_table(seats, moment) for seats in block.tables)))
            number += 1
        return results

    def _strength(self, tables: Integers, moment: float) -> Floats:
        """Return the strength of each seat of some tables: tables x seats."""
        met = self._beats[tables[:, :, None], tables[:, None, :]].sum(axis=2) / (SEATS - 1)
        return np.asarray((self._theta + self._gain * (moment - 0.5))[tables] + met)

    def _play_table(self, seats: tuple[str, ...], moment: float) -> TableResult:
        table = np.array([[self.names.index(name) for name in seats]])
        strength = self._strength(table, moment)[0] + self._source.gumbel(size=len(seats))
        places = (-strength).argsort().argsort() + 1
        return TableResult("m", seats, tuple(places.tolist()), "")

    def champion(
        self,
        results: Sequence[BlockResult],
        terms: PlayOffTerms | None = None,
        judgement: Judgement = Judgement.NEW,
    ) -> Champion:
        """Return the champion after these results."""
        found = compute_standings(
            self.names, results, seed=SEED, play_off=terms, draw=Draw(judgement=judgement), draw_count=DRAWS
        ).champion
        assert found is not None
        return found


def play(kind: Kind, seed: int) -> Outcome:
    """Play one league with every rule."""
    league, season, more = ModelLeague(kind, seed), Season(kind.games, kind.tables), kind.games // 4
    results = league.play(season)
    leader, best = league.champion(results), league.best(league.names)
    form = WithPlayOff(season, more, by_rating=False, tables=kind.tables, rounds=play_off_rounds(more, has_dates=False))
    played, terms = league.play(form, results), form.play_off_terms(league.field, results)
    champion = league.champion(played, terms if terms.contenders else None)
    old_terms = replace(terms, judgement=Judgement.OLD) if terms.contenders else None
    old = league.champion(league.play(form, results, Judgement.OLD), old_terms, Judgement.OLD)
    longer = league.champion(league.play(Season(kind.games + more, kind.tables), results))
    return Outcome(
        old=old.name == best,
        first=leader.name == best,
        certainty=leader.certainty or 0.0,
        play_off=champion.name == best,
        best_contender=champion.name == league.best(terms.contenders or league.names),
        later_certainty=champion.certainty or 0.0,
        more=sum(len(each.tables) for each in played if each.block.label == PLAY_OFF),
        is_decided=len(champion.remaining) == 1,
        lost_best=bool(champion.remaining) and league.best(terms.contenders) not in champion.remaining,
        longer=longer.name == best,
    )


def simulate_leagues(kind: Kind, leagues: int, workers: int = 1) -> list[Outcome]:
    """Play many leagues of a kind."""
    if workers == 1:
        return [play(kind, seed) for seed in range(leagues)]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(partial(play, kind), range(leagues), chunksize=10))


def share(holds: Sequence[bool]) -> str:
    """Return a share in percent, with half the width of its 95 % interval."""
    mean = fmean(holds)
    return f"{100 * mean:5.1f} ±{100 * NormalDist().inv_cdf(0.975) * sqrt(mean * (1 - mean) / len(holds)):.1f}"


HEAD: Final = (
    "games tables spread cycle drift | old rule    first       play-off    longer season | games more | play-offs"
    "  decided  best dropped out | certainty of the first, best | after the play-off, best of the contenders"
)


def line(kind: Kind, found: Sequence[Outcome]) -> str:
    """Return a kind's figures, below the head."""
    champions = [[getattr(each, name) for each in found] for name in ("old", "first", "play_off", "longer")]
    with_one = [each for each in found if each.more]
    shares = " ".join(share(each) for each in champions)
    decided = fmean([each.is_decided for each in with_one]) if with_one else 0.0
    lost = share([each.lost_best for each in with_one]) if with_one else ""
    more = fmean(each.more for each in found)
    part = len(with_one) / len(found)
    before = said_and_true([(each.certainty, each.first) for each in found])
    after = said_and_true([(each.later_certainty, each.best_contender) for each in with_one]) if with_one else ""
    return f"{kind} | {shares} | {more:6.1f} | {part:6.1%} {decided:6.1%} {lost} | {before} | {after}"


def said_and_true(pairs: Sequence[tuple[float, bool]]) -> str:
    """Return the mean of some certainties in percent, and how often what they said was true."""
    return f"{100 * fmean(said for said, _ in pairs):5.1f}, {share([true for _, true in pairs])}"


def bands(found: Sequence[Outcome]) -> Iterator[str]:
    """Yield a line for each band of certainties: how many leagues, what they said, and how often that was true."""
    pairs = [(each.certainty, each.first) for each in found]
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        within = [pair for pair in pairs if low <= pair[0] < low + 0.2 or (low, pair[0]) == (0.8, 1.0)]
        if within:
            yield f"{low:.0%} to {low + 0.2:.0%}: {len(within)} leagues, {said_and_true(within)}"


def main(leagues: int = 2000, workers: int = os.cpu_count() or 1) -> None:
    """Print the figures of each kind, and how true certainties are in all leagues whose bots differ."""
    print(f"{leagues} leagues of {BOTS} bots of each kind; how often in % the best bot is champion", HEAD, sep="\n")
    different: list[Outcome] = []
    for kind in KINDS:
        found = simulate_leagues(kind, leagues, workers)
        different += found if kind.spread else []
        print(line(kind, found), flush=True)
    print("certainty of the first, and how often it is the best, where bots differ", *bands(different), sep="\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
