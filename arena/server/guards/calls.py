"""Bounds what calls hold of the server's memory: requests that never arrive, and answers that nobody reads.

gRPC reads the request of a call before it calls the handler, however long it takes, so callers without a token could
hold 1 MB each. So each method reads its request by itself (`arena.server.rpc.server`), for as long as
`ArrivingRequests` allows.

An answer stays in the server until its caller reads it, and gRPC for Python cannot end such a call. A page of a replay
has 256 KB, so a single connection could hold 32 MB.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from arena.errors import CapacityError

REQUEST_S: Final = 5.0
"""How many seconds a request may take to arrive."""
MOST_ARRIVING: Final = 64
"""How many requests may arrive at once. A further one ends the call that has waited longest.

A request usually arrives together with its call, so an honest caller does not wait."""
SLOW_S: Final = 1.0
"""An answer counts as unread after this many seconds. All that an honest caller asks for at once arrives sooner."""
MOST_ANSWERS: Final = 64
"""The most answers that an account may leave unread."""
MOST_BYTES: Final = 4 << 20
"""The most bytes of all answers that an account may leave unread. One more call is then answered."""
MOST_BYTES_AT_ONCE: Final = 16 << 20
"""The most bytes of all answers of an account, those too that are not slow yet: a server sends much within SLOW_S."""


class ArrivingRequests:
    """The requests of a server's calls that have not arrived yet."""

    def __init__(self, most: int = MOST_ARRIVING, time_s: float = REQUEST_S) -> None:
        self._most = most
        self._time_s = time_s
        self._arriving: dict[asyncio.Future[None], None] = {}
        """For each call whose request has not arrived, what ends its wait; the longest wait first."""

    async def wait(self, reading: asyncio.Future[bytes]) -> None:
        """Wait for a request. A pending read is not cancelled: it would leak.

        Raises TimeoutError if it does not arrive in time, CapacityError if too many others arrive.
        """
        if len(self._arriving) >= self._most:
            self._arriving.pop(longest := next(iter(self._arriving)))
            longest.set_result(None)
        crowded_out: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arriving[crowded_out] = None
        try:
            either: set[asyncio.Future[Any]] = {reading, crowded_out}
            await asyncio.wait(either, timeout=self._time_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._arriving.pop(crowded_out, None)
        if not reading.done():
            if crowded_out.done():
                raise CapacityError(f"{self._most} requests are still arriving, the most at once: try again")
            raise TimeoutError(f"no request within {self._time_s:g} s")


class UnreadAnswers:
    """The answers that are on their way to their callers, by account (see `account_of`)."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` returns seconds."""
        self._clock = clock
        self._answers: dict[str, dict[object, tuple[float, int]]] = {}
        """For each answer of an account, the oldest first: since when it has been on its way, and its bytes."""

    def check(self, account: str) -> None:
        """Raise CapacityError if an account leaves too much unread for a further call."""
        slow_since = self._clock() - SLOW_S
        sizes = [size for since, size in self._answers.get(account, {}).values() if since <= slow_since]
        if len(sizes) >= MOST_ANSWERS or sum(sizes) >= MOST_BYTES:
            raise _too_many_error()

    @contextmanager
    def count(self, account: str, size: int) -> Iterator[None]:
        """Count an answer of this many bytes while the block sends it.

        Raises CapacityError if all answers of the account would have too many bytes together.
        """
        key, answers = object(), self._answers.setdefault(account, {})
        if answers and sum(each for _, each in answers.values()) + size > MOST_BYTES_AT_ONCE:
            raise _too_many_error()
        answers[key] = self._clock(), size
        try:
            yield
        finally:
            del answers[key]
            if not answers:
                self._answers.pop(account, None)


def _too_many_error() -> CapacityError:
    return CapacityError("too many answers to earlier calls are unread: read them, or end these calls")
