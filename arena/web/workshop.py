"""Computes what takes a while, in a thread, one thing at a time, and keeps what it has made.

Addresses take turns (see `arena.replays.archive.fair_line`), so that nobody waits long because somebody else asks for
much.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, cast

from arena.replays.archive.fair_line import FairLine
from arena.web.limits import WebLimits


class Sized(Protocol):
    @property
    def size(self) -> int:
        """Bytes that it takes."""


Made = TypeVar("Made", bound=Sized)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """A value that is kept, with what tells whether it is still fresh."""

    value: T
    size: int
    version: object = None
    """The version of what it was made from."""
    at: float = 0.0
    """When it was made, in seconds of the monotonic clock."""


class KeptValues(Generic[Made]):
    """Keeps values up to a number of bytes. The value that was not used for longest goes first."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._values: OrderedDict[Hashable, Made] = OrderedDict()
        self.bytes = 0
        """Bytes of all values."""

    def get(self, key: Hashable) -> Made | None:
        """Return a value and note its use; None if it is not there."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: Hashable, value: Made) -> None:
        """Keep a value, unless it alone is too large."""
        old = self._values.pop(key, None)
        self.bytes -= 0 if old is None else old.size
        if value.size > self._most:
            return
        self._values[key] = value
        self.bytes += value.size
        while self.bytes > self._most:
            _, dropped = self._values.popitem(last=False)
            self.bytes -= dropped.size


class Workshop:
    """Close it at the end."""

    def __init__(self, limits: WebLimits) -> None:
        self.kept: KeptValues[Sized] = KeptValues(limits.kept_bytes)
        self._line = FairLine(limits.works_waiting, limits.works_an_address)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="workshop")

    async def make(
        self,
        key: Hashable,
        address: str,
        work: Callable[[], Made],
        is_fresh: Callable[[Made], bool] = lambda _: True,
    ) -> Made:
        """Return the value that is kept under a key, or make it in the thread if there is none or it is not fresh.

        All values of a key are of one kind. Raises CapacityError if too many others wait, and whatever `work` raises;
        nothing is kept then.
        """
        if (known := self._find(key, is_fresh)) is not None:
            return known
        async with self._line.take_turn(address):
            if (known := self._find(key, is_fresh)) is not None:  # somebody else asked for it too
                return known
            made = await asyncio.get_running_loop().run_in_executor(self._thread, work)
            self.kept.put(key, made)
            return made

    def close(self) -> None:
        """Wait for the work that has begun, and start no other."""
        self._thread.shutdown(cancel_futures=True)

    def _find(self, key: Hashable, is_fresh: Callable[[Made], bool]) -> Made | None:
        known = cast("Made | None", self.kept.get(key))
        return known if known is not None and is_fresh(known) else None
