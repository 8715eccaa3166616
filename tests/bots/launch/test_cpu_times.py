"""How processes have spent their time, read from the kernel's account."""

import os
import signal
import subprocess
import sys
import time

import pytest

from arena.bots.launch.cpu_times import ProcessCpuTimes, longest_wait_us, read_cpu_times

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems keep no account")


def test_computing_process_has_run_time():
    before = read_cpu_times(os.getpid())
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    after = read_cpu_times(os.getpid())

    assert before is not None
    assert after is not None
    assert 40_000 <= after.total_ran_us - before.total_ran_us < 1_000_000
    assert after.state == "R"


def test_stopped_process_is_recognised():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        process.send_signal(signal.SIGSTOP)
        deadline = time.monotonic() + 5
        while (spent := read_cpu_times(process.pid)) is not None and spent.state != "T" and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()

    assert spent is not None
    assert spent.state == "T"


def test_missing_process_yields_nothing():
    assert read_cpu_times(2**22 + 1) is None, "Linux gives no process such a number"


def test_longest_waiting_live_thread_counts():
    before = ProcessCpuTimes("R", {}, {"1": 500, "2": 100, "3": 9_000})
    after = ProcessCpuTimes("R", {}, {"1": 700, "2": 4_100, "4": 30})

    assert longest_wait_us(before, after) == 4_000
    assert longest_wait_us(before, ProcessCpuTimes("R", {}, {})) == 0


def test_process_competing_with_itself_has_not_waited_for_others():
    before = ProcessCpuTimes("R", {"1": 100, "2": 0, "3": 0}, {"1": 0, "2": 0, "3": 0})

    assert (
        longest_wait_us(before, ProcessCpuTimes("R", {"1": 150, "2": 3_000, "3": 3_000}, {"1": 5_000, "2": 0, "3": 0}))
        == 0
    )
    assert (
        longest_wait_us(before, ProcessCpuTimes("R", {"1": 150, "2": 1_000, "3": 0}, {"1": 5_000, "2": 0, "3": 0}))
        == 4_000
    )
