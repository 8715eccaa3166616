"""What a server runs once a day: only when it is due, to its end, and never longer than the server."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.fleet.runner.keep_running import run_daily

APPEND = "import sys; open(sys.argv[1], 'a').write('x')"
WAIT_FOR_SERVER = (
    "import sys, time; from arena.fleet.runner.keep_running import end_with_server; end_with_server();"
    "open(sys.argv[1], 'a').write('x'); time.sleep(600)"
)


async def wait_for(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.02)


async def test_nothing_runs_until_it_is_due(tmp_path: Path):
    file, looks = tmp_path / "runs", iter([False, False, True])

    async with run_daily("test", ("-c", APPEND, str(file)), lambda: next(looks), look_s=0.001):
        await wait_for(lambda: file.exists() and file.read_text() == "x")

    assert next(looks, None) is None


async def test_it_runs_again_after_a_pause_also_if_it_failed(tmp_path: Path):
    file = tmp_path / "runs"
    words = ("-c", f"{APPEND}; sys.exit(1)", str(file))

    async with run_daily("test", words, lambda: True, look_s=0.001, pause_s=0.001):
        await wait_for(lambda: file.exists() and file.read_text() >= "xxx")


@pytest.mark.slow
async def test_it_ends_at_once_with_its_server(tmp_path: Path):
    file, loop = tmp_path / "runs", asyncio.get_running_loop()

    async with run_daily("test", ("-c", WAIT_FOR_SERVER, str(file)), lambda: True, look_s=0.001):
        await wait_for(file.exists)
        left_at = loop.time()

    assert loop.time() - left_at < 9, "it was not killed after 10 s"
