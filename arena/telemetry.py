"""Log lines of a server on stderr."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Final, TextIO

from arena.log_lines import values_of

LOG_LEVELS: Final = ("debug", "info", "warning", "error")

_RESET: Final = "\x1b[0m"
_BOLD: Final = "\x1b[1m"
_DIM: Final = "\x1b[2m"
_NAME: Final = "\x1b[36m"
_VALUE: Final = "\x1b[35m"
_LEVELS: Final = {"warning": "\x1b[33m", "error": "\x1b[31m", "critical": "\x1b[31m"}
"""The colours of levels; all others are green."""
_GREEN: Final = "\x1b[32m"


def set_up_logging(level: str, stream: TextIO | None = None) -> None:
    """Write log lines to a stream (default: stderr), as text on a terminal, otherwise as one JSON object per line.

    Log lines of libraries are written in the same way.
    """
    stream = stream or sys.stderr
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_TerminalFormatter() if stream.isatty() else _JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    logging.getLogger("alembic").setLevel(max(root.level, logging.WARNING))  # at a lower level it logs every migration


class _JsonFormatter(logging.Formatter):
    """Makes a JSON object of an event: its values, then `event`, `level`, `timestamp` (UTC) and `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return an event as one line."""
        line = values_of(record) | {
            "event": record.getMessage(),
            "level": record.levelname.lower(),
            "timestamp": _timestamp(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=repr)


class _TerminalFormatter(logging.Formatter):
    """Makes a coloured line of an event, with the values in the order of their names, and the traceback below."""

    def format(self, record: logging.LogRecord) -> str:
        """Return an event as text."""
        level = record.levelname.lower()
        words = [
            f"{_DIM}{_timestamp(record)}{_RESET}",
            f"[{_LEVELS.get(level, _GREEN)}{_BOLD}{level:<9}{_RESET}]",
            f"{_BOLD}{record.getMessage():<30}{_RESET}",
            *(
                f"{_NAME}{name}{_RESET}={_VALUE}{_show(value)}{_RESET}"
                for name, value in sorted(values_of(record).items())
            ),
        ]
        trace = [self.formatException(record.exc_info)] if record.exc_info else []
        return "\n".join([" ".join(words), *trace])


def _timestamp(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z")


def _show(value: Any) -> str:
    """Return a value for people: text as it is, in quotes if its end could be mistaken."""
    is_clear = isinstance(value, str) and value.isprintable() and not set(value) & set(" ='\"")
    return value if is_clear else repr(value)
