"""How many games the same hands in the same seats save, for programs that were really compared.

    python -m tools.studies.compare_gain DATA… [--comparisons 200] [--json FILE] [--beside FILE]

Each DATA is the data folder of a comparison that was played on for long, for example with `--margin 0.01 --error 0.001
--budget 800`. The blocks of this comparison are drawn again and again, moved to an effect that is known, and judged by
the code that judges real ones. Beside them are games of independent deals: each game of a block is drawn from another
block, so that it is what it was but has nothing in common with the others.

`--json` keeps the figures. `--beside` shows the games that another version of the test needed, from the file that it
kept. So two checkouts are compared with the same games.
"""

import argparse
import asyncio
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.competition.compare.sequential import (
    BATCH_BLOCKS,
    ComparisonQuestion,
    SequentialVerdict,
    run_sequential_test,
)
from arena.competition.league.model import BlockResult
from arena.competition.league.points import place_points
from arena.organizer.seal.ledger import read_ledger
from arena.server.store.open_store import open_store

Floats = NDArray[np.float64]
MAX_BLOCKS = 2_000


def places_of(result: BlockResult, seats: int) -> list[float]:
    """By how many places each game of a block speaks for the candidate: those of the baseline with the sign turned."""
    points = [place_points(table.places)[lane // 2] for lane, table in enumerate(result.tables)]
    return [(seats - 1) * point * (-1) ** lane for lane, point in enumerate(points)]


def scores_of(games: Floats) -> Floats:
    """Places a game by which the candidate is better, of blocks: their games, half of them the baseline's."""
    return np.asarray(games.sum(axis=1) * 2 / games.shape[1])


def draw(games: Floats, count: int, source: np.random.Generator, *, is_paired: bool) -> Floats:
    """Scores of blocks as they were played, or with each game from a block of its own."""
    shape = (count, 1 if is_paired else games.shape[1])
    return scores_of(games[source.integers(0, len(games), shape), np.arange(games.shape[1])])


def run_comparison(
    games: Floats, effect: float, question: ComparisonQuestion, seed: int, *, is_paired: bool
) -> tuple[int, bool]:
    """One comparison with that effect: after how many blocks it ended, and whether with yes."""
    source, moved = np.random.default_rng(seed), effect - scores_of(games).mean()
    scores: list[float] = []
    verdict = SequentialVerdict.OPEN
    while verdict is SequentialVerdict.OPEN and len(scores) < MAX_BLOCKS:
        scores += (draw(games, BATCH_BLOCKS, source, is_paired=is_paired) + moved).tolist()
        _, verdict = run_sequential_test(scores, question)
    return len(scores), verdict is SequentialVerdict.YES


@dataclass(frozen=True)
class PairFigures:
    """What the games of one pair of programs come to. Games are means of simulated comparisons in mode `better`."""

    blocks: int
    difference: float
    """Places a game by which the candidate was better."""
    variance: float
    """Variance of a game if both programs play the same deals."""
    variance_apart: float
    """Variance of a game if each game has a deal of its own."""
    games_equal: float
    """Games until the answer, if both programs are equally good."""
    games_better: float
    """Games until the answer, if the candidate is better by the margin."""
    games_apart: float
    """As `games_equal`, with a deal of its own for each game."""
    wrong_yes: float
    wrong_no: float


def measure(games: Floats, comparisons: int) -> PairFigures:
    """Return the figures of one pair from the games of its blocks."""
    blocks, per_block = games.shape
    scores, question = scores_of(games), ComparisonQuestion(seats=per_block // 2)

    def run_all(effect: float, *, is_paired: bool) -> tuple[float, float]:
        """Mean games until the answer, and the share of yes."""
        runs = [run_comparison(games, effect, question, seed, is_paired=is_paired) for seed in range(comparisons)]
        count, yes = np.mean(runs, axis=0)
        return float(count) * per_block, float(yes)

    games_equal, wrong_yes = run_all(question.low, is_paired=True)
    games_better, right_yes = run_all(question.high, is_paired=True)
    return PairFigures(
        blocks=blocks,
        difference=float(scores.mean()),
        variance=float(np.var(scores, ddof=1)) * per_block,
        variance_apart=float(np.var(games, axis=0, ddof=1).sum()) * 4 / per_block,
        games_equal=games_equal,
        games_better=games_better,
        games_apart=run_all(question.low, is_paired=False)[0],
        wrong_yes=wrong_yes,
        wrong_no=1 - right_yes,
    )


def table_lines(pairs: Mapping[str, PairFigures], before: Mapping[str, PairFigures]) -> Iterator[str]:
    """Yield the lines of a Markdown table. `before` has the figures of another version of the test; it may be empty."""
    heads = ["pair", "blocks", "difference", "variance of a game", "with new deals"]
    heads += [
        "games needed",
        *(["by the other version"] if before else []),
        "if better by the margin",
        "with new deals",
    ]
    heads += ["ratio", "wrong yes", "wrong no"]
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for name, pair in pairs.items():
        cells = [
            name,
            f"{pair.blocks}",
            f"{pair.difference:+.2f}",
            f"{pair.variance:.1f}",
            f"{pair.variance_apart:.1f}",
        ]
        cells += [f"{pair.games_equal:.0f}"]
        if before:
            cells += [f"{before[name].games_equal:.0f}" if name in before else ""]
        cells += [f"{pair.games_better:.0f}", f"{pair.games_apart:.0f}", f"{pair.games_apart / pair.games_equal:.1f}"]
        cells += [f"{pair.wrong_yes:.1%}", f"{pair.wrong_no:.1%}"]
        yield f"| {' | '.join(cells)} |"


def names_in(data: Path) -> list[str]:
    """Every comparison of a data folder."""
    with closing(sqlite3.connect(f"file:{data / 'arena.db'}?mode=ro", uri=True)) as store:
        return [name for (name,) in store.execute("SELECT name FROM league WHERE name LIKE 'compare/%' ORDER BY name")]


async def read_games(data: Path) -> Mapping[str, Floats]:
    """Return the games of each comparison of a data folder, block by block, named after the folder."""
    names, games = names_in(data), dict[str, Floats]()
    async with await open_store(data) as store:
        for number, name in enumerate(names, 1):
            row = await store.leagues.league(name)
            assert row is not None
            seats = len(json.loads(row.text)["opponents"]) + 1
            ledger = await read_ledger(name, store.leagues, time.time)
            shown = data.name + (f" {number}" if len(names) > 1 else "")
            games[shown] = np.array([places_of(result, seats) for result in ledger.history])
    return games


def main() -> None:
    """Print the table of all pairs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--comparisons", type=int, default=200)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--beside", type=Path)
    asked = parser.parse_args()
    played = {name: games for data in asked.data for name, games in asyncio.run(read_games(data)).items()}
    pairs = {name: measure(games, asked.comparisons) for name, games in played.items()}
    if asked.json:
        asked.json.write_text(json.dumps({name: asdict(pair) for name, pair in pairs.items()}, indent=1))
    kept = json.loads(asked.beside.read_text()) if asked.beside else {}
    print(*table_lines(pairs, {name: PairFigures(**values) for name, values in kept.items()}), sep="\n")


if __name__ == "__main__":
    main()
