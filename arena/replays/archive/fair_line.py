"""Lets calls that share one worker take turns, so that nobody waits long because another account calls often."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from arena.errors import CapacityError


class FairLine:
    """Lets one call at a time use the worker. The accounts with waiting calls take turns."""

    def __init__(self, most: int, most_an_account: int) -> None:
        """At most `most` calls are in the line, and at most `most_an_account` of one account."""
        self._most = most
        self._most_an_account = most_an_account
        self._counts: Counter[str] = Counter()
        """The number of calls by account, including the call that has its turn."""
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """The waiting calls by account. The account whose turn comes next is first."""
        self._is_taken = False

    @asynccontextmanager
    async def take_turn(self, account: str) -> AsyncIterator[None]:
        """Wait for a turn and have it until the context ends. Raises CapacityError if too many calls wait."""
        if self._counts[account] >= self._most_an_account or self._counts.total() >= self._most:
            raise CapacityError("too many of these calls wait for an answer: ask again when one has arrived")
        self._counts[account] += 1
        try:
            await self._wait_for_turn(account)
            try:
                yield
            finally:
                self._pass_on()
        finally:
            self._counts[account] -= 1
            self._counts += Counter()  # drops the accounts without a call

    async def _wait_for_turn(self, account: str) -> None:
        if not self._is_taken:
            self._is_taken = True
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(account, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the turn had come already
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give the turn to the next account that still has a waiting call."""
        while self._waiting:
            account = next(iter(self._waiting))
            calls = self._waiting.pop(account)
            turn = calls.popleft()
            if calls:
                self._waiting[account] = calls  # the account is last now
            if not turn.done():
                turn.set_result(None)
                return
        self._is_taken = False
