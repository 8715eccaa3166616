"""Tables in several processes, whose arrays lie in memory that this process shares with them."""

import multiprocessing
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from arena.envs.env_spec import SEATS, Arguments, resolve_spec
from arena.envs.vector_tables import TABLES, TableArrays, VectorTables, check_count
from arena.errors import EnvironmentFaultError


class ProcessTables:
    """One part for each process, with its own tables and arrays.

    `begin_step` returns at once and `end_step` waits, so that this process can choose actions for one part while
    another is busy. Processes are spawned: a program that makes them is guarded by `if __name__ == "__main__"`.
    """

    def __init__(
        self,
        processes: int,
        tables: int = TABLES,
        preset: str = "",
        options: Mapping[str, object] | None = None,
        seats: int = SEATS,
        encoding: str = "",
    ) -> None:
        """`tables` are those of one process. Raises what `VectorTables` raises."""
        self.spec = spec = resolve_spec(preset, options, seats, encoding)
        self.table_count = check_count("tables", tables)
        self.games = [0] * check_count("processes", processes)
        """By part, the number of games that have ended."""
        self.decisions = [0] * processes
        """By part, the number of answers in these games."""
        context = multiprocessing.get_context("spawn")
        buffers = [context.RawArray("B", sum(TableArrays.sizes(spec, tables))) for _ in range(processes)]
        self.parts = [TableArrays(spec, tables, buffer) for buffer in buffers]
        self._lines: list[Any] = []
        self._processes: list[Any] = []
        for buffer in buffers:
            line, other_end = context.Pipe()
            process = context.Process(
                target=_serve_tables, args=(other_end, tables, spec.arguments, buffer), daemon=True
            )
            process.start()
            other_end.close()
            self._lines.append(line)
            self._processes.append(process)

    def reset(self, seed: int | None = None) -> None:
        """Begin a game at each table. Table i of all deals what an environment with the seed `seed + i` deals."""
        for part in range(len(self.parts)):
            self._tell(part, (seed, part * self.table_count))
        for part in range(len(self.parts)):
            self.end_step(part)
            self.parts[part].is_begun = True

    def begin_step(self, part: int, actions: Any) -> None:
        """Take an action at each table of a part. Raises IllegalActionError, and nothing has changed then."""
        arrays = self.parts[part]
        arrays.actions[:] = arrays.check(range(self.table_count), actions)
        self._tell(part, None)

    def end_step(self, part: int) -> None:
        """Wait until a part has taken its step. Its arrays are those after the step."""
        try:
            self.games[part], self.decisions[part] = self._lines[part].recv()
        except (EOFError, OSError) as error:
            raise EnvironmentFaultError(f"process {part} of the tables has ended") from error

    def close(self) -> None:
        """End the processes."""
        for line in self._lines:
            line.close()
        for process in self._processes:
            process.join()
        self._lines, self._processes = [], []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _tell(self, part: int, command: tuple[int | None, int] | None) -> None:
        if not self._lines:
            raise EnvironmentFaultError("the tables are closed")
        with suppress(OSError):  # `end_step` says that the process has ended
            self._lines[part].send(command)


def _serve_tables(line: Any, tables: int, arguments: Arguments, buffer: Any) -> None:
    """Play in a process of its own until the other end of the line is closed."""
    vector = VectorTables(tables, *arguments, buffer=buffer)
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            command = line.recv()
            if command is None:
                vector.step(vector.actions)
            else:
                vector.reset(*command)
            line.send((vector.games, vector.decisions))
