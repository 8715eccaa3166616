"""Many tables at once, all of whose seats learn: self-play, with arrays that are there before the first step."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.envs.card_stream import CardStream
from arena.envs.env_spec import SEATS, EnvSpec, resolve_spec
from arena.envs.table_batch import TableBatch
from arena.errors import IllegalActionError, OptionError, quote

TABLES: Final = 256

Actions = NDArray[np.int64]
Flags = NDArray[np.bool_]


class TableArrays:
    """The arrays of many tables, T of them with S seats each. Every step writes into the same arrays."""

    def __init__(self, spec: EnvSpec, tables: int, buffer: Any = None) -> None:
        """`buffer` has the memory of the arrays, `size` bytes of zeros; without one, it is private."""
        sizes = self.sizes(spec, tables)
        self._memory = np.zeros(sum(sizes), np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)
        parts = np.split(self._memory[: sum(sizes)], np.cumsum(sizes)[:-1])
        seats, length = spec.seats, spec.arrays.observation.size
        self.actions: Actions = parts[0].view(np.int64)
        """(T,): the actions of the step, where processes take them from."""
        self.rewards: NDArray[np.float32] = parts[1].view(np.float32).reshape(tables, seats)
        """(T, S): the rewards of the games that this step has ended; 0 elsewhere."""
        self.observations: NDArray[np.int8] = parts[2].view(np.int8).reshape(tables, length)
        """(T, n): the observation of the seat that is asked, at each table."""
        self.masks: Flags = parts[3].view(np.bool_).reshape(tables, spec.actions.size)
        """(T, m): which actions this seat may choose."""
        self.seats: NDArray[np.int8] = parts[4].view(np.int8)
        """(T,): the seat that is asked."""
        self.terminated: Flags = parts[5].view(np.bool_)
        """(T,): whether this step has ended the game. The next one has begun already."""
        self.truncated: Flags = parts[6].view(np.bool_)
        """(T,): whether `max_turns` has ended it."""
        self.last_observations: NDArray[np.int8] = parts[7].view(np.int8).reshape(tables, seats, length)
        """(T, S, n): what each seat saw when its last game had ended."""
        self.is_begun = False
        """Whether games have begun."""

    def check(self, indexes: Sequence[int] | NDArray[np.intp], actions: Any) -> Actions:
        """Return actions for these tables, given as indexes. Raises IllegalActionError."""
        if not self.is_begun:
            raise IllegalActionError("no game has begun: reset the tables before the first step")
        chosen = read_actions(actions, len(indexes))
        outside = (chosen < 0) | (chosen >= self.masks.shape[1])
        illegal = outside | ~self.masks[indexes, np.where(outside, 0, chosen)]
        if illegal.any():
            at = int(np.flatnonzero(illegal)[0])
            table = int(indexes[at])
            raise IllegalActionError(
                f"action {chosen[at]} is illegal at table {table} for seat {self.seats[table]} now: its mask is 0"
            )
        return chosen

    @staticmethod
    def sizes(spec: EnvSpec, tables: int) -> list[int]:
        """Return the number of bytes of each array, the widest numbers first."""
        length = spec.arrays.observation.size
        widths = (8, 4 * spec.seats, length, spec.actions.size, 1, 1, 1, spec.seats * length)
        return [tables * width for width in widths]


class VectorTables(TableArrays):
    """Tables in this process. `step` takes one action at each table, and the next game begins in the same step."""

    def __init__(
        self,
        tables: int = TABLES,
        preset: str = "",
        options: Mapping[str, object] | None = None,
        seats: int = SEATS,
        encoding: str = "",
        buffer: Any = None,
    ) -> None:
        """Raises what `resolve_spec` raises, and OptionError for a number of tables below 1."""
        self.spec = resolve_spec(preset, options, seats, encoding)
        self.table_count = check_count("tables", tables)
        super().__init__(self.spec, tables, buffer)
        self._batch = TableBatch(
            [self.spec.new_table() for _ in range(tables)],
            *map(_flat_view, (self.observations, self.masks, self.seats, self.last_observations)),
        )

    @property
    def games(self) -> int:
        """Number of games that have ended since the tables were made."""
        return self._batch.games

    @property
    def decisions(self) -> int:
        """Number of answers in these games. In `steps`, an answer takes several actions."""
        return self._batch.decisions

    def reset(self, seed: int | None = None, first: int = 0) -> None:
        """Begin a game at each table. Table i deals what an environment with the seed `seed + first + i` deals."""
        streams = [CardStream(None if seed is None else seed + first + index) for index in range(self.table_count)]
        self._batch.begin(streams)
        self._clear()
        self.is_begun = True

    def step(self, actions: Any) -> None:
        """Take an action at each table. Raises IllegalActionError, and nothing has changed then."""
        self.step_some(np.arange(self.table_count), actions)

    def step_some(self, indexes: NDArray[np.intp], actions: Any) -> None:
        """Take an action at each of these tables; the others wait. Flags and rewards are about this step alone."""
        chosen = self.check(indexes, actions)
        self._clear()
        for index, rewards, is_truncated in self._batch.choose(indexes.tolist(), chosen.tolist()):
            self.rewards[index] = rewards
            self.terminated[index] = not is_truncated
            self.truncated[index] = is_truncated

    def begin_next(self, index: int) -> None:
        """Leave the game of a table, and begin its next one."""
        self._batch.begin_next(index)

    def _clear(self) -> None:
        self.rewards[:] = 0
        self.terminated[:] = self.truncated[:] = False


def _flat_view(array: Any) -> memoryview:
    """Return the memory of an array as bytes that can be written."""
    return memoryview(array).cast("B")


def check_count(name: str, count: int) -> int:
    """Return a number of tables or processes. Raises OptionError."""
    if type(count) is not int or count < 1:
        raise OptionError(name, count, "expected a whole number from 1")
    return count


def read_actions(actions: Any, count: int) -> Actions:
    """Return actions as an array. Raises IllegalActionError for a wrong shape or type."""
    try:
        array = np.asarray(actions)
    except ValueError:  # rows of different lengths
        array = np.zeros((), object)
    if array.shape != (count,) or not np.issubdtype(array.dtype, np.integer):
        given = f"{array.dtype} of shape {array.shape}" if array.dtype != object else quote(actions)
        raise IllegalActionError(f"actions must be whole numbers of shape ({count},), got {given}")
    return array.astype(np.int64, copy=False)


def sample_actions(masks: Flags, generator: np.random.Generator) -> Actions:
    """Return a random legal action for each row of masks, each with the same chance."""
    rows, size = masks.shape
    legal = np.flatnonzero(masks)
    counts = np.count_nonzero(masks, axis=1)
    chosen = np.cumsum(counts) - counts + (generator.random(rows) * counts).astype(np.int64)
    actions: Actions = legal[chosen] % size
    return actions
