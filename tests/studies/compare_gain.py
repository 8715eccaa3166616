"""How many games the same hands in the same seats save, for programs that were really compared.

    python -m tests.studies.compare_gain DATA [COMPARISONS]

Blocks of a comparison that was played are drawn again and again, moved to an effect that is known, and judged by the
code that judges real ones. Beside them are games of independent deals: each game of a block is drawn from another
block, so that it is what it was but has nothing in common with the others.
"""

import asyncio
import json
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.compare.sequential import BATCH_BLOCKS, ComparisonQuestion, SequentialVerdict, run_sequential_test
from arena.hosting.seal.ledger import read_ledger
from arena.league.model import BlockResult
from arena.league.points import place_points
from arena.store.open_store import open_store

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


def show(name: str, games: Floats, comparisons: int) -> None:
    """Print what one comparison's blocks come to."""
    blocks, per_block = games.shape
    scores = scores_of(games)
    same, apart = np.var(scores, ddof=1) * per_block, np.var(games, axis=0, ddof=1).sum() * 4 / per_block
    print(f"{name}: {blocks} blocks of {per_block} games, {scores.mean():+.2f} places a game")
    print(f"  variance a game: same deal {same:.2f}, independent deals {apart:.2f}")
    question = ComparisonQuestion()
    for effect in (question.low, question.middle, question.high):  # not worse: the same, the margin below
        ends = [
            [run_comparison(games, effect, question, seed, is_paired=is_paired) for seed in range(comparisons)]
            for is_paired in (True, False)
        ]
        (mine, yes), (others, also) = (np.mean(each, axis=0) * (per_block, 1) for each in ends)
        print(
            f"  effect {effect:+.1f}: {mine:.0f} games, yes {yes:.1%}; independent {others:.0f}, yes {also:.1%};"
            f" {others / mine:.2f} times fewer"
        )


def names_in(data: Path) -> list[str]:
    """Every comparison of a data folder."""
    with closing(sqlite3.connect(f"file:{data / 'arena.db'}?mode=ro", uri=True)) as store:
        return [name for (name,) in store.execute("SELECT name FROM league WHERE name LIKE 'compare/%' ORDER BY name")]


async def show_all(data: Path, comparisons: int) -> None:
    """Show each comparison of a data folder."""
    async with await open_store(data) as store:
        for name in names_in(data):
            row = await store.leagues.league(name)
            assert row is not None
            opponents = json.loads(row.text)["opponents"]
            ledger = await read_ledger(name, store.leagues, time.time)
            games = np.array([places_of(result, len(opponents) + 1) for result in ledger.history])
            show(f"{name}, with {', '.join(opponents)}", games, comparisons)


if __name__ == "__main__":
    asyncio.run(show_all(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200))
