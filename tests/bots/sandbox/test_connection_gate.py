"""A program in a box connects as often as it needs, and not often enough to keep the server busy."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.sandbox.network import connection_gate
from arena.bots.sandbox.network.connection_gate import BURST, MOST_CONNECTIONS, RATE
from arena.server.guards import crowded_boxes
from arena.server.rpc.listeners import make_socket_path
from tests.support.boxes import WAIT_S, BoxedPrograms, open_boxes, skip_without_boxes

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
    """A server that accepts and counts connections. It closes each at once, or, if it keeps them, after its client."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self.keeps = False
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
            if self.keeps:
                threading.Thread(target=self._keep, args=(connection,), daemon=True).start()
            else:
                connection.close()

    def _keep(self, connection: socket.socket) -> None:
        with connection:
            connection.recv(1)  # which ends with the connection

    def wait_for(self, count: int) -> int:
        """Wait until so many connections have been taken, for up to WAIT_S, and return how many there are."""
        deadline = time.monotonic() + WAIT_S
        while self.count < count and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.count

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
    began = time.monotonic()
    process = boxes.start(CONNECTS, environment={"SECONDS": "2"}, address=f"unix:{counter.path}")
    assert process.wait(WAIT_S), process.tail()
    process.end(0)

    assert process.exit_code == 0, process.tail()
    assert BURST <= counter.wait_for(BURST) <= BURST + RATE * (time.monotonic() - began + 1)


def test_children_share_the_rate(boxes: BoxedPrograms, counter: Counter):
    code = "import os\nos.fork(); os.fork()\n" + CONNECTS
    began = time.monotonic()
    process = boxes.start(code, environment={"SECONDS": "1"}, address=f"unix:{counter.path}")
    assert process.wait(WAIT_S), process.tail()
    process.end(0)

    assert counter.count <= BURST + RATE * (time.monotonic() - began + 1)


KEEPS = """
import os, socket, time
def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect("/run/arena.sock")
    return connection
pairs = [socket.socketpair() for _ in range(50)]
kept = [connect() for _ in range(HALF)]
for _ in range(HALF):
    reading, writing = pairs.pop()
    if os.fork() == 0:
        own = connect()
        socket.send_fds(writing, [b"x"], [own.fileno()])
        os._exit(0)
    kept.append(reading)  # which holds a connection that nobody has received
    os.wait()
for _ in range(3):
    try:
        kept.append(connect())
    except ConnectionRefusedError as error:
        print("refused")
kept.pop(0).close()
while True:
    try:
        connect()
    except ConnectionRefusedError:  # the server has not yet closed its end
        time.sleep(0.05)
    else:
        break
print("connected again")
"""


def test_box_keeps_only_so_many_connections(boxes: BoxedPrograms, counter: Counter):
    """It does not matter which process opened or holds one. Socket pairs do not count; a closed one makes room."""
    counter.keeps = True
    code = KEEPS.replace("HALF", str(MOST_CONNECTIONS // 2))
    process = boxes.start(code, address=f"unix:{counter.path}", open_files=256)
    assert process.wait(WAIT_S), process.tail()
    process.end(0)

    assert process.tail() == ["refused", "refused", "refused", "connected again"]
    assert counter.wait_for(MOST_CONNECTIONS + 1) == MOST_CONNECTIONS + 1


MANY_PAIRS = """
import socket
def connect():
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect("/run/arena.sock")
        except ConnectionRefusedError:
            return "refused"
    return "connected"
pairs = [socket.socketpair() for _ in range(100)]
print(connect())
pairs.clear()
print(connect())
"""


def test_box_with_too_many_sockets_to_count_is_refused(boxes: BoxedPrograms, counter: Counter, monkeypatch):
    """The table of its sockets is in the memory of the arena while it is read, so only a part of it ever is."""
    monkeypatch.setattr(connection_gate, "_TABLE_BYTES", 100 * 64)

    process, lines = boxes.run(MANY_PAIRS, address=f"unix:{counter.path}", open_files=256)

    assert lines == ["refused", "connected"], process.describe_state()


def test_call_is_answered_if_the_sockets_of_a_box_cannot_be_read(boxes: BoxedPrograms, counter: Counter, monkeypatch):
    """An arena without descriptors can read no table. The program is told to try again, and does not hang."""
    monkeypatch.setattr(connection_gate, "Path", lambda _: Path("/nowhere"))

    process, lines = boxes.run(MANY_PAIRS, address=f"unix:{counter.path}", open_files=256)

    assert lines == ["refused", "refused"], process.describe_state()


def test_server_never_ends_the_connections_of_a_box_that_was_refused_more():
    """It would end all of them, also those of games."""
    assert MOST_CONNECTIONS <= crowded_boxes.MOST_CONNECTIONS


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
