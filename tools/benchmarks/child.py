"""Both ends of a child process that answers commands. Commands and answers are lines of JSON on stdin and stdout."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

LINE_BYTES = 1 << 24
WAIT_S = 120.0
"""The longest wait for an answer or a condition in seconds, so that a benchmark never hangs."""


class Child:
    """The parent's end of a child process."""

    def __init__(self, process: asyncio.subprocess.Process, first: dict[str, Any]) -> None:
        self._process = process
        self.first = first
        """The values that the child reported when it was ready."""

    @classmethod
    async def start(cls, module: str, *arguments: str) -> "Child":
        """Start `python -m module`, and wait until it is ready."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", module, *arguments,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, limit=LINE_BYTES,
        )  # fmt: skip
        return cls(process, await _hear(process))

    async def ask(self, command: str, **values: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"command": command, **values}).encode() + b"\n")
        await self._process.stdin.drain()
        async with asyncio.timeout(WAIT_S):
            return await _hear(self._process)

    async def wait_for(self, is_it: Callable[[dict[str, Any]], object], every_s: float = 0.02) -> None:
        """Ask for the counters until `is_it` is true for them. Raises TimeoutError."""
        async with asyncio.timeout(WAIT_S):
            while not is_it(await self.ask("count")):
                await asyncio.sleep(every_s)

    async def end(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()


async def _hear(process: asyncio.subprocess.Process) -> dict[str, Any]:
    assert process.stdout is not None
    line = await process.stdout.readline()
    if not line:
        with suppress(ProcessLookupError):
            process.kill()
        raise ChildProcessError(f"a process of the benchmark has ended with {await process.wait()}")
    heard: dict[str, Any] = json.loads(line)
    return heard


async def obey(first: dict[str, Any], answer: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]) -> None:
    """Run the child's end: report `first`, then answer commands until stdin ends."""
    print(json.dumps(first), flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(await answer(json.loads(line))), flush=True)
