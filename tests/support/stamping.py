"""The event loop that a server needs, for tests that run one in their own loop.

The `conftest.py` of a folder offers `stamping_loop` to pytest-asyncio. `loop_parts` returns the clock and the selector
of the running loop.
"""

import asyncio
from weakref import WeakKeyDictionary

from arena.server.node.event_loop import NodeClock, StampingSelector

_PARTS: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[NodeClock, StampingSelector]] = WeakKeyDictionary()


def stamping_loop() -> asyncio.AbstractEventLoop:
    """Return a loop that stamps the arrival of data."""
    clock = NodeClock()
    selector = StampingSelector(clock)
    loop = asyncio.SelectorEventLoop(selector)
    _PARTS[loop] = clock, selector
    return loop


def loop_parts() -> tuple[NodeClock, StampingSelector]:
    """Return the clock and the selector of the running loop."""
    return _PARTS[asyncio.get_running_loop()]
