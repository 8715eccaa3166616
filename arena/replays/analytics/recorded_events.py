"""Reads the stored events of a game."""

import json
import zlib
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from arena.errors import StoreError
from arena.replays.analytics.counts import SeatAnalytics

RecordedEvent: TypeAlias = tuple[int, str, Mapping[str, Any]]
"""An event: its instant in microseconds, its name, and its fields as plain values."""


class GameAnalyzer(Protocol):
    """Analyzes one game, event by event."""

    def apply_event(self, name: str, fields: Mapping[str, Any]) -> None:
        """Apply the next event."""

    def seat_analytics(self) -> tuple[SeatAnalytics, ...]:
        """Return the analytics of each seat. The game must be over."""


def unpack_events(events: bytes) -> list[RecordedEvent]:
    """Return the events of a game's row. Raises StoreError if they cannot be read."""
    try:
        unpacked: list[RecordedEvent] = json.loads(b"[" + zlib.decompress(events).replace(b"\n", b",") + b"]")
    except (zlib.error, ValueError) as error:
        raise StoreError("the events of a game in the store cannot be read") from error
    return unpacked
