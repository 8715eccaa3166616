"""How long ratings and standings of 100 000 games take. Part of `make league-statistics`."""

from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

import numpy as np

from arena.competition.league.rating import compute_ratings
from arena.competition.league.standings import compute_standings
from tests.competition.league.leagues import play_league

ENTRANTS, BLOCKS, TABLES, DRAWS, RUNS = 60, 25_000, 4, 200, 5


def measure(work: Callable[[], object]) -> str:
    """Return the medians of several runs."""
    walls, cores = [], []
    for _ in range(RUNS):
        wall, core = perf_counter(), process_time()
        work()
        walls.append(perf_counter() - wall)
        cores.append(process_time() - core)
    return f"{median(walls):.1f} s of wall time, {median(cores):.1f} s of a core (medians of {RUNS})"


def main() -> None:
    source = np.random.default_rng(1)
    results = play_league(source, source.normal(0, 0.7, ENTRANTS).tolist(), BLOCKS, tables=TABLES)
    names = [f"bot{number}" for number in range(ENTRANTS)]
    print(f"{BLOCKS * TABLES} games of {ENTRANTS} entrants, {DRAWS} draws of the bootstrap")
    print("ratings:  ", measure(lambda: compute_ratings(results, seed=b"", draw_count=DRAWS)), flush=True)
    print("standings:", measure(lambda: compute_standings(names, results, seed=b"", draw_count=DRAWS)), flush=True)


if __name__ == "__main__":
    main()
