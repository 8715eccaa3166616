"""Virtual time: one queue of everything that happens outside the server, and an event loop that runs on it.

    World ── what is due ──▶ VirtualPoll ──▶ StampingSelector, as it is ──▶ VirtualLoop ──▶ the server, as it is

Time passes only while the loop polls, and where a stall is injected. So a seed gives the same run on any machine.
"""

import asyncio
import heapq
import math
import selectors
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from arena.server.node.event_loop import NodeClock, StampingSelector

PASS_US = 3
"""Microseconds that a poll takes."""
HEAD_START_US = 30 * 24 * 3_600_000_000
"""A server's clock begins after thirty days, so that the instants of earlier matches fit before it."""


class ServerKilled(KeyboardInterrupt):
    """Ends the server at once, wherever it is. No part of it may catch this, as no part catches SIGKILL."""


class SimulationStuckError(Exception):
    """Nothing is due any more, and the run has not ended."""


class World:
    """The clock, the randomness and the queue of one run, and the trace of what happened."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = Random(seed)
        self.now_us = 1_000_000
        self.wall_offset_s = 1_700_000_000.0
        """What the wall clock shows beyond `now_us`; it steps, which no deadline may notice."""
        self.trace: list[str] = []
        self.violations: list[str] = []
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._taken: deque[Callable[[], None]] = deque()
        """What the loop has polled and not run yet."""
        self._count = 0

    def wall_clock(self) -> float:
        """Return seconds since 1970."""
        return self.wall_offset_s + self.now_us / 1e6

    def schedule(self, delay_us: int, act: Callable[[], None]) -> None:
        """Let something happen later; at the same instant, in the order of scheduling."""
        self.schedule_at(self.now_us + max(0, delay_us), act)

    def schedule_at(self, at_us: int, act: Callable[[], None]) -> None:
        """Let something happen at an instant."""
        self._count += 1
        heapq.heappush(self._queue, (at_us, self._count, act))

    @property
    def next_at(self) -> int | None:
        """When the next thing happens; None if nothing does."""
        return self._queue[0][0] if self._queue else None

    def take_due(self) -> list[Callable[[], None]]:
        """Remove and return what is due by now."""
        due = []
        while self._queue and self._queue[0][0] <= self.now_us:
            due.append(heapq.heappop(self._queue)[2])
        return due

    def take_for_loop(self) -> int:
        """Take what is due for the loop, which calls `run_taken` for each; return its number."""
        due = self.take_due()
        self._taken += due
        return len(due)

    def run_taken(self) -> None:
        """Run the oldest of what the loop has taken."""
        self._taken.popleft()()

    def put_back_taken(self) -> None:
        """Put back what a killed loop has not run: it happens outside the server all the same."""
        while self._taken:
            self.schedule(0, self._taken.popleft())

    def run_until(self, until_us: int) -> None:
        """Let time pass while no server runs."""
        while (at := self.next_at) is not None and at <= until_us:
            self.now_us = max(self.now_us, at)
            for act in self.take_due():
                act()
        self.now_us = max(self.now_us, until_us)

    def note(self, what: str) -> None:
        """Add a line to the trace."""
        self.trace.append(f"{self.now_us} {what}")

    def violate(self, promise: str) -> None:
        """Record that a promise was broken."""
        self.violations.append(f"{self.now_us} {promise}")
        self.note(f"VIOLATION {promise}")


class VirtualPoll(selectors.DefaultSelector):
    """Polls the world instead of the system: a poll that waits lets the time pass until something is due."""

    world: World

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is due as readable files, whose reader is the act."""
        world = self.world
        world.now_us += PASS_US
        count = world.take_for_loop()
        if not count and timeout != 0:
            times = [] if timeout is None else [world.now_us + max(1, math.ceil(timeout * 1e6))]
            times += [] if world.next_at is None else [world.next_at]
            if not times:
                raise SimulationStuckError
            world.now_us = min(times)
            count = world.take_for_loop()
        loop = asyncio.get_running_loop()
        reads = [asyncio.Handle(world.run_taken, (), loop) for _ in range(count)]
        read = selectors.EVENT_READ
        return [(selectors.SelectorKey(0, 0, read, (each, None)), read) for each in reads]


class VirtualSelector(StampingSelector, VirtualPoll):
    """The server's own selector, on virtual polls."""

    def __init__(self, clock: NodeClock, world: World) -> None:
        self.world = world
        super().__init__(clock)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on virtual time, without threads."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.clock = NodeClock(lambda: world.now_us * 1000, HEAD_START_US)
        self.stamping_selector = VirtualSelector(self.clock, world)
        super().__init__(self.stamping_selector)

    def time(self) -> float:
        """Return virtual seconds."""
        return self.world.now_us / 1e6

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]  # any function
        """Run the function at once: threads would make a run depend on the machine."""
        done = self.create_future()
        done.set_result(func(*args))
        return done

    def abandon(self) -> None:
        """Forget everything that the loop was doing, as a killed process does."""
        self.set_exception_handler(lambda _, __: None)
        tasks: set[Any] = asyncio.all_tasks(self)
        for task in tasks:
            task._log_destroy_pending = False
            _close_quietly(task.get_coro())
        loop: Any = self  # asyncio's own fields are not among its types
        loop._ready.clear()
        loop._scheduled.clear()
        self.close()
        self.world.put_back_taken()


def _close_quietly(coroutine: Any) -> None:
    """End a coroutine that will not be continued; what it does on its way out reaches nobody."""
    with suppress(BaseException):  # its process is dead
        coroutine.close()
