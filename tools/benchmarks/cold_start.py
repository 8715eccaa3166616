"""Measures how much CPU time programs need from their start until they are ready: a server, bots, a whole match.

Each measurement ends when the program does nothing by itself any more: the server waits for a caller, the bot for the
answer to its Hello, and the match for the answer to its first question. So it does not matter exactly when the CPU
times are read.
"""

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import grpc
import grpc.aio
import psutil

from arena.bots.launch.programs import BotProgram, find_bot
from tests.support.commands import ARENA
from tools.benchmarks.child import WAIT_S
from tools.benchmarks.row import Figure

SERVER_GOAL_S: Final = 0.35
BOT_GOAL_S: Final = 0.35
MATCH_GOAL_S: Final = 1.0
SEATS: Final = 4
_HELD_BOT: Final = Path(__file__).with_name("held_bot.py")
_README: Final = Path(__file__).parents[2] / "README.md"


async def cold_start() -> list[Figure]:
    """Start a server, two bots and a match, one after the other."""
    sample = find_bot("sample:counter")
    assert isinstance(sample, BotProgram)
    example = re.search(r"```python\n(.*?)```", _README.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    with tempfile.TemporaryDirectory() as folder:
        script = f"{folder}/mybot.py"
        await asyncio.to_thread(Path(script).write_text, example[1], encoding="utf-8")
        return [
            Figure("start server", "s", await _start_server(f"{folder}/one"), SERVER_GOAL_S),
            Figure("start sample bot", "s", await _start_bot(*sample.command, folder=sample.folder), BOT_GOAL_S),
            Figure("start README bot", "s", await _start_bot(sys.executable, "-u", script), BOT_GOAL_S),
            Figure("start match", "s", await _start_match(f"{folder}/two", sample.folder / "bot.py"), MATCH_GOAL_S),
        ]


async def _start_server(data: str) -> float:
    """Return the CPU time of `arena serve` on a new data folder until it says that it is READY."""
    async with _program(*ARENA, "serve", "--data", data) as server:
        assert server.stdout is not None
        line = await server.stdout.readline()
        assert line.startswith(b"READY "), line
        return _cpu_s(server)


async def _start_bot(*command: str, folder: Path | None = None) -> float:
    """Return the CPU time of a bot until its first frame has arrived, which is its Hello. The frame is not answered."""
    arrived = asyncio.Event()

    async def play(frames: AsyncIterator[bytes], _: Any) -> None:
        await anext(frames)
        arrived.set()
        await asyncio.Event().wait()

    server = grpc.aio.server()
    methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {"Play": grpc.stream_stream_rpc_method_handler(play)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("cheatarena.v1.PlayService", methods),))
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    variables = {"CHEATARENA_ADDRESS": address, "CHEATARENA_TOKEN": "any", "CHEATARENA_LOG": "WARNING"}
    try:
        async with _program(*command, folder=folder, variables=variables) as bot:
            await arrived.wait()
            return _cpu_s(bot)
    finally:
        await server.stop(grace=None)


async def _start_match(data: str, sample: Path) -> float:
    """Return the CPU time of `arena match` with four sample bots, until one of them has the first question.

    That bot waits until the match is killed, so no move is made. All processes of the match count.
    """
    asked = asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await reader.read()  # until the bot is killed
        writer.close()

    listener = await asyncio.start_server(hold, "127.0.0.1")
    paths = os.environ.get("PYTHONPATH")  # a bot does not inherit it
    python = f"env PYTHONPATH={paths} {sys.executable}" if paths else sys.executable
    bot = f"{python} -u {_HELD_BOT} {sample} {listener.sockets[0].getsockname()[1]}"
    async with listener, _program(*ARENA, "match", "--data", data, *["--bot", bot] * SEATS) as match:
        await asked.wait()
        return _cpu_s(match)


@asynccontextmanager
async def _program(
    *command: str, folder: Path | None = None, variables: Mapping[str, str] | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a program, and kill it with all its processes on exit. It also gets these environment variables.

    Raises TimeoutError if the block takes long, as it does if the program ends too early.
    """
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME", "LANG") if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={**environment, **(variables or {})},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(WAIT_S):
            yield process
    finally:
        running = _processes(process)
        for each in running:
            with suppress(psutil.NoSuchProcess):
                each.kill()
        await process.communicate()
        await asyncio.to_thread(psutil.wait_procs, running, WAIT_S)


def _cpu_s(process: asyncio.subprocess.Process) -> float:
    """Return the CPU seconds, user and system, of a running program and its processes, including those that ended."""
    return sum(_own_cpu_s(each) + _ended_cpu_s(each) for each in _processes(process))


def _own_cpu_s(process: psutil.Process) -> float:
    """Return the CPU seconds of one process. Linux has a clock for each process; other systems count in hundredths."""
    if sys.platform != "linux":
        spent = process.cpu_times()
        return float(spent.user + spent.system)
    return time.clock_gettime((~process.pid << 3) | 2)  # the number of the clock, as clock_getcpuclockid(3) gives it


def _ended_cpu_s(process: psutil.Process) -> float:
    """Return the CPU seconds of the processes that a process has started and that have ended."""
    spent = process.cpu_times()
    return float(spent.children_user + spent.children_system)


def _processes(process: asyncio.subprocess.Process) -> list[psutil.Process]:
    """Return the process and everything that it has started and that still runs; empty if it has ended."""
    try:
        first = psutil.Process(process.pid)
        return [first, *first.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
