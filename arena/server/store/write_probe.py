"""Tells whether the store can be written."""

import asyncio

from arena.errors import StoreError
from arena.log_lines import get_logger
from arena.server.store.database import Database
from arena.server.store.schema import write_nothing_new

log = get_logger(__name__)

PROBE_INTERVAL_S = 2.0


class WriteProbe:
    """Writes a little every few seconds. Run `run` as a task.

    While no match begins or ends, nothing else would notice a full disk, a read-only file, or a process that keeps the
    store locked.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.is_writable = True
        """Whether the last write succeeded."""

    async def run(self) -> None:
        """Probe until cancelled."""
        while True:
            await self.probe()
            await asyncio.sleep(PROBE_INTERVAL_S)

    async def probe(self) -> None:
        """Write once. Log a change from success to failure or back."""
        try:
            await self._database.write(write_nothing_new)
        except StoreError as error:
            if self.is_writable:
                log.warning("store cannot be written", fault=str(error))
            self.is_writable = False
        else:
            if not self.is_writable:
                log.info("store is written again")
            self.is_writable = True
