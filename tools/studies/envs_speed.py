"""Measures learning environments: decisions, actions, games and turns a second, with random legal play.

    python -m tools.studies.envs_speed [--tables N] [--seconds S] [--processes P] [PRESET...]

Every decision is counted with its observation, its mask, the choice from the mask and the deals. One core: CPU time.
Processes: the time on the clock, while this process chooses all actions.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from arena.compiled_build import describe_build
from arena.envs import ProcessTables, VectorTables
from arena.envs.card_stream import CardStream
from arena.envs.env_spec import EnvSpec, resolve_spec
from arena.envs.table import NOBODY
from arena.envs.vector_tables import sample_actions
from arena.games.catalogue import PACKS, pack_of

GOALS = {("standard", True): 100_000, ("standard", False): 60_000, ("rank_lock", True): 78_700}
"""Decisions a second of one core, by preset and whether the build is compiled."""
COUNTED_GAMES = 5
ROUNDS = 5
"""The fastest round counts: whatever disturbs a round makes it slower."""


class Shape(NamedTuple):
    """How long the games of a ruleset are with random legal play."""

    actions: float
    """Actions for each decision."""
    decisions: float
    """Decisions in a game."""
    turns: float
    """Turns in a game."""


class Speed(NamedTuple):
    preset: str
    encoding: str
    shape: Shape
    actions: float
    """Actions a second."""

    @property
    def decisions(self) -> float:
        """Decisions a second."""
        return self.actions / self.shape.actions

    def row(self) -> list[str]:
        games = self.decisions / self.shape.decisions
        figures = (self.decisions, self.actions, games, games * self.shape.turns)
        return [
            self.preset,
            self.encoding,
            *(f"{figure:,.0f}" if figure >= 100 else f"{figure:.1f}" for figure in figures),
        ]


def measure_shape(spec: EnvSpec) -> Shape:
    """Play some games, and count."""
    random, stream, table = Random(1), CardStream(1), spec.new_table()
    drawing = pack_of(spec.game.name).load_drawing()
    actions = decisions = turns = 0
    for _ in range(COUNTED_GAMES):
        table.begin_game(stream.chance, stream.next_number())
        while table.seat != NOBODY:
            table.choose(random.choice(np.flatnonzero(np.frombuffer(table.mask(), np.uint8)).tolist()))
            actions += 1
        decisions += table.decisions
        turns += drawing.count_turns(spec.game.snapshot(table.state, None))
    return Shape(actions / decisions, decisions / COUNTED_GAMES, turns / COUNTED_GAMES)


def measure_core(preset: str, encoding: str, tables: int, seconds: float) -> float:
    """Return the actions a second of one core, by its CPU time."""
    vector, generator = VectorTables(tables, preset, encoding=encoding), np.random.default_rng(1)
    vector.reset(seed=1)

    def step() -> None:
        vector.step(sample_actions(vector.masks, generator))

    return tables / least_s(step, seconds, time.thread_time)


def measure_processes(count: int, preset: str, encoding: str, tables: int, seconds: float) -> float:
    """Return the actions a second of several processes, by the clock."""
    with ProcessTables(count, tables, preset, encoding=encoding) as shared:
        generator = np.random.default_rng(1)
        shared.reset(seed=1)
        for part in range(count):
            shared.begin_step(part, sample_actions(shared.parts[part].masks, generator))

        def step() -> None:
            for part in range(count):
                shared.end_step(part)
                shared.begin_step(part, sample_actions(shared.parts[part].masks, generator))

        return count * tables / least_s(step, seconds, time.perf_counter)


def least_s(step: Callable[[], None], seconds: float, clock: Callable[[], float]) -> float:
    """Return the seconds of a step in the fastest of several rounds."""
    found = []
    for _ in range(ROUNDS):
        started, steps, until = clock(), 0, time.perf_counter() + seconds / ROUNDS
        while not steps or time.perf_counter() < until:
            step()
            steps += 1
        found.append((clock() - started) / steps)
    return min(found)


def measure(presets: Sequence[str], tables: int, seconds: float) -> Iterator[Speed]:
    for preset in presets:
        for encoding in sorted(resolve_spec(preset).arrays.encodings):
            shape = measure_shape(resolve_spec(preset, encoding=encoding))
            yield Speed(preset, encoding, shape, measure_core(preset, encoding, tables, seconds))


def print_row(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.studies.envs_speed", description=__doc__)
    parser.add_argument(
        "presets", nargs="*", metavar="PRESET", default=[p for g in PACKS.values() for p in g.game.presets]
    )
    parser.add_argument("--tables", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=5.0, help="of a row")
    parser.add_argument("--processes", type=int, default=2, help="compared with one; 1 leaves this out")
    wanted = parser.parse_args()
    is_compiled = "compiled" in describe_build()
    print(f"{describe_build()}; {wanted.tables} tables of four seats, one core")
    print_row(["preset", "encoding", "decisions/s", "actions/s", "games/s", "turns/s", "goal"])
    print_row(["---"] * 7)
    for speed in measure(wanted.presets, wanted.tables, wanted.seconds):
        goal = GOALS.get((speed.preset, is_compiled))
        print_row([*speed.row(), f"{goal:,}" if goal and speed.encoding == "macro" else ""])
    if wanted.processes > 1:
        preset, encoding = wanted.presets[0], min(resolve_spec(wanted.presets[0]).arrays.encodings)
        one, many = (
            measure_processes(count, preset, encoding, wanted.tables, wanted.seconds) for count in (1, wanted.processes)
        )
        print(f"{preset}, {encoding}: {wanted.processes} processes play {many / one:.2f} times as fast as one")


if __name__ == "__main__":
    main()
