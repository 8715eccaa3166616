"""What a client sends to no call takes little of the server's memory, however much it is."""

import os
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults.http2 import PREFACE, SETTINGS, UNKNOWN, frame
from tests.support.commands import start_command

CONNECTIONS = 8
FLOOD_S = 8.0
MOST_MB = 250
"""How much the server may grow. Before the memory of reads went back, it grew by 370 MB and more."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the server's memory in /proc")
def test_server_keeps_no_memory_of_what_no_call_needs(tmp_path):
    with start_command("serve", "--port", "0", "--data", tmp_path / "data") as server:
        host, _, port = server.wait_for_line("READY", 60).split()[1].rpartition(":")
        before, over = memory_mb(server.pid), threading.Event()
        floods = [
            threading.Thread(target=send_unknown_frames, args=(host, int(port), over)) for _ in range(CONNECTIONS)
        ]
        for flood in floods:
            flood.start()
        most = 0
        deadline = time.monotonic() + FLOOD_S
        while time.monotonic() < deadline:
            most = max(most, memory_mb(server.pid))
            time.sleep(0.05)
        over.set()
        for flood in floods:
            flood.join()

    assert most - before < MOST_MB


def send_unknown_frames(host: str, port: int, over: threading.Event) -> None:
    with socket.create_connection((host, port), timeout=FLOOD_S) as connection, suppress(OSError):
        connection.sendall(PREFACE + frame(SETTINGS, 0, 0))
        data = frame(UNKNOWN, 0, 0, os.urandom(16384)) * 20
        while not over.is_set():
            connection.sendall(data)


def memory_mb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmRSS"))
