"""How long a client that has lost the server tries to reach it again."""

import asyncio
import time
from typing import Final

RECONNECT_TIMEOUT_S: Final = 20.0
"""Seconds for which a client that has lost the server tries to reach it again."""
RETRY_INTERVAL_S: Final = 0.5
"""Seconds between attempts to reach the server again."""


class Patience:
    """Decides how long a client that has lost the server tries to reach it again."""

    def __init__(self) -> None:
        self._lost_at: float | None = None

    @property
    def is_fresh(self) -> bool:
        """Whether nothing was lost since the server last answered."""
        return self._lost_at is None

    def renew(self) -> None:
        """Note that the server has answered."""
        self._lost_at = None

    def lasts(self) -> bool:
        """Note that the server is lost, and return whether to try again."""
        now = time.monotonic()
        if self._lost_at is None:
            self._lost_at = now
        return now - self._lost_at <= RECONNECT_TIMEOUT_S

    async def pause(self) -> None:
        """Wait until the next attempt."""
        await asyncio.sleep(RETRY_INTERVAL_S)
