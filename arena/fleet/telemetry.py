"""Log lines of a server on stderr."""

import logging
import sys
from typing import Any, Final, TextIO

from arena.log_lines import structlog

_SHARED_PROCESSORS: Final[tuple[Any, ...]] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
)


def set_up_logging(level: str, stream: TextIO | None = None) -> None:
    """Write log lines to a stream (default: stderr), as text on a terminal, otherwise as one JSON object per line.

    Values bound by `structlog.contextvars` (match, game, seat, sequence) appear on every line. Log lines of libraries
    are written in the same way.
    """
    stream = stream or sys.stderr
    renderer: Any = structlog.processors.JSONRenderer(sort_keys=False)
    if stream.isatty():
        renderer = structlog.dev.ConsoleRenderer()
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_SHARED_PROCESSORS,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    logging.getLogger("alembic").setLevel(max(root.level, logging.WARNING))  # at a lower level it logs every migration
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED_PROCESSORS,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
