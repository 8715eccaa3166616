"""The event loop that a server needs, for tests that run one in their own loop.

A folder's `conftest.py` offers `stamping_loop` to pytest-asyncio; `loop_parts` finds the clock and the selector that
belong to the running loop.
"""

import asyncio
from weakref import WeakKeyDictionary

from arena.node.event_loop import NodeClock, StampingSelector

_PARTS: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[NodeClock, StampingSelector]] = WeakKeyDictionary()


def stamping_loop() -> asyncio.AbstractEventLoop:
    """Make a loop that stamps arrivals."""
    clock = NodeClock()
    selector = StampingSelector(clock)
    loop = asyncio.SelectorEventLoop(selector)
    _PARTS[loop] = clock, selector
    return loop


def loop_parts() -> tuple[NodeClock, StampingSelector]:
    """Give the clock and the selector of the running loop."""
    return _PARTS[asyncio.get_running_loop()]
