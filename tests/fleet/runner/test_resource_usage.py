"""The resources processes have used: their work, their children's, and their memory."""

import subprocess
import sys
import time

import pytest

from arena.fleet.runner.job import measure_usage, read_idle_s

BUSY_S = 0.2
BUSY = f"import time\nwhile time.process_time() < {BUSY_S}: pass\nprint(flush=True)\ntime.sleep(60)"


def test_work_of_this_process_and_its_bots_is_counted():
    before = measure_usage(3, [])
    with subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        running = measure_usage(5, [process.pid])
        process.kill()

    assert (running.since(before).decisions, running.bots) == (2, 1)
    assert BUSY_S * 0.9 <= running.work_s - before.work_s < 30
    assert running.node_s - before.node_s < BUSY_S
    assert running.bots_bytes > 1 << 20
    assert running.node_bytes > 1 << 20


@pytest.mark.skipif(sys.platform == "win32", reason="a process keeps no account of its children there")
def test_work_of_ended_bots_is_counted():
    before = measure_usage(0, [])
    subprocess.run([sys.executable, "-c", BUSY.rpartition("\n")[0]], check=True, stdout=subprocess.DEVNULL)

    assert measure_usage(0, []).work_s - before.work_s >= BUSY_S * 0.9


def test_missing_process_has_used_nothing():
    used = measure_usage(0, [2**22 + 1])

    assert (used.bots, used.bots_bytes) == (1, 0)


def test_idle_time_of_a_core_is_less_than_elapsed_time():
    before, began = read_idle_s(), time.monotonic()
    time.sleep(0.05)
    after = read_idle_s()

    assert before is not None
    assert after is not None
    assert 0 <= after - before <= time.monotonic() - began + 0.05
