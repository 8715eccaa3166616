"""A server measures the processes of submitted bots, which a process beside it runs, as those of its house bots."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.bots.launch.launcher import Launcher
from arena.bots.launch.programs import BotProgram
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.boxed_processes import BoxedProcesses, publish_processes
from arena.fleet.runner.kept_bots import KeptBot, KeptBots
from arena.fleet.runner.process_sampler import ProcessSampler

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems keep no account of waiting")

KEY = ("ann", "submitted:1.2")


def publish(data: Path, processes: dict[tuple[str, str], int]) -> Path:
    """Publish these processes once, and return the file."""
    bots: Any = SimpleNamespace(processes={key: SimpleNamespace(pid=pid) for key, pid in processes.items()})

    async def publish_once() -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                await publish_processes(bots, data)

    asyncio.run(publish_once())
    return data / "bots" / "boxed.json"


@pytest.fixture
def clock() -> Callable[[], int]:
    times = iter(range(0, 10**9, 100_000))
    return lambda: next(times)


def test_only_the_session_of_a_submitted_version_is_measured_by_its_process(tmp_path, clock):
    """The owner of a bot may run another program under its name, and an earlier version may retire."""
    publish(tmp_path, {KEY: os.getpid()})
    sampler = ProcessSampler([BoxedProcesses(tmp_path)], clock)

    sampler.process_times(KEY, 0, 0)
    times = sampler.process_times(KEY, 0, 1_000_000)

    assert times is not None
    assert times.state in "RS"
    assert sampler.process_times(("ann", "laptop"), 0, 1_000_000) is None
    assert sampler.process_times(("ann", "submitted:1.1"), 0, 1_000_000) is None
    assert not sampler.has_started("ann"), "it changes no terms of matches"


def test_newest_file_counts(tmp_path):
    boxed = BoxedProcesses(tmp_path)
    assert not boxed.running

    file = publish(tmp_path, {KEY: 1})
    os.utime(file, ns=(1, 1))
    assert [(each.name, each.pid) for each in boxed.running] == [("ann/submitted:1.2", 1)]
    publish(tmp_path, {})
    assert not boxed.running


@pytest.mark.parametrize("text", [json.dumps({"namespace": "another container", "processes": [["ann/x", 1]]}), "{"])
def test_processes_of_another_container_are_unknown(tmp_path, text):
    publish(tmp_path, {}).write_text(text)

    assert not BoxedProcesses(tmp_path).running


async def test_kept_bot_is_published_while_it_runs(tmp_path):
    program = BotProgram("ann", (sys.executable, "-c", "import time; time.sleep(600)"), tmp_path)

    async def make_token() -> str:
        return "token"

    async with KeptBots(Launcher(tmp_path / "out")) as bots, asyncio.timeout(30):
        bot = KeptBot(BotEntrant("ann", program), "127.0.0.1:1", KEY[1], make_token)
        bots.keep(bot)
        while KEY not in bots.processes:
            await asyncio.sleep(0.02)
        assert [bots.processes[KEY].pid] == [each.pid for each in bots.launcher.running]
        await bots.drop(bot, keeps_seats=True)
        assert not bots.processes
