"""The private line between a runner and a node: either end asks and tells, in letters behind their length.

    ["ask", number, act, [value …]]   ["answer", number, value]   ["error", number, error]   ["tell", 0, act, [value …]]

Asks are answered in whatever order they are done. Nobody else is on the line, and what is said on it is believed.
"""

import asyncio
import struct
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any, Final

from arena.errors import ArenaError, EnvironmentFaultError
from arena.runner.letters import packed, unpacked

_LENGTH: Final = struct.Struct(">I")

Answers = Mapping[str, Callable[..., Awaitable[Any]]]
Hears = Mapping[str, Callable[..., None]]


class LineCutError(EnvironmentFaultError):
    """The other end has gone."""


class Line:
    """One end. `work` reads what comes until the other end has gone."""

    def __init__(
        self, streams: tuple[asyncio.StreamReader, asyncio.StreamWriter], answers: Answers, hears: Hears
    ) -> None:
        """`answers` are the acts that the other end may ask for, `hears` those that it may tell; by name."""
        self._reader, self._writer = streams
        self._answers, self._hears = answers, hears
        self._numbers = count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self._is_cut = False

    async def ask(self, act: str, *values: Any) -> Any:
        """Have the other end do something, and give what it gives. Raises what it raises, and LineCutError."""
        number, answer = next(self._numbers), asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        try:
            self._send(["ask", number, act, values])
            await self._written()
            return await answer
        finally:
            del self._asked[number]

    def tell(self, act: str, *values: Any) -> None:
        """Let the other end know something; nothing happens when it has gone."""
        with suppress(LineCutError):
            self._send(["tell", 0, act, values])

    async def work(self) -> None:
        """Read and see to what comes. Returns when the other end has gone: whoever waits for an answer is told."""
        try:
            while True:
                (length,) = _LENGTH.unpack(await self._reader.readexactly(_LENGTH.size))
                self._take(*unpacked(await self._reader.readexactly(length)))
        except (asyncio.IncompleteReadError, OSError):
            return
        finally:
            self._cut()

    async def settled(self) -> None:
        """Return when everything that the other end has asked for is done, whether it still waits or not."""
        while self._answering:
            await asyncio.wait(self._answering)

    def close(self) -> None:
        """Hang up."""
        self._cut()
        self._writer.close()

    def _take(self, kind: str, number: int, what: Any, values: Any = ()) -> None:
        match kind:
            case "ask":
                task = asyncio.ensure_future(self._answer(number, what, values))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)
            case "tell":
                self._hears[what](*values)
            case "answer" if (asked := self._waiting(number)) is not None:
                asked.set_result(what)
            case "error" if (asked := self._waiting(number)) is not None:
                asked.set_exception(what)

    def _waiting(self, number: int) -> "asyncio.Future[Any] | None":
        asked = self._asked.get(number)
        return None if asked is None or asked.done() else asked

    async def _answer(self, number: int, act: str, values: Any) -> None:
        letter: list[Any]
        try:
            letter = ["answer", number, await self._answers[act](*values)]
        except ArenaError as error:
            letter = ["error", number, error]
        except Exception as error:  # noqa: BLE001  whoever asked is told, and fails by it
            letter = ["error", number, ArenaError(f"{act}: {type(error).__name__}: {error}")]
        with suppress(LineCutError):
            self._send(letter)
            await self._written()

    def _send(self, letter: list[Any]) -> None:
        data = packed(letter)
        if self._is_cut:
            raise LineCutError("the other end of the line has gone")
        self._writer.write(_LENGTH.pack(len(data)) + data)

    async def _written(self) -> None:
        try:
            await self._writer.drain()
        except OSError as error:
            raise LineCutError("the other end of the line has gone") from error

    def _cut(self) -> None:
        self._is_cut = True
        for asked in self._asked.values():
            if not asked.done():
                asked.set_exception(LineCutError("the other end of the line has gone"))
