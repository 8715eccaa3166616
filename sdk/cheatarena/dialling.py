"""Says in plain words why a server cannot be reached, and logs the attempts to reach it.

gRPC describes a failed connection in its own terms, which name neither the cause nor what to do about it.
"""

import asyncio
import logging
import re
import time
from collections.abc import Sequence

logger = logging.getLogger("cheatarena")

FIRST_PAUSE_S = 2.0
"""Seconds from the first line about a lost server to the second. Each pause is twice as long as the one before."""

LOST = "the connection was lost"

FAILURES: Sequence[tuple[str, str]] = (
    ("Connection refused", "nothing listens there"),
    ("Domain name not found", "no host of this name is known"),
    ("errors resolving", "the name of the host cannot be looked up"),
    ("DNS resolution failed", "the name of the host cannot be looked up"),
    ("unreachable", "the network has no way there"),
    ("No route to host", "the network has no way there"),
    ("before receiving SETTINGS frame", "something listens there, but it does not answer"),
    ("timed out", "the host does not answer"),
    ("Timeout occurred", "the host does not answer"),
    ("Connection reset", LOST),
    ("Broken pipe", LOST),
    ("Socket closed", LOST),
    ("recvmsg", LOST),
    ("andshake", "the TLS handshake failed"),
    ("failed to connect to all addresses", "no connection could be made"),
)
"""Parts of gRPC's texts, each with its meaning; the most specific parts come first."""

FOREIGN_TEXTS = ("Failed parsing HTTP/2", "http1.x server", "missing selected ALPN")
"""Parts of gRPC's texts which show that the program that answers does not speak HTTP/2. Every gRPC server does."""
PROXY_STATUSES = frozenset({429, 502, 503, 504})
"""HTTP statuses with which a proxy says that the server behind it does not answer now."""

_PROXY_REFUSAL = re.compile(r"HTTP proxy returned response code (\d+)")
_HTTP_STATUS = re.compile(r"http2 header with status: (\d+)")


def describe_failure(detail: str) -> str:
    """Return in plain words why a connection failed. A text that is not gRPC's own stays as it is.

    >>> describe_failure("failed to connect to all addresses; last error: UNKNOWN: Connection refused")
    'nothing listens there'
    >>> describe_failure("the server stops")
    'the server stops'
    """
    if (status := _find_http_status(detail)) in PROXY_STATUSES:
        return f"a proxy answers there, and says that its server is away (HTTP status {status})"
    if refused := _PROXY_REFUSAL.search(detail):
        return f"HTTP status {refused[1]} instead of a connection"
    return find_foreign_server(detail) or next((words for text, words in FAILURES if text in detail), detail)


def find_foreign_server(detail: str) -> str:
    """Return a clause if a program other than an arena answers, such as a web server; empty if it may be an arena."""
    status = _find_http_status(detail)
    if status is not None and status not in PROXY_STATUSES:
        return f"a web server answers there (HTTP status {status})"
    if any(text in detail for text in FOREIGN_TEXTS):
        return "another program answers there, such as a web server"
    return ""


def _find_http_status(detail: str) -> int | None:
    found = _HTTP_STATUS.search(detail)
    return int(found[1]) if found else None


class DialLog:
    """Logs the search for a lost server: a line soon after the loss, and then lines at pauses that grow."""

    def __init__(self, address: str, patience_s: float) -> None:
        """Begin a search. After `patience_s` seconds, the program gives up."""
        self._address = address
        self._patience_s = patience_s
        self._lost_s = time.monotonic()
        self._next_s = self._lost_s
        self._pause_s = FIRST_PAUSE_S
        self._timer: asyncio.TimerHandle | None = None

    @property
    def has_lost_patience(self) -> bool:
        """Whether the server has been away for too long."""
        return time.monotonic() - self._lost_s > self._patience_s

    def note_failure(self, why: str) -> None:
        """Log one line about a failed attempt, unless the last line is too recent."""
        now = time.monotonic()
        if now < self._next_s:
            return
        left_s = max(0.0, self._patience_s - (now - self._lost_s))
        logger.warning("still trying %s (%s); giving up in %.0f s", self._address, why, left_s)
        self._next_s = now + self._pause_s
        self._pause_s *= 2

    def await_answer(self) -> None:
        """Log lines while an attempt gets no answer. Call `end_attempt` when the attempt is over."""
        self._timer = asyncio.get_running_loop().call_later(self._pause_s, self._note_silence)

    def end_attempt(self) -> None:
        """Stop logging about this attempt."""
        if self._timer is not None:
            self._timer.cancel()

    def begin_again(self) -> None:
        """Begin a new search: the server has answered, and is lost again."""
        self._lost_s = self._next_s = time.monotonic()
        self._pause_s = FIRST_PAUSE_S

    def _note_silence(self) -> None:
        self.note_failure("no answer yet")
        self.await_answer()
