"""A network that learns Cheat by playing against itself, in numpy alone. It is meant to be read, and to be improved on.

    python -m arena.envs.reinforce PRESET [ACTIONS] [--save FILE]

All seats of all tables play the newest network, and each decision is worth the result of its game: the masked policy
gradient REINFORCE (R. J. Williams, Machine Learning 8, 1992), less what the network expected to win, plus a bonus for
entropy, so that it does not settle on one way to play too early.
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.envs.env_spec import resolve_spec
from arena.envs.learner_tables import LearnerTables, random_opponent
from arena.envs.vector_tables import VectorTables
from arena.plurals import format_count

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]

SEATS: Final = 3
TABLES: Final = 128
BATCH: Final = 512
"""Decisions of games that are over, from which the network learns at a time."""
HIDDEN: Final = 64
RATE: Final = 0.003
ENTROPY_BONUS: Final = 0.02
SCALE: Final = 8.0
"""Observations are small counts. Divided by this, they are about as large as the network's weights."""


class Network:
    """Two layers: from an observation to a chance for each action, and to the reward that is expected."""

    def __init__(self, layers: Sequence[Floats]) -> None:
        self.layers = list(layers)
        self._means = [np.zeros_like(layer) for layer in self.layers]
        self._squares = [np.zeros_like(layer) for layer in self.layers]
        self._updates = 0

    @classmethod
    def draw(cls, inputs: int, actions: int, source: np.random.Generator) -> "Network":
        """Return a network with random weights."""
        shapes = (inputs, HIDDEN), (HIDDEN, actions + 1)
        return cls([source.normal(0, rows**-0.5, (rows, columns)).astype("f") for rows, columns in shapes])

    def judge(self, observations: NDArray[np.int8], masks: Flags) -> tuple[Floats, Floats, Floats, Floats]:
        """Return inputs, hidden values, a chance for each legal action, and expected rewards, by row."""
        inputs: Floats = (observations / SCALE).astype("f")
        hidden: Floats = np.maximum(inputs @ self.layers[0], 0)
        outputs = hidden @ self.layers[1]
        logits = np.where(masks, outputs[:, :-1], -np.inf)
        weights = np.exp(logits - logits.max(1, keepdims=True))
        chances: Floats = weights / weights.sum(1, keepdims=True)
        return inputs, hidden, chances, outputs[:, -1]

    def choose(self, observations: NDArray[np.int8], masks: Flags, source: np.random.Generator) -> Numbers:
        """Draw an action for each row."""
        bounds = self.judge(observations, masks)[2].cumsum(1)
        drawn: Numbers = (bounds <= source.random((len(bounds), 1)) * bounds[:, -1:]).sum(1)
        return drawn

    def save(self, file: Path, game: str) -> None:
        """Write the weights, for `learned_bot` to play the game with."""
        with file.open("wb") as stream:
            np.savez(stream, *self.layers, game=game)

    def learn(self, observations: NDArray[np.int8], masks: Flags, actions: Numbers, rewards: Floats) -> float:
        """Take a step towards actions that won more than was expected. Return the mean entropy, in nats."""
        inputs, hidden, chances, expected = self.judge(observations, masks)
        surprise = rewards - expected
        worth = (surprise / (surprise.std() + 1e-6))[:, None]
        logs = np.log(np.maximum(chances, 1e-9))
        entropy = -(chances * logs).sum(1, keepdims=True)
        chosen = np.arange(chances.shape[1]) == actions[:, None]
        # The slopes of the loss at the outputs: -worth * log(chance) - bonus * entropy, and the squared surprise.
        slopes = worth * (chances - chosen) + ENTROPY_BONUS * chances * (logs + entropy)
        outputs = np.column_stack([slopes, -surprise]) / len(actions)
        hidden_slopes = outputs @ self.layers[1].T * (hidden > 0)
        self._descend([(inputs.T @ hidden_slopes).astype("f"), (hidden.T @ outputs).astype("f")])
        return float(entropy.mean())

    def _descend(self, gradients: Sequence[Floats]) -> None:
        """Adam (D. P. Kingma and J. Ba, 2015)."""
        self._updates += 1
        fresh_mean, fresh_square = 1 - 0.9**self._updates, 1 - 0.999**self._updates
        for index, gradient in enumerate(gradients):
            self._means[index] += 0.1 * (gradient - self._means[index])
            self._squares[index] += 0.001 * (gradient**2 - self._squares[index])
            mean, square = self._means[index] / fresh_mean, self._squares[index] / fresh_square
            self.layers[index] -= RATE * mean / (np.sqrt(square) + 1e-8)


