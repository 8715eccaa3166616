"""What a league pays for three attacks: bots of known strength are played by the model, and titles are counted.

`make champion-statistics` prints the figures; `test_league_attacks.py` tries a few leagues. Each attack is tried under
both judgements. It pays if the attacker is first or champion more often than it would be without the attack:

* The third best of twelve makes its first three last places void. The season of 53 games a bot may have a play-off.
* The fourth best of twelve is withdrawn as soon as it leads, from half of the rounds on.
* The eighth of twelve comes last at all tables with the third, or at half of them, or gives it its place wherever it is
  ahead. How often the report names it is counted too.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from arena.competition.formats import Format, Ladder, Season, Swiss, WithPlayOff
from arena.competition.league.accomplice_screen import screen_for_accomplices
from arena.competition.league.adjustment import Draw
from arena.competition.league.field import Entry, Field
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import PLAY_OFF, Block, BlockResult, Entrant, TableResult
from arena.competition.league.points import came_last
from arena.competition.league.ports import VOID, BlockRow, LedgerEntry
from arena.competition.league.standings import Standings, compute_standings
from arena.competition.league.standings_inputs import PlayOffTerms
from arena.match.referee.ports import MatchId
from arena.organizer.file.league_format import play_off_rounds
from arena.organizer.play.block_results import lower_result
from arena.organizer.play.void_check import MAX_SPARED_BLOCKS
from tools.studies.league_champion import share

BOTS: Final = 12
SEATS: Final = 4
ACCOMPLICE: Final = "bot8"
SPREAD: Final = 0.35
"""Standard deviation of the strengths, in theta: 61 rating points."""
DRAWS: Final = 200
SEED: Final = b"attacks"
SEASON: Final = WithPlayOff(Season(160, 1), 40, False, 1, play_off_rounds(40, has_dates=False))


@dataclass(frozen=True, slots=True)
class Kind:
    """Leagues with an attacker."""

    form: Format
    rank: int
    """The attacker's rank in strength, from 1."""
    voids: bool = False
    leaves: bool = False
    sinks: float = 0.0
    """At which share of the tables with the attacker its accomplice, the eighth by strength, comes last on purpose."""
    passes: bool = False
    """Whether the accomplice gives the attacker its place instead, wherever it is ahead."""
    judgement: Judgement = Judgement.NEW

    @property
    def is_helped(self) -> bool:
        return self.sinks > 0 or self.passes

    def __str__(self) -> str:
        helped = "passes" if self.passes else f"helped {self.sinks}"
        attack = helped if self.is_helped else ("voids" if self.voids else "leaves" if self.leaves else "none")
        return f"{self.form.name:7} {self.rank:8} {attack:10} {self.judgement.value:9}"


def _with_attack(form: Format, rank: int, **attack: Any) -> Iterator[Kind]:
    """Yield the leagues without the attack, and with it under both judgements."""
    yield from (Kind(form, rank), *(Kind(form, rank, **attack, judgement=each) for each in Judgement))


