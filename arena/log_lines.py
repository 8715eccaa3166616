"""Writes events to Python's log: an event's name in a few words, and values that have names of their own.

Nothing here decides where the lines go and what they look like; see `telemetry`. structlog would do the same, but takes
a tenth of the time in which a server starts, because it imports rich.
"""

import logging
from typing import Any, Final

_VALUES: Final = "values"
"""The attribute of a log record that has the values of the event."""


class Log:
    """The log of one module: `log.warning("loop stalled", gap_ms=70)`.

    With `exc_info`, an exception or True for the one that is being handled, the line has the traceback too.
    """

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, event: str, *, exc_info: BaseException | bool | None = None, **values: Any) -> None:
        """Write an event that only a developer wants to know."""
        self.log(logging.DEBUG, event, exc_info=exc_info, **values)

    def info(self, event: str, *, exc_info: BaseException | bool | None = None, **values: Any) -> None:
        """Write an event of a server that works."""
        self.log(logging.INFO, event, exc_info=exc_info, **values)

    def warning(self, event: str, *, exc_info: BaseException | bool | None = None, **values: Any) -> None:
        """Write an event that somebody may have to look into."""
        self.log(logging.WARNING, event, exc_info=exc_info, **values)

    def error(self, event: str, *, exc_info: BaseException | bool | None = None, **values: Any) -> None:
        """Write an event in which something has failed."""
        self.log(logging.ERROR, event, exc_info=exc_info, **values)

    def exception(self, event: str, **values: Any) -> None:
        """Write that something has failed with the exception that is being handled."""
        self.log(logging.ERROR, event, exc_info=True, **values)

    def log(self, level: int, event: str, *, exc_info: BaseException | bool | None = None, **values: Any) -> None:
        """Write an event at a level of `logging`."""
        if self._logger.isEnabledFor(level):
            self._logger.log(level, event, exc_info=exc_info, extra={_VALUES: values})


def values_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return the values of an event by name; empty for a line of a library."""
    values: dict[str, Any] = getattr(record, _VALUES, {})
    return values
