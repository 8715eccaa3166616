"""Nothing that is written to stderr is lost, whatever becomes of the process that writes it."""

import json
import os
import subprocess
import sys
from textwrap import indent

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the filter is a forked process")

BEGINNING = """
import os, select, signal, subprocess, sys
from arena.server.guards.stderr_filter import filter_stderr
from arena.fleet.telemetry import set_up_logging

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


def test_entries_of_the_core_become_events_and_other_lines_pass():
    ended = run_filtered(
        "os.write(2, b'before\\n')\nos.write(2, HANDSHAKE)\nos.write(2, b'after\\n')\n"
        "sys.stderr.write('from Python\\n')\n"
        "os.write(2, b'without an end')"
    )

    lines = ended.stderr.splitlines()
    assert {"before", "after", "from Python", "without an end"} <= set(lines)
    assert len(lines) == 5
    assert '"reason": "the client speaks plaintext, and this port TLS"' in ended.stderr
    assert "WRONG_VERSION_NUMBER" not in ended.stderr


FORGED_EVENT = '{"event": "token revoked", "level": "warning", "name": "admin"}'


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has pipes that keep writes separate")
@pytest.mark.parametrize("place", ["ssl_transport_security.cc:2799] No match found for server name: ", "x.cc:1] "])
def test_client_cannot_forge_lines(place):
    """A client's words in an entry stay in one event, whatever they look like, and reach no terminal as they are."""
    words = f"a\n{FORGED_EVENT}\n\x1b[31mred\n"
    ended = run_filtered(
        f"os.write(2, b'E1123 09:47:05.231807   10130 ' + {(place + words).encode()!r} + HANDSHAKE)\n"
        "os.write(2, HANDSHAKE)"
    )

    first, second = map(json.loads, ended.stderr.splitlines())
    assert (first["level"], first["count"]) == ("warning" if "No match" in place else "error", 1)
    assert second["event"] == "TLS handshake failed"
    assert second["count"] == 1
    assert "\x1b" not in str(first)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has pipes that keep writes separate")
def test_long_entry_is_one_event():
    """The system cuts it, and a forged line may begin just where the next piece does."""
    beginning = b"E1123 09:47:05.231807   10130 x.cc:1] "
    ended = run_filtered(
        f"os.write(2, {beginning!r}.ljust(select.PIPE_BUF, b'x') + HANDSHAKE)\nos.write(2, b'after\\n')"
    )

    event, after = ended.stderr.splitlines()
    assert json.loads(event)["event"] == "gRPC"
    assert after == "after"


def test_terminal_escapes_of_other_programs_are_escaped():
    assert run_filtered("os.write(2, b'\\x1b[31mred\\n\\tin\\n')").stderr == "\\x1b[31mred\n\tin\n"


def test_last_words_of_the_interpreter_keep_their_lines():
    ended = run_filtered("import faulthandler\nfaulthandler.enable(2)\nfaulthandler._sigsegv()")

    lines = ended.stderr.splitlines()
    assert lines[0] == "Fatal Python error: Segmentation fault"
    assert any(line.startswith('  File "<string>"') for line in lines)


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
