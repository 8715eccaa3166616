"""Nothing that is written to stderr is lost, whatever becomes of the process that writes it."""

import os
import subprocess
import sys
from textwrap import indent

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the filter is a forked process")

BEGINNING = """
import os, signal, subprocess, sys
from arena.cli.stderr_filter import filter_stderr
from arena.telemetry import set_up_logging

HANDSHAKE = (
    b"I1123 09:47:05.231807   10130 handshaker.cc:150] CallNextHandshakerLocked: error=UNKNOWN: Ssl handshake failed: "
    b"SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER: OK shutdown=false index=2, args={endpoint=0x7f, "
    b"args={grpc.internal.endpoint_peer_address=ipv4:192.0.2.7:40902, grpc.resource_quota=0x55}, exit_early=0}\\n"
)
with filter_stderr(speaks_tls=True, set_up_logging=lambda: set_up_logging("info")):
"""


def program(body: str) -> list[str]:
    """Return a command whose stderr is filtered while it runs this body."""
    return [sys.executable, "-c", BEGINNING + indent(body, "    ")]


def run_filtered(body: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        program(body), capture_output=True, text=True, timeout=60, check=False, start_new_session=True
    )


def test_known_lines_become_events_and_others_pass_unchanged():
    ended = run_filtered(
        "os.write(2, b'before\\n' + HANDSHAKE + b'after\\n')\n"
        "sys.stderr.write('from Python\\n')\n"
        "os.write(2, b'without an end')"
    )

    lines = ended.stderr.splitlines()
    assert {"before", "after", "from Python", "without an end"} <= set(lines)
    assert len(lines) == 5
    assert '"reason": "the client speaks plaintext, and this port TLS"' in ended.stderr
    assert "WRONG_VERSION_NUMBER" not in ended.stderr


@pytest.mark.parametrize("death", ["os.kill(os.getpid(), signal.SIGKILL)", "os.abort()"])
def test_last_words_of_a_crash_arrive(death):
    ended = run_filtered(f"os.write(2, b'last words\\n')\n{death}")

    assert ended.returncode < 0
    assert ended.stderr == "last words\n"


def test_traceback_is_written_as_ever():
    ended = run_filtered("1 / 0")

    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == "ZeroDivisionError: division by zero"


def test_flood_is_a_few_lines_and_all_are_counted():
    """The program writes as fast as it is read, so that nothing is dropped."""
    ended = run_filtered("os.set_blocking(2, True)\nfor _ in range(10_000):\n    os.write(2, HANDSHAKE)")

    counts = [int(line.partition('"count": ')[2].split(",")[0]) for line in ended.stderr.splitlines()]
    assert sum(counts) == 10_000
    assert len(counts) <= 4


def test_programs_that_the_process_starts_have_a_stderr():
    ended = run_filtered("subprocess.run([sys.executable, '-c', 'import os; os.write(2, bytes([104, 105, 10]))'])")

    assert ended.stderr == "hi\n"


def test_reader_outlives_stop_signals():
    """A terminal sends them to everybody."""
    ended = run_filtered(
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nos.killpg(0, signal.SIGTERM)\nos.write(2, b'still here\\n')"
    )

    assert ended.stderr == "still here\n"


@pytest.mark.parametrize(
    ("replaced", "by"),
    [
        ("speaks_tls=True", "speaks_tls=False"),
        ("with ", "import threading, time; threading.Thread(target=time.sleep, args=[1]).start()\nwith "),
        ("with ", "import io; sys.stderr = io.StringIO()\nwith "),
    ],
    ids=["without TLS", "beside a thread", "with stderr elsewhere"],
)
def test_stderr_is_left_alone(replaced, by):
    body = "    os.write(2, HANDSHAKE + os.environ.get('GRPC_TRACE', 'no trace').encode())"
    command = [sys.executable, "-c", BEGINNING.replace(replaced, by) + body]

    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert "WRONG_VERSION_NUMBER" in ended.stderr
    assert ended.stderr.endswith("\nno trace")


def test_whoever_traces_grpc_sees_its_lines(monkeypatch):
    monkeypatch.setenv("GRPC_TRACE", "api")

    assert "WRONG_VERSION_NUMBER" in run_filtered("os.write(2, HANDSHAKE)").stderr


def test_stderr_that_nobody_reads_holds_nobody_up():
    """What C code writes is dropped then, and the program goes on."""
    body = "for _ in range(20_000):\n    try:\n        os.write(2, b'x' * 99 + b'\\n')\n    except BlockingIOError:\n"
    reading, writing = os.pipe()
    with subprocess.Popen(
        program(body + "        pass\nprint('done', flush=True)\nos._exit(0)"), stdout=subprocess.PIPE, stderr=writing
    ) as process:
        os.close(writing)
        assert process.stdout is not None
        assert process.stdout.readline() == b"done\n"
        os.close(reading)
