"""How long this process waited for a core, read from the kernel's account."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.launch.cpu_times import RunQueueWaits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems keep no account")


@pytest.fixture
def waits() -> Iterator[RunQueueWaits]:
    opened = RunQueueWaits.open()
    assert opened is not None
    yield opened
    opened.close()


def count_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def compute(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def test_process_that_shares_its_core_waits(waits: RunQueueWaits):
    """Two processes that compute on one core get it in turns."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as neighbour:
            time.sleep(0.1)
            before = waits.read_us()
            compute(0.3)
            waited_us = waits.read_us() - before
            neighbour.kill()
    finally:
        os.sched_setaffinity(0, cores)

    assert waited_us > 50_000


def test_waits_never_decrease_though_threads_come_and_go(waits: RunQueueWaits):
    readings = [waits.read_us()]
    for _ in range(5):
        thread = threading.Thread(target=compute, args=(0.005,))
        thread.start()
        readings.append(waits.read_us())
        thread.join()
        readings.append(waits.read_us())

    assert readings == sorted(readings)


def test_files_of_ended_threads_are_closed(waits: RunQueueWaits):
    done = threading.Event()
    threads = [threading.Thread(target=done.wait) for _ in range(10)]
    for thread in threads:
        thread.start()
    waits.read_us()
    opened = count_files()

    done.set()
    for thread in threads:
        thread.join()
    deadline = time.monotonic() + 5
    while count_files() > opened - 10 and time.monotonic() < deadline:
        waits.read_us()

    assert count_files() <= opened - 10
