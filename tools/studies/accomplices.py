"""How often honest bots are flagged or doubted as accomplices, and how often an accomplice is: made-up leagues.

`make accomplice-statistics` prints the figures; `test_accomplice_screen.py` and `test_doubts.py` try a few leagues.
Bots finish by the Plackett-Luce model. An accomplice, the eighth by strength, comes last beside the third, or gives it
its place wherever it is ahead.
"""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from arena.competition.formats import Season
from arena.competition.league.accomplice_screen import screen_for_accomplices
from arena.competition.league.doubts import find_doubts
from arena.competition.league.field import Entry, Field
from arena.competition.league.model import Block, BlockResult, Entrant, TableResult

Floats = NDArray[np.float64]

HELPER, HELPED = 7, 2
"""The places by strength, from 0, of an accomplice and of the bot that it helps."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Leagues of one kind."""

    words: str
    sinks: float = 0.0
    """At which share of the tables with the third bot the eighth comes last on purpose; 0 in an honest league."""
    passes: float = 0.0
    """At which share of these tables the eighth gives the third its place, if it is ahead."""
    games: int = 160
    bots: int = 12
    seats: int = 4
    tables: int = 1
    """In a block."""
    spread: float = 0.35
    """Standard deviation of the bots' strengths, in theta: 0.35 is 61 rating points. Each league draws its own."""
    luck: float = 0.0
    """Standard deviation of what a deal gives to a seat, in theta."""
    suits: Literal["", "triples", "thirds", "pairs"] = ""
    """Who plays rock, paper and scissors: three bots each, or three thirds of the field. In `pairs`, a normal draw says
    for any two bots which of them gains, and how much."""
    shows: Literal["order", "ties", "winner"] = "order"
    """What places tell: the order, the order with many ties, or the winner alone."""

    @property
    def has_accomplice(self) -> bool:
        return self.sinks + self.passes > 0


SUITS: Final = 1.2
"""What a bot of rock, paper and scissors gains beside its prey, and loses beside its predator, in theta; the standard
deviation in `pairs`."""
HONEST: Final = (
    Kind("Plackett-Luce"),
    Kind("400 games", games=400),
    Kind("far apart", spread=1.4, games=400),
    Kind("triples", suits="triples"),
    Kind("triples, 400 games", suits="triples", games=400),
    Kind("thirds", suits="thirds"),
    Kind("thirds, 400 games", suits="thirds", games=400),
    Kind("pairs", suits="pairs"),
    Kind("pairs, 400 games", suits="pairs", games=400),
    Kind("ties", shows="ties"),
    Kind("winner only", shows="winner"),
    Kind("3 tables, luck", tables=3, luck=1.0),
    Kind("3 seats", seats=3),
    Kind("5 seats", seats=5),
    Kind("5 bots", bots=5),
    Kind("8 bots", bots=8),
    Kind("60 bots", bots=60, games=1000),
)
WITH_ACCOMPLICE: Final = (
    Kind("always last", sinks=1.0),
    Kind("always, 400 games", sinks=1.0, games=400),
    Kind("half the time", sinks=0.5),
    Kind("half, 400 games", sinks=0.5, games=400),
    Kind("half, 1000 games", sinks=0.5, games=1000),
    Kind("3 seats, 400 games", sinks=1.0, seats=3, games=400),
    Kind("triples, 400 games", sinks=1.0, suits="triples", games=400),
    Kind("thirds, 400 games", sinks=1.0, suits="thirds", games=400),
    Kind("winner, 1000 games", sinks=1.0, shows="winner", games=1000),
    Kind("passes", passes=1.0),
    Kind("passes, 400 games", passes=1.0, games=400),
    Kind("passes half", passes=0.5),
    Kind("passes half, 400", passes=0.5, games=400),
)


@cache
def _schedule(bots: int, seats: int, season: Season) -> list[Block]:
    field = Field(tuple(Entry(Entrant(f"bot{number}")) for number in range(bots)), seats, b"accomplices")
    blocks: list[Block] = []
    while drawn := season.draw_round(1 + (blocks[-1].round if blocks else 0), field):
        blocks += drawn
    return blocks


