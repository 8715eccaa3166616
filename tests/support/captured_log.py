"""Takes the events that the arena logs in this process."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from arena.log_lines import values_of

Event = dict[str, Any]
"""The values of an event, with its words as `event`, its `level`, and the exception as `exc_info`."""


class _Taker(logging.Handler):
    def __init__(self, take: Callable[[Event], object]) -> None:
        super().__init__()
        self._take = take

    def emit(self, record: logging.LogRecord) -> None:
        level = record.levelname.lower()
        self._take(values_of(record) | {"event": record.getMessage(), "level": level, "exc_info": record.exc_info})


@contextmanager
def take_log(take: Callable[[Event], object]) -> Iterator[None]:
    """Call `take` with each event of the arena inside the block. Nothing else gets them meanwhile."""
    log, taker = logging.getLogger("arena"), _Taker(take)
    level = log.level
    log.addHandler(taker)
    log.setLevel(logging.DEBUG)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(taker)
        log.setLevel(level)
        log.propagate = True


@contextmanager
def capture_log() -> Iterator[list[Event]]:
    """Return a list that gets each event of the arena inside the block."""
    found: list[Event] = []
    with take_log(found.append):
        yield found
