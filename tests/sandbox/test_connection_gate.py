"""A program in a box connects as often as it needs, and not often enough to keep the server busy."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.node.limits import Limits
from arena.rpc.crowded_boxes import MOST_CONNECTIONS
from arena.rpc.listeners import make_socket_path
from arena.sandbox.network.connection_gate import BURST, RATE
from tests.support.boxes import WAIT_S, BoxedPrograms, open_boxes, skip_without_boxes
from tests.support.server import open_server

CONNECTS = """
import os, socket, time
began, count = time.monotonic(), 0
while time.monotonic() - began < float(os.environ["SECONDS"]):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("/run/arena.sock")
    count += 1
os.write(1, b"%d\\n" % count)
"""


class Counter:
    """A server that accepts connections, closes and counts them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen(128)
        path.chmod(0o666)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.count += 1
            connection.close()

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def counter() -> Iterator[Counter]:
    with make_socket_path() as path:
        opened = Counter(path)
        yield opened
        opened.close()


@pytest.fixture
def boxes(tmp_path) -> Iterator[BoxedPrograms]:
    skip_without_boxes()
    with open_boxes(tmp_path) as opened:
        yield opened


def test_connections_go_on_at_a_rate(boxes: BoxedPrograms, counter: Counter):
    seconds = 2.0
    process = boxes.start(CONNECTS, environment={"SECONDS": str(seconds)}, address=f"unix:{counter.path}")
    assert process.wait(WAIT_S), process.tail()
    process.end(0)

    assert process.exit_code == 0, process.tail()
    assert BURST <= counter.count <= BURST + RATE * (seconds + 1)


def test_children_share_the_rate(boxes: BoxedPrograms, counter: Counter):
    code = "import os\nos.fork(); os.fork()\n" + CONNECTS
    began = time.monotonic()
    process = boxes.start(code, environment={"SECONDS": "1"}, address=f"unix:{counter.path}")
    assert process.wait(WAIT_S), process.tail()
    process.end(0)

    assert counter.count <= BURST + RATE * (time.monotonic() - began + 1)


def test_program_that_waits_for_a_connection_can_be_ended(boxes: BoxedPrograms, counter: Counter):
    process = boxes.start(CONNECTS, environment={"SECONDS": "600"}, address=f"unix:{counter.path}")
    deadline = time.monotonic() + WAIT_S
    while counter.count < BURST:
        assert time.monotonic() < deadline, process.tail()
        time.sleep(0.01)

    process.end(0)

    assert process.is_over


def test_threads_of_ended_boxes_end(boxes: BoxedPrograms):
    for _ in range(3):
        boxes.run("print('hello')")

    deadline = time.monotonic() + WAIT_S
    while any(thread.name == "connections of a box" for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "a thread is left"
        time.sleep(0.05)


CROWD = f"""
import os, socket
path = "/run/arena.sock"
crowd = [socket.socket(socket.AF_UNIX) for _ in range({MOST_CONNECTIONS + 3})]
for each in crowd:
    CONNECT
    each.send(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
for each in crowd:
    while each.recv(4096):
        pass
"""


CONNECT_BY_CHILD = """
    child = os.fork()
    if child == 0:
        each.connect(path)
        os._exit(0)
    os.waitid(os.P_PID, child, OPTIONS)
"""


@pytest.mark.parametrize(
    "connect",
    [
        "each.connect(path)",
        CONNECT_BY_CHILD.replace("OPTIONS", "os.WEXITED"),
        CONNECT_BY_CHILD.replace("OPTIONS", "os.WEXITED | os.WNOWAIT"),
    ],
    ids=["by itself", "by children that are gone", "by children that have ended"],
)
async def test_box_with_too_many_connections_loses_them(boxes: BoxedPrograms, tmp_path, connect):
    """Each could hold megabytes of the server, with answers that nobody reads, whoever has opened it."""
    code = CROWD.replace("CONNECT", connect)
    with make_socket_path() as path:
        async with open_server(tmp_path / "data", limits=Limits(silent_s=600), listen=(f"unix:{path}",)):
            process = await asyncio.to_thread(boxes.start, code, address=f"unix:{path}")

            assert await asyncio.to_thread(process.wait, WAIT_S), process.tail()

            process.end(0)
            assert process.exit_code == 0, process.tail()
