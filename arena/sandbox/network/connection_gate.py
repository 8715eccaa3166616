"""Bounds how often a program in a box may connect, whether to the server or to anything else.

The kernel asks before each `connect` of the box (seccomp_unotify(2)), and a thread lets the calls go on, at a rate. The
bytes of a connection take no detour. Without this, a program that connects and closes again and again takes a core of
the server. The starter makes the listener, as the last thing before the box, and sends it through a socket.
"""

import os
import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Final

BURST: Final = 32
"""How many connections a box may open at once after a pause."""
RATE: Final = 10.0
"""How many connections a box may open in a second."""

_RECEIVE: Final = 0xC0502100  # SECCOMP_IOCTL_NOTIF_… in linux/seccomp.h; both structures are the same on every machine
_SEND: Final = 0xC0182101
_NOTIFICATION_BYTES: Final = 80
_ANSWER: Final = struct.Struct("=QqiI")
_GO_ON: Final = 1  # SECCOMP_USER_NOTIF_FLAG_CONTINUE
_LOOK_INTERVAL_S: Final = 0.5


class ConnectionGate:
    """Lets the connections of one box go on at a rate. Close it after the end of the box."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """`now` returns seconds."""
        self._near, far = socket.socketpair()
        self.starter_end: Final = far.detach()
        """The descriptor for the starter, which the launcher closes once the starter runs."""
        self._now = now
        self._closed = threading.Event()
        threading.Thread(target=self._serve, name="connections of a box", daemon=True).start()

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
                _let_go_on(listener)


def _let_go_on(listener: int) -> None:
    """Let the next waiting call of the box go on."""
    import fcntl  # noqa: PLC0415  there is none on Windows, which has no boxes

    notification = bytearray(_NOTIFICATION_BYTES)
    try:
        fcntl.ioctl(listener, _RECEIVE, notification)
        (identity,) = struct.unpack_from("=Q", notification)
        fcntl.ioctl(listener, _SEND, _ANSWER.pack(identity, 0, 0, _GO_ON))
    except OSError:  # the program was killed while it waited
        return