def play(kind: Kind, source: np.random.Generator) -> Iterator[BlockResult]:
    """Yield the results of a league. The strongest bot is called bot0, the next bot1."""
    theta, suits = -np.sort(-source.normal(0, kind.spread, kind.bots)), _suits(kind, source)
    blocks = _schedule(kind.bots, kind.seats, Season(kind.games, kind.tables))
    deal_of_table = np.array([at for at, block in enumerate(blocks) for _ in block.tables])
    who = np.array([[int(name.removeprefix("bot")) for name in table] for block in blocks for table in block.tables])
    deals = kind.luck * source.normal(size=(len(blocks), kind.seats))
    form = theta[who] + deals[deal_of_table] + source.gumbel(size=who.shape)
    form += suits[who[:, :, None], who[:, None, :]].sum(axis=2)
    chance, helped = source.random(len(who)), (who == HELPED).any(axis=1)
    form[(who == HELPER) & (helped & (chance < kind.sinks))[:, None]] = -np.inf
    for table in np.flatnonzero(helped & (who == HELPER).any(axis=1) & (chance < kind.passes)):
        both = [np.flatnonzero(who[table] == each).item() for each in (HELPER, HELPED)]
        form[table, both] = np.sort(form[table, both])
    places = iter(_places(kind, form))
    for block in blocks:
        yield BlockResult(block, tuple(TableResult("m", seats, tuple(next(places)), "") for seats in block.tables))


def _suits(kind: Kind, source: np.random.Generator) -> Floats:
    """Return what the row's bot gains beside the column's. Strength does not tell which kind a bot is of."""
    other = source.permutation(kind.bots)
    one = other[:, None]
    beats = np.array([0, 1, -1])[(other - one) % 3]
    upper = np.triu(source.normal(size=beats.shape), 1)
    gains = {"": 0 * beats, "triples": beats * (one // 3 == other // 3), "thirds": beats, "pairs": upper - upper.T}
    return np.asarray(SUITS * gains[kind.suits])


def _places(kind: Kind, form: Floats) -> list[list[int]]:
    """Return the places at each table, by seat."""
    if kind.shows == "ties":
        form = np.round(form)
    if kind.shows == "winner":
        form = np.where(form == form.max(axis=1, keepdims=True), 1.0, 0.0)
    places: list[list[int]] = (1 + (form[:, None, :] > form[:, :, None]).sum(axis=2)).tolist()
    return places


@dataclass(frozen=True, slots=True)
class Flags:
    """What the screen says of one league."""

    found: bool
    """Whether it flags the accomplice."""
    wrong: bool
    """Whether it flags anybody else."""
    doubted: bool
    """Whether there is a doubt about the bot that the accomplice helps, and it."""
    wrongly_doubted: float
    """The share of the others about whom there is a doubt."""


def screen(kind: Kind, seed: int) -> Flags:
    """Play one league and screen it."""
    results = [*play(kind, np.random.default_rng([kind.games, seed]))]
    pairs = {(each.entrant, each.other) for each in screen_for_accomplices(results)}
    doubts = {(each.other, each.entrant) for each in find_doubts(results)}
    accomplice = {(f"bot{HELPER}", f"bot{HELPED}")} if kind.has_accomplice else set[tuple[str, str]]()
    wrongly_doubted = len({helped for _, helped in doubts - accomplice}) / kind.bots
    return Flags(bool(pairs & accomplice), bool(pairs - accomplice), bool(doubts & accomplice), wrongly_doubted)


def simulate_leagues(kind: Kind, leagues: int, workers: int = 1) -> list[Flags]:
    """Play many leagues of a kind."""
    if workers == 1:
        return [screen(kind, seed) for seed in range(leagues)]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(partial(screen, kind), range(leagues), chunksize=10))


def main(leagues: int = 1000, workers: int = os.cpu_count() or 1) -> None:
    print(f"{leagues} leagues of each kind; share with a wrong flag, and of honest bots that are doubted;")
    print("of the accomplice, how often it is flagged and doubted")
    for kind in (*HONEST, *WITH_ACCOMPLICE):
        found = simulate_leagues(kind, leagues, workers)
        wrong, false, right, doubted = (
            100 * np.mean([getattr(each, name) for each in found])
            for name in ("wrong", "wrongly_doubted", "found", "doubted")
        )
        help_found = f" {right:5.1f} % {doubted:5.1f} %" * kind.has_accomplice
        print(f"{kind.words:20} {wrong:5.1f} % {false:5.1f} %{help_found}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
