"""Defines the limits of a server. The defaults come from measurements on two cores."""

from dataclasses import dataclass
from typing import Annotated, get_args, get_type_hints

from annotated_types import Interval


class Settable:
    """Marks the type of a limit that the configuration may set."""


Count = Annotated[int, Settable(), Interval(ge=1, le=1_000_000)]
Size = Annotated[int, Settable(), Interval(ge=1024, le=1 << 30)]
"""A size in bytes."""
Switch = Annotated[bool, Settable()]


@dataclass(frozen=True, slots=True)
class Limits:
    """Holds the limits: sizes in bytes, rates per second.

    Exceeding a limit ends a session or drops a message, never a match. The configuration may set the limits whose type
    is `Settable`.
    """

    frame_bytes: int = 1 << 20
    frame_items: int = 8192
    """The most decisions and notices in a frame; reading more, even empty ones, would delay every session."""
    decision_bytes: int = 4 * 1024
    """The largest play of any ruleset, 1 506 cards, fits more than twice."""
    note_bytes: int = 200
    metadata_bytes: int = 8 * 1024
    outbox_bytes: Size = 256 * 1024
    outbox_bytes_a_seat: Size = 64 * 1024
    """Additional bytes for each seat that a session holds."""
    outbox_seats: int = 1000
    """The most seats for which additional bytes are granted."""
    outbox_age_us: int = 5_000_000
    """The age of the oldest message that a bot may leave unread, in microseconds."""
    messages_a_prompt: int = 2
    messages_a_second: Count = 50
    invalid_messages: int = 20
    """The number of invalid messages within ten seconds that ends a session."""
    hello_s: float = 5.0
    silent_s: float = 10.0
    """How long a connection may be silent before it is pinged, and how long the ping may take; seconds."""
    streams_a_connection: Count = 8
    sessions_a_token: Count = 8
    joins_a_minute: Count = 10
    """New sessions of a token per minute; a session that reconnects is not new."""
    connections_an_address: Count = 32
    """Connections with open streams."""
    binds_loopback: Switch = False
    """Whether joins and connections are limited for peers on this machine too, including launched bots."""
    standing_s: float = 600.0
    """How long the rate limiter of a session is kept after its stream has ended; seconds."""
    sessions: Count = 10_000
    watchers: int = 256
    watchers_a_token: int = 8
    matches: Count = 4096
    keys: int = 10_000
    """The most idempotency keys of ended matches."""
    key_s: float = 600.0
    """How long such a key is kept after the end of its match; seconds."""
    keeps_records: bool = True
    """Whether finished games are stored; turned off only for benchmarks."""


def settable_limits() -> frozenset[str]:
    """Return the names of the limits that the configuration may set."""
    types = get_type_hints(Limits, include_extras=True)
    return frozenset(name for name, kind in types.items() if any(isinstance(part, Settable) for part in get_args(kind)))


class MessageQuota:
    """Computes how many more messages a session may send: some per prompt it was sent, plus some per second."""

    def __init__(self, limits: Limits, now: int) -> None:
        self._limits = limits
        self._prompt_count = 0
        self._for_prompts = 0
        self._for_time = float(limits.messages_a_second)
        self._last = now

    def take(self, now: int, asked: int, wanted: int) -> int:
        """Return how many of the `wanted` messages are granted; `asked` counts the prompts sent so far."""
        rate = self._limits.messages_a_second
        granted_before = self._for_prompts + (asked - self._prompt_count) * self._limits.messages_a_prompt
        self._for_prompts = min(granted_before, self._limits.frame_items)
        self._for_time = min(float(rate), self._for_time + (now - self._last) * rate / 1e6)
        self._prompt_count, self._last = asked, now
        granted = min(wanted, self._for_prompts)
        self._for_prompts -= granted
        besides = min(wanted - granted, int(self._for_time))
        self._for_time -= besides
        return granted + besides