@dataclass(frozen=True, slots=True)
class Progress:
    actions: int
    """Actions so far."""
    games: int
    entropy: float
    """How undecided the network is, in nats."""


class SelfPlay:
    """Tables at which a network plays all seats."""

    def __init__(self, tables: VectorTables, network: Network, source: np.random.Generator) -> None:
        self._tables, self._network, self._source = tables, network, source
        count, seats = tables.rewards.shape
        self._moves: list[list[list[tuple[NDArray[np.int8], Flags, int]]]] = [
            [[] for _ in range(seats)] for _ in range(count)
        ]
        """By table and seat: what it saw, might do and did in this game."""

    def train(self, seed: int) -> Iterator[Progress]:
        """Play and learn for ever."""
        tables, actions, finished = self._tables, 0, list[tuple[NDArray[np.int8], Flags, int, float]]()
        tables.reset(seed)
        while True:
            self._step()
            actions += tables.table_count
            for table in np.flatnonzero(tables.terminated | tables.truncated):
                for moves, reward in zip(self._moves[table], tables.rewards[table], strict=True):
                    finished += [(*move, float(reward)) for move in moves]
                    moves.clear()
            if len(finished) >= BATCH:
                observations, masks, chosen, rewards = map(np.array, zip(*finished, strict=True))
                entropy = self._network.learn(observations, masks, chosen, rewards.astype("f"))
                finished.clear()
                yield Progress(actions, tables.games, entropy)

    def _step(self) -> None:
        tables = self._tables
        observations, masks = tables.observations.copy(), tables.masks.copy()
        actions = self._network.choose(observations, masks, self._source)
        for table, seat in enumerate(tables.seats.tolist()):
            self._moves[table][seat].append((observations[table], masks[table], int(actions[table])))
        tables.step(actions)


def measure(network: Network, preset: str, seats: int, games: int, seed: int) -> float:
    """Return the mean reward of the network, in a seat that is drawn, against players that play at random."""
    learner = LearnerTables(VectorTables(TABLES, preset, seats=seats), [random_opponent], seat=None)
    source, rewards = np.random.default_rng(seed), list[float]()
    learner.reset(seed, source)
    while len(rewards) < games:
        learner.step(network.choose(learner.tables.observations, learner.tables.masks, source))
        rewards += learner.rewards[learner.terminated | learner.truncated].tolist()
    return float(np.mean(rewards))


def train(preset: str, seats: int, actions: int, seed: int = 0) -> Network:
    """Train a network for this many actions, and print its progress."""
    tables, source = VectorTables(TABLES, preset, seats=seats), np.random.default_rng(seed)
    network = Network.draw(tables.observations.shape[1], tables.masks.shape[1], source)
    for number, progress in enumerate(SelfPlay(tables, network, source).train(seed)):
        if number % 10 == 0:
            games = format_count(progress.games, "game", ",")
            print(f"{progress.actions:9,} actions, {games}, entropy {progress.entropy:.2f}", flush=True)
        if progress.actions >= actions:
            break
    return network


def main() -> None:
    reader = ArgumentParser(prog="python -m arena.envs.reinforce")
    reader.add_argument("preset", metavar="PRESET")
    reader.add_argument("actions", metavar="ACTIONS", nargs="?", type=int, default=500_000)
    reader.add_argument("--save", metavar="FILE", type=Path, help="where the network is kept")
    asked = reader.parse_args()
    network = train(asked.preset, SEATS, asked.actions)
    if asked.save is not None:
        network.save(asked.save, resolve_spec(asked.preset).game.name)
    reward = measure(network, asked.preset, SEATS, 1_000, seed=1)
    print(f"mean reward against players that play at random: {reward:+.2f}")


if __name__ == "__main__":
    main()
