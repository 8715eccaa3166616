"""How often the best bot is champion: leagues of bots with known strength are played by the model, and counted.

`make champion-statistics` prints the figures; `test_champion_study.py` tries a few leagues. Each league of 12 bots is
played as a season, which a play-off may follow. Two other champions are counted for comparison:

* The champion by the rule of earlier releases, for the same season. By this rule, tie-breaks chose among all bots that
  could not be told apart.
* The champion of a longer season. It has as many more games as a play-off may have.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import sqrt
from statistics import NormalDist, fmean
from typing import Final

import numpy as np

from arena.competition.formats import Format, Season, WithPlayOff
from arena.competition.league.field import Entry, Field
from arena.competition.league.model import PLAY_OFF, Block, BlockResult, Entrant, TableResult
from arena.competition.league.playing_on import PlayOffTerms
from arena.competition.league.points import block_scores, build_tallies
from arena.competition.league.standings import Standings, compute_standings
from arena.competition.league.tie_breaks import ranked_tie_break_keys
from arena.organizer.file.league_format import play_off_rounds

BOTS: Final = 12
SEATS: Final = 4
DRAWS: Final = 200
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

    def __str__(self) -> str:
        return f"{self.games:5} {self.tables:6} {self.spread:6}"


KINDS: Final = (Kind(120, 1, 0.3), Kind(400, 1, 0.3), Kind(120, 1, 0.7), Kind(120, 1, 0.0))
"""A spread of 0.3 is 52 rating points, as between versions of one bot; 0.7 is 122, as between different bots. With 0
all are alike, and the first by name counts as the best: it drops out as often as the rule allows at most."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one league says."""

    old: bool
    """Whether the old rule names the best bot."""
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
    """Bots that finish in the order of their strength with standard Gumbel noise: the Plackett-Luce model."""

    def __init__(self, kind: Kind, seed: int) -> None:
        self._source = np.random.default_rng([kind.games, kind.tables, int(10 * kind.spread), seed])
        self._theta = {f"bot{number}": theta for number, theta in enumerate(self._source.normal(0, kind.spread, BOTS))}
        self.field = Field(tuple(Entry(Entrant(name)) for name in self._theta), SEATS, SEED)

    def best(self, names: Sequence[str]) -> str:
        """Return the strongest of these bots; the first by name of equals."""
        return max(sorted(names), key=self._theta.__getitem__)

    @property
    def names(self) -> list[str]:
        return list(self._theta)

    def play(self, league: Format, history: Sequence[BlockResult] = ()) -> list[BlockResult]:
        """Play a league to its end, after the results in `history`."""
        results = list(history)
        number = 1 + max((result.block.round for result in results), default=0)
        while blocks := league.draw_round(number, self.field, results):
            results += map(self._play_block, blocks)
            number += 1
        return results

    def _play_block(self, block: Block) -> BlockResult:
        return BlockResult(block, tuple(map(self._play_table, block.tables)))

    def _play_table(self, seats: tuple[str, ...]) -> TableResult:
        strength = np.array([self._theta[name] for name in seats]) + self._source.gumbel(size=len(seats))
        places = (-strength).argsort().argsort() + 1
        return TableResult("m", seats, tuple(places.tolist()), "")

    def standings(self, results: Sequence[BlockResult], contenders: Sequence[str] = (), rounds: int = 1) -> Standings:
        """Return the standings after these results."""
        return compute_standings(
            self.names,
            results,
            seed=SEED,
            play_off=PlayOffTerms(contenders, rounds) if contenders else None,
            draw_count=DRAWS,
        )


def old_champion(table: Standings, results: Sequence[BlockResult], league: ModelLeague) -> str:
    """Return whom the rule of earlier releases named: by the tie-breaks among all contenders."""
    assert table.champion is not None
    counted = build_tallies(league.names, ((each, block_scores(each)) for each in results))
    return next(iter(ranked_tie_break_keys(table.champion.contenders, results, counted, SEED)))


def play(kind: Kind, seed: int) -> Outcome:
    """Play one league with every rule."""
    league, season = ModelLeague(kind, seed), Season(kind.games, kind.tables)
    results = league.play(season)
    table = league.standings(results)
    assert table.champion is not None
    best, more = league.best(league.names), kind.games // 4
    form = WithPlayOff(season, more, by_rating=False, tables=kind.tables, rounds=play_off_rounds(more, has_dates=False))
    played = league.play(form, results)
    starters = form.contenders(league.field, results)
    champion = league.standings(played, starters, form.rounds or 1).champion
    assert champion is not None
    longer = league.standings(league.play(Season(kind.games + kind.games // 4, kind.tables), results)).champion
    assert longer is not None
    return Outcome(
        old=old_champion(table, results, league) == best,
        first=table.champion.name == best,
        certainty=table.champion.certainty or 0.0,
        play_off=champion.name == best,
        best_contender=champion.name == league.best(starters or league.names),
        later_certainty=champion.certainty or 0.0,
        more=sum(len(each.tables) for each in played if each.block.label == PLAY_OFF),
        is_decided=len(champion.remaining) == 1,
        lost_best=bool(champion.remaining) and league.best(starters) not in champion.remaining,
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
    "games tables spread | old rule    first       play-off    longer season | games more | play-offs  decided"
    "  best dropped out | certainty of the first, best | after the play-off, best of the contenders"
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
