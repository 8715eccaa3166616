"""How much scores vary in a league that was played, by how they count, and what those with the same hand share.

    python -m tools.studies.score_variance LEAGUE.toml DATA

Points of two entrants who held the same hand in the same seat, each less what it makes of these opponents in the mean,
have a correlation: as large as it is, so much luck of the deal their difference takes away.
"""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from arena.competition.league.adjustment import EVEN_DRAW, adjust_scores, plain_scores
from arena.competition.league.head_to_head import HeadToHead
from arena.competition.league.model import BlockResult, TableResult
from arena.competition.league.points import place_points
from arena.organizer.file.league_reader import read_league_file_lenient
from arena.organizer.plan.designs import scores_at_one_table
from arena.organizer.seal.open_league import open_league
from arena.organizer.view.league_standings import regular_results
from arena.server.store.open_store import open_store

Array = np.ndarray
DRAWS = 2_000


def unexplained(results: Sequence[BlockResult]) -> list[list[tuple[float, ...]]]:
    """Points less what their entrant makes of these opponents in the mean, by block, table and seat."""
    names = sorted({name for result in results for name in result.block.names})
    met, index = HeadToHead.from_results(names, results), {name: number for number, name in enumerate(names)}

    def table_of(table: TableResult) -> tuple[float, ...]:
        rows = [index[name] for name in table.seats]
        usual = [np.mean([met.share_ahead(row, other) for other in rows if other != row]) for row in rows]
        return tuple(points - float(mean) for points, mean in zip(place_points(table.places), usual, strict=True))

    return [[table_of(table) for table in result.tables] for result in results]


def pairs_of(tables: Sequence[Sequence[float]]) -> Array:
    """Both values of every two who held the same hand in the same seat, either way round."""
    twos = [(one, other) for one in tables for other in tables if one is not other]
    return np.array([two for one, other in twos for two in zip(one, other, strict=True)]).reshape(-1, 2)


def correlation(blocks: Sequence[Array]) -> float:
    """Of the first with the second value of all pairs; their means are 0. Its interval is a bootstrap over blocks."""
    pairs = np.concatenate(blocks)
    return float((pairs[:, 0] * pairs[:, 1]).sum() / (pairs[:, 0] ** 2).sum())


def spread(blocks: Sequence[Mapping[str, float]]) -> float:
    """The variance of an entrant's scores, in the mean of all entrants."""
    by_name: dict[str, list[float]] = {}
    for name, score in (each for block in blocks for each in block.items()):
        by_name.setdefault(name, []).append(score)
    return float(np.mean([np.var(values, ddof=1) for values in by_name.values() if len(values) > 1]))


def differences(results: Sequence[BlockResult]) -> list[dict[str, float]]:
    """Points less the mean of all others with the same hand and seat: the adjustment with weight 1."""
    found = []
    for result in results:
        points = [place_points(table.places) for table in result.tables]
        means = [float(np.sum(seat)) for seat in zip(*points, strict=True)]
        found.append(
            {
                name: points[table][seat] - (means[seat] - points[table][seat]) / max(1, len(points) - 1)
                for table, each in enumerate(result.tables)
                for seat, name in enumerate(each.seats)
            }
        )
    return found


async def history_of(file: Path, data: Path) -> list[BlockResult]:
    """How a league's blocks went."""
    async with await open_store(data) as store:
        return regular_results(await open_league(read_league_file_lenient(file), store))


def main(file: Path, data: Path) -> None:
    results = asyncio.run(history_of(file, data))
    blocks = [pairs_of(tables) for tables in unexplained(results)]
    source = np.random.default_rng(1)
    draws = [correlation([blocks[i] for i in source.integers(0, len(blocks), len(blocks))]) for _ in range(DRAWS)]
    low, high = np.quantile(draws, (0.025, 0.975))
    found, pairs = correlation(blocks), np.concatenate(blocks)
    same, apart = np.mean((pairs[:, 0] - pairs[:, 1]) ** 2), 2 * np.mean(pairs**2)
    print(f"{len(results)} blocks; correlation of the same hand {found:.3f} ({low:.3f} to {high:.3f})")
    print(f"variance of a difference: same hand {same:.3f}, independent deals {apart:.3f}")
    print_variances(results)


def print_variances(results: Sequence[BlockResult]) -> None:
    """Print the variance of each kind of score beside that of plain points, with intervals from whole blocks."""
    kinds = {
        "plain points": plain_scores(results).scores,
        "less the mean of the same hand": differences(results),
        "adjusted, as if one table a block": scores_at_one_table(results),
        "adjusted": adjust_scores(results, EVEN_DRAW).scores,
    }
    source = np.random.default_rng(1)
    drawn = [source.integers(0, len(results), len(results)) for _ in range(DRAWS // 10)]
    plain = kinds["plain points"]
    for kind, blocks in kinds.items():
        ratios = [spread([blocks[i] for i in draw]) / spread([plain[i] for i in draw]) for draw in drawn]
        low, high = np.quantile(ratios, (0.025, 0.975))
        share = spread(blocks) / spread(plain)
        print(f"{kind}: variance {spread(blocks):.4f}, {share:.3f} ({low:.3f} to {high:.3f}) of plain points")
    explained = adjust_scores(results, EVEN_DRAW).explained
    print("explained:", ", ".join(f"{feature.value} {share:.1%}" for feature, share in explained.items()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
