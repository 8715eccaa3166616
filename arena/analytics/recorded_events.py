"""Reads the events of a game as the store keeps them."""

import json
import zlib
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from arena.analytics.counts import SeatAnalytics
from arena.errors import StoreError

RecordedEvent: TypeAlias = tuple[int, str, Mapping[str, Any]]
"""An event: microseconds, name, fields as plain values."""


class GameAnalyzer(Protocol):
    """Goes through one game's events."""

    def apply_event(self, name: str, fields: Mapping[str, Any]) -> None:
        """Take the next event."""

    def seat_analytics(self) -> tuple[SeatAnalytics, ...]:
        """Give what was found, by seat; the game is over."""


def unpack_events(events: bytes) -> list[RecordedEvent]:
    """Unpack a row's events. Raises StoreError when they cannot be read."""
    try:
        found: list[RecordedEvent] = json.loads(b"[" + zlib.decompress(events).replace(b"\n", b",") + b"]")
    except (zlib.error, ValueError) as error:
        raise StoreError("the events of a game in the store cannot be read") from error
    return found