KINDS: Final = (
    *_with_attack(SEASON, 3, voids=True),
    *_with_attack(Swiss(13, tables=1), 4, leaves=True),
    *_with_attack(Ladder(20, tables=1), 4, leaves=True),
    *(Kind(SEASON, 3, sinks=part, judgement=each) for part in (1.0, 0.5) for each in Judgement),
    Kind(SEASON, 3, passes=True),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the attacker comes to."""

    first: bool
    champion: bool
    flagged: bool = False
    """Whether the screen names its accomplice."""


class League:
    """A league of bots that finish in the order of their strength with standard Gumbel noise."""

    def __init__(self, kind: Kind, seed: int) -> None:
        self._kind = kind
        self._source = np.random.default_rng(seed)
        theta = sorted(self._source.normal(0, SPREAD, BOTS), reverse=True)
        self._theta = {f"bot{place}": value for place, value in enumerate(theta, 1)}
        self._attacker = f"bot{kind.rank}"
        self._voids_left = MAX_SPARED_BLOCKS if kind.voids else 0
        entries = tuple(Entry(Entrant(name)) for name in sorted(self._theta))
        self._field = Field(entries, SEATS, SEED, judgement=kind.judgement)
        self._results: list[BlockResult] = []

    def play(self) -> Outcome:
        number = 1
        while blocks := self._kind.form.draw_round(number, self._field, self._results):
            self._results += [BlockResult(each, tuple(map(self._play_table, each.tables))) for each in blocks]
            if self._kind.leaves and 2 * number >= (self._kind.form.size(self._field).rounds or 0):
                self._leave_if_first(blocks[0])
            number += 1
        found = self._standings(number, DRAWS)
        champion = found.champion.name if found.champion else ""
        is_flagged = self._kind.is_helped and any(
            (each.entrant, each.other) == (ACCOMPLICE, self._attacker) for each in screen_for_accomplices(self._results)
        )
        return Outcome(found.rows[0].name == self._attacker, champion == self._attacker, is_flagged)

    def _play_table(self, seats: tuple[str, ...]) -> TableResult:
        played = self._draw_places(seats)
        if not self._voids_left or self._attacker not in seats:
            return played
        if not came_last(played.places, seats.index(self._attacker)):
            return played
        self._voids_left -= 1
        row = BlockRow(1, 0, 1, "", (seats,), (MatchId("void"),))
        void = LedgerEntry(1, 0.0, VOID, {"name": self._attacker, "places": [played.places]})
        replay = self._draw_places(seats)
        return lower_result(replay, [(row, void)]) if self._kind.judgement.lowers_results else replay

    def _draw_places(self, seats: tuple[str, ...]) -> TableResult:
        strength = np.array([self._theta[name] for name in seats]) + self._source.gumbel(size=len(seats))
        if {ACCOMPLICE, self._attacker} <= set(seats) and self._source.random() < self._kind.sinks:
            strength[seats.index(ACCOMPLICE)] = -np.inf
        if {ACCOMPLICE, self._attacker} <= set(seats) and self._kind.passes:
            both = [seats.index(ACCOMPLICE), seats.index(self._attacker)]
            strength[both] = np.sort(strength[both])
        return TableResult("m", seats, tuple(((-strength).argsort().argsort() + 1).tolist()), "")

    def _leave_if_first(self, last: Block) -> None:
        if self._standings(last.round + 1, 2).rows[0].name == self._attacker:
            entries = self._field.entries
            gone = (replace(each, until=last.round) if each.name == self._attacker else each for each in entries)
            self._field = replace(self._field, entries=tuple(gone))

    def _standings(self, number: int, draws: int) -> Standings:
        form, regular = self._kind.form, [each for each in self._results if each.block.label != PLAY_OFF]
        terms: PlayOffTerms | None = None
        if isinstance(form, WithPlayOff) and len(regular) < len(self._results):
            terms = form.play_off_terms(self._field, regular)
        return compute_standings(
            self._field.names(),
            self._results,
            seed=SEED,
            departed=self._field.find_departed(number),
            play_off=terms,
            draw=Draw.from_field(form.name, self._field),
            draw_count=draws,
        )


def play(kind: Kind, seed: int) -> Outcome:
    """Play one league."""
    return League(kind, seed).play()


def simulate_leagues(kind: Kind, leagues: int, workers: int = 1) -> Sequence[Outcome]:
    """Play many leagues of a kind. Those of all kinds with one format have the same bots."""
    if workers == 1:
        return [play(kind, seed) for seed in range(leagues)]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(partial(play, kind), range(leagues), chunksize=10))


HEAD: Final = "format  attacker attack     judgement | first in %   champion in %   champion's accomplice named in %"


def line(kind: Kind, found: Sequence[Outcome]) -> str:
    """Return a kind's figures, below the head."""
    figures = f"{share([each.first for each in found])}  {share([each.champion for each in found])}"
    won = [each.flagged for each in found if each.champion]
    return f"{kind} | {figures}" + (f"  {share(won)}" if kind.is_helped and won else "")


def main(leagues: int = 1000, workers: int = os.cpu_count() or 1) -> None:
    """Print the figures of each kind."""
    print(f"{leagues} leagues of {BOTS} bots of each kind; what the attacker comes to", HEAD, sep="\n")
    for kind in KINDS:
        print(line(kind, simulate_leagues(kind, leagues, workers)), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
