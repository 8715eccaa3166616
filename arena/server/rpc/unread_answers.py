"""Bounds the answers that a caller with a token leaves unread in the server.

An answer stays in the server until its caller reads it, and gRPC for Python cannot end a call with such an answer. A
page of a replay has 256 KB, so a single connection could hold 32 MB, and a bot may have any number of connections.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from arena.errors import CapacityError

SLOW_S: Final = 1.0
"""An answer counts as unread after this many seconds. All that an honest caller asks for at once arrives sooner."""
MOST_ANSWERS: Final = 64
"""The most answers that an account may leave unread."""
MOST_BYTES: Final = 4 << 20
"""The most bytes of all answers that an account may leave unread. One more call is then answered."""
MOST_BYTES_AT_ONCE: Final = 16 << 20
"""The most bytes of all answers of an account, those too that are not slow yet: a server sends much within SLOW_S."""


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
