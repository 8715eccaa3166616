"""The process that packs old journals beside a server: one round, then it ends.

    python -m arena.organizer.retention.retention_process DATA TERMS

TERMS is `RetentionSettings` as JSON. The process may be killed at any instant, and ends at once with its server.
"""

import asyncio
import json
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arena.errors import StoreError
from arena.fleet.runner.keep_running import end_with_server
from arena.fleet.telemetry import set_up_logging
from arena.games.catalogue import games
from arena.log_lines import get_logger
from arena.organizer.retention.retention import run_round
from arena.plain_data import from_plain
from arena.server.config.retention_settings import RetentionSettings

log = get_logger(__name__)

SHARE: Final = 0.05
"""The most of a core that the process takes."""
_TICK_S: Final = 0.01
"""Seconds of processor time after which it rests, as soon as the interpreter can."""


@contextmanager
def limit_processor(share: float) -> Iterator[None]:
    """Let this process rest again and again, wherever the body is, so that it takes no more than this share of a core.

    Windows has no such timer: there it does nothing.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    rested_at = time.process_time()

    def rest(*_: object) -> None:
        nonlocal rested_at
        worked_until = time.process_time()
        time.sleep((worked_until - rested_at) * (1 / share - 1))
        rested_at = worked_until  # not now: falling asleep and waking up is work too

    signal.signal(signal.SIGPROF, rest)
    signal.setitimer(signal.ITIMER_PROF, _TICK_S, _TICK_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_IGN)  # a last one may be under way


def main() -> int:
    """Pack the journals of the data folder named on the command line."""
    set_up_logging("info")
    end_with_server()
    data, terms = Path(sys.argv[1]), from_plain(json.loads(sys.argv[2]), RetentionSettings)
    try:
        with limit_processor(SHARE):
            asyncio.run(run_round(data, terms, games(), time.time()))
    except StoreError as error:  # such as a full disk: the server tries again
        log.warning("journals are not packed", fault=str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
