"""What a server puts up with. Defaults from measurements on two cores."""

from dataclasses import dataclass
from typing import Annotated, get_args, get_type_hints

from annotated_types import Interval


class Settable:
    """Marks the type of a limit that the configuration may set."""


Count = Annotated[int, Settable(), Interval(ge=1, le=1_000_000)]
Size = Annotated[int, Settable(), Interval(ge=1024, le=1 << 30)]
"""Bytes."""
Switch = Annotated[bool, Settable()]


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes, rates a second. A bound that is passed ends a session or drops a message, never a match.

    The configuration may set those whose type is `Settable`.
    """

    frame_bytes: int = 1 << 20
    frame_items: int = 8192
    """The most decisions and notices in a frame; reading more, even if they were empty, would hold everybody up."""
    decision_bytes: int = 4 * 1024
    """The largest play of any ruleset, 1 506 cards, fits more than twice."""
    note_bytes: int = 200
    metadata_bytes: int = 8 * 1024
    outbox_bytes: Size = 256 * 1024
    outbox_bytes_a_seat: Size = 64 * 1024
    """Besides, for each seat that is held."""
    outbox_seats: int = 1000
    """So many seats are counted at most."""
    outbox_age_us: int = 5_000_000
    """The oldest message that a bot may leave unread."""
    messages_a_prompt: int = 2
    messages_a_second: Count = 50
    invalid_messages: int = 20
    """So many messages that are none of the protocol, in ten seconds, end a session."""
    hello_s: float = 5.0
    silent_s: float = 10.0
    """How long a connection may carry nothing before it is asked whether it is there, and how long it has to answer."""
    streams_a_connection: Count = 8
    sessions_a_token: Count = 8
    joins_a_minute: Count = 10
    """New sessions of a token; a session that comes back is none."""
    connections_an_address: Count = 32
    """Connections with open streams."""
    binds_loopback: Switch = False
    """Whether joins and connections are limited for peers on this machine too, launched bots among them."""
    standing_s: float = 600.0
    """How long it is kept what a session may say, and what it did wrong, after its stream has ended."""
    sessions: Count = 10_000
    watchers: int = 256
    watchers_a_token: int = 8
    matches: Count = 4096
    keys: int = 10_000
    """Idempotency keys of matches that are over."""
    key_s: float = 600.0
    """How long such a key is kept after the end of its match."""
    keeps_records: bool = True
    """Whether finished games are stored; off for benchmarks alone."""


def settable_limits() -> frozenset[str]:
    """Return the names of the limits that the configuration may set."""
    types = get_type_hints(Limits, include_extras=True)
    return frozenset(name for name, kind in types.items() if any(isinstance(part, Settable) for part in get_args(kind)))


class MessageQuota:
    """How many more messages a session may send: two for each prompt that it was given, and some a second besides."""

    def __init__(self, limits: Limits, now: int) -> None:
        self._limits = limits
        self._asked = 0
        self._for_prompts = 0
        self._for_time = float(limits.messages_a_second)
        self._last = now

    def take(self, now: int, asked: int, wanted: int) -> int:
        """How many of the wanted messages are read; `asked` counts the prompts given so far."""
        rate = self._limits.messages_a_second
        granted_before = self._for_prompts + (asked - self._asked) * self._limits.messages_a_prompt
        self._for_prompts = min(granted_before, self._limits.frame_items)
        self._for_time = min(float(rate), self._for_time + (now - self._last) * rate / 1e6)
        self._asked, self._last = asked, now
        granted = min(wanted, self._for_prompts)
        self._for_prompts -= granted
        besides = min(wanted - granted, int(self._for_time))
        self._for_time -= besides
        return granted + besides
