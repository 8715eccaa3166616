"""One learning seat at each table, against opponents from a pool. Opponents are functions of batches."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.envs.vector_tables import Actions, Flags, VectorTables, read_actions, sample_actions
from arena.errors import BotFailureError, IllegalActionError, OptionError, RequestError

Opponent: TypeAlias = Callable[[NDArray[np.int8], Flags, np.random.Generator], Any]
"""Takes observations (B, n), masks (B, m) and the environment's generator. Returns a legal action for each, (B,)."""

_MOST_UNASKED: Final = 1000
"""Number of games in a row at one table that may end before the learner is asked."""


def random_opponent(_: NDArray[np.int8], masks: Flags, generator: np.random.Generator) -> Actions:
    """Choose any legal action with the same chance."""
    return sample_actions(masks, generator)


class LearnerTables:
    """Tables that wait for their learners, while opponents play all other seats.

    Before each game, the learner's seat and the opponent of each other seat are drawn. A game that ends before the
    learner is asked is no game of the learner, and the next one begins.
    """

    def __init__(self, tables: VectorTables, pool: Sequence[Opponent], seat: int | None) -> None:
        """`seat` is the learner's seat in every game; None draws it. Raises OptionError."""
        if not pool:
            raise OptionError("pool", [], "expected at least one opponent")
        if seat is not None and (type(seat) is not int or not 0 <= seat < tables.spec.seats):
            raise OptionError("seat", seat, f"expected 0 to {tables.spec.seats - 1}, or None")
        self.tables = tables
        self.pool = list(pool)
        count = tables.table_count
        self.seats: NDArray[np.intp] = np.zeros(count, np.intp)
        """(T,): the learner's seat."""
        self.rewards: NDArray[np.float32] = np.zeros(count, np.float32)
        self.terminated: Flags = np.zeros(count, np.bool_)
        self.truncated: Flags = np.zeros(count, np.bool_)
        self.last_observations: NDArray[np.int8] = np.zeros_like(tables.observations)
        """(T, n): what the learner saw when its last game had ended."""
        self._fixed_seat = seat
        self._opponents: NDArray[np.intp] = np.zeros((count, tables.spec.seats), np.intp)
        """(T, S): the opponent at each seat."""
        self._is_asked: Flags = np.zeros(count, np.bool_)
        """(T,): whether the learner was asked in this game."""
        self._unasked: NDArray[np.intp] = np.zeros(count, np.intp)
        """(T,): games in a row that have ended before the learner was asked."""
        self._generator = np.random.default_rng()

    def reset(self, seed: int | None, generator: np.random.Generator) -> None:
        """Begin games at all tables, and play on until every learner is asked."""
        self._generator = generator
        self.tables.reset(seed)
        self._unasked[:] = 0
        self._clear()
        for index in range(self.tables.table_count):
            self._draw(index)
        self._play_others()

    def begin_next(self, index: int) -> None:
        """Leave the game of a table, and begin its next one."""
        self.tables.begin_next(index)
        self._draw(index)
        self._play_others()

    def step(self, actions: Any) -> None:
        """Take an action of every learner, and play on until all are asked again. Raises IllegalActionError."""
        everyone = np.arange(self.tables.table_count)
        self.tables.step_some(everyone, actions)
        self._clear()
        self._note_ends(everyone)
        self._play_others()

    def _play_others(self) -> None:
        """Play all seats but the learners', until every learner is asked."""
        tables = self.tables
        while True:
            is_waiting = tables.seats == self.seats
            self._is_asked |= is_waiting
            others = np.flatnonzero(~is_waiting)
            if not len(others):
                return
            tables.step_some(others, self._ask_opponents(others))
            self._note_ends(others)

    def _ask_opponents(self, indexes: NDArray[np.intp]) -> Actions:
        tables, actions = self.tables, np.zeros(len(indexes), np.int64)
        asked = self._opponents[indexes, tables.seats[indexes]]
        for number in np.unique(asked).tolist():
            at = np.flatnonzero(asked == number)
            rows = indexes[at]
            observations, masks = tables.observations[rows], tables.masks[rows]
            try:
                answer = self.pool[number](observations, masks, self._generator)
            except Exception as error:
                raise BotFailureError(f"opponent {number} of the pool has raised {error!r}") from error
            try:
                chosen = read_actions(answer, len(at))
            except IllegalActionError as error:
                raise BotFailureError(f"opponent {number} of the pool has given no answer: {error}") from error
            is_legal = (chosen >= 0) & (chosen < masks.shape[1])
            is_legal &= masks[np.arange(len(at)), np.where(is_legal, chosen, 0)]
            if not is_legal.all():
                wrong = chosen[np.flatnonzero(~is_legal)[0]]
                raise BotFailureError(f"opponent {number} of the pool has chosen {wrong}, which its mask forbids")
            actions[at] = chosen
        return actions

    def _note_ends(self, indexes: NDArray[np.intp]) -> None:
        """Note the games that have ended at these tables, and draw who plays the next ones."""
        tables = self.tables
        for index in indexes[tables.terminated[indexes] | tables.truncated[indexes]].tolist():
            if self._is_asked[index]:
                seat = self.seats[index]
                self.rewards[index] = tables.rewards[index, seat]
                self.terminated[index] = tables.terminated[index]
                self.truncated[index] = tables.truncated[index]
                self.last_observations[index] = tables.last_observations[index, seat]
                self._unasked[index] = 0
            else:
                self._unasked[index] += 1
                if self._unasked[index] > _MOST_UNASKED:
                    raise RequestError("the learner is never asked: games end before its first turn")
            self._draw(index)

    def _draw(self, index: int) -> None:
        """Draw the learner's seat and the opponents of the game that begins at a table."""
        seats = self.tables.spec.seats
        drawn = self._generator.integers(seats) if self._fixed_seat is None else self._fixed_seat
        self.seats[index] = drawn
        self._opponents[index] = self._generator.integers(len(self.pool), size=seats)
        self._is_asked[index] = False

    def _clear(self) -> None:
        self.rewards[:] = 0
        self.terminated[:] = self.truncated[:] = False
