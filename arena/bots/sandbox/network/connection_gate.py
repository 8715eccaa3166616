"""Bounds how often a program in a box may connect, and how many connections it keeps, to the server or anything else.

The kernel asks before each `connect` of the box (seccomp_unotify(2)), and a thread lets the calls go on, at a rate. The
bytes of a connection take no detour. Without this, a program that connects and closes again and again takes a core of
the server, and one that keeps its connections takes its memory. The server counts the connections of each box too
(`arena.server.guards.crowded_boxes`), but it cannot tell boxes apart that run in another container than its own.

The starter makes the listener, as the last thing before the box, and sends it through a socket.
"""

import errno
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

BURST: Final = 32
"""How many connections a box may open at once after a pause."""
RATE: Final = 10.0
"""How many connections a box may open in a second."""
MOST_CONNECTIONS: Final = 32
"""With this many connections to Unix sockets, a box is refused a further one, also one within itself."""
MOST_BUILD_CONNECTIONS: Final = 256
"""The same for a build. Its tools keep connections to package indexes open, and it never reaches the server."""

_RECEIVE: Final = 0xC0502100  # SECCOMP_IOCTL_NOTIF_… in linux/seccomp.h; both structures are the same on every machine
_SEND: Final = 0xC0182101
_NOTIFICATION_BYTES: Final = 80
_QUESTION: Final = struct.Struct("=QI")  # what it begins with: the call, and the process that makes it
_ANSWER: Final = struct.Struct("=QqiI")
_GO_ON: Final = 1  # SECCOMP_USER_NOTIF_FLAG_CONTINUE
_CONNECTED: Final = (b"02", b"03")  # the server has yet to accept it, or has: SS_CONNECTING and SS_CONNECTED
_STATE, _PATH = 5, 7  # columns of /proc/net/unix
_TABLE_BYTES: Final = 128 * 1024
"""The most that is read of the table of a box's sockets, about 2,000 of them. A box with more is refused."""
_LOOK_INTERVAL_S: Final = 0.5


class ConnectionGate:
    """Lets connections of one box go on at a rate, unless it has too many. Close it after the end of the box."""

    def __init__(self, most: int = MOST_CONNECTIONS, now: Callable[[], float] = time.monotonic) -> None:
        """`most` is how many connections the box keeps. `now` returns seconds."""
        self._near, far = socket.socketpair()
        self._most = most
        self._now = now
        self._closed = threading.Event()
        threading.Thread(target=self._serve, name="connections of a box", daemon=True).start()
        self.starter_end: Final = far.detach()
        """The descriptor for the starter, which the launcher closes once the starter runs."""

    def close(self) -> None:
        """End the thread."""
        self._closed.set()

    def _serve(self) -> None:
        """Wait for the listener, and answer the kernel until the box has ended."""
        with self._near:
            try:
                _, descriptors, _, _ = socket.recv_fds(self._near, 1, 1)
            except OSError:
                return
        if not descriptors:  # the starter ended before it had made the filter
            return
        listener = descriptors[0]
        try:
            self._answer_all(listener)
        finally:
            os.close(listener)

    def _answer_all(self, listener: int) -> None:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        left, counted_at = float(BURST), self._now()
        while not self._closed.is_set():
            for _, event in poll.poll(_LOOK_INTERVAL_S * 1000):
                if not event & select.POLLIN:  # no process of the box is left
                    return
                now = self._now()
                left, counted_at = min(BURST, left + RATE * (now - counted_at)), now
                if left < 1 and self._closed.wait((1 - left) / RATE):
                    return
                left -= 1
                _answer_next(listener, self._most)


def _answer_next(listener: int, most: int) -> None:
    """Let the next waiting call of the box go on, or refuse it because the box has as many connections as it may."""
    import fcntl  # noqa: PLC0415  there is none on Windows, which has no boxes

    notification = bytearray(_NOTIFICATION_BYTES)
    try:
        fcntl.ioctl(listener, _RECEIVE, notification)
        identity, pid = _QUESTION.unpack_from(notification)
        answer = (0, 0, _GO_ON) if _has_room(pid, most) else (0, -errno.ECONNREFUSED, 0)
        fcntl.ioctl(listener, _SEND, _ANSWER.pack(identity, *answer))
    except OSError:  # the program was killed while it waited
        return


def _has_room(pid: int, most: int) -> bool:
    """Return whether the box of a process has fewer than `most` connections to Unix sockets.

    The kernel makes the server's end of a connection in the network namespace of the client, with the path of the
    server. So a connection counts until the server has closed its end, whichever process has opened, inherited or
    received it. Socket pairs have no path. Source: proc(5), /proc/net/unix, and unix_stream_connect() of Linux.
    """
    try:
        with Path(f"/proc/{pid}/net/unix").open("rb") as file:
            table = file.read(_TABLE_BYTES)
    except OSError:  # the process has ended, or the arena has no descriptor left: the program may try again
        return False
    sockets = [line.split() for line in table.splitlines()[1:]]
    count = sum(len(each) > _PATH and each[_STATE] in _CONNECTED for each in sockets)
    return len(table) < _TABLE_BYTES and count < most
