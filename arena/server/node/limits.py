"""The limits of a server. The defaults come from measurements on two cores."""

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
    """Sizes are in bytes, rates per second.

    Exceeding a limit may end a session or drop a message, but never ends a match. The configuration may set the limits
    whose type is `Settable`.
    """

    frame_bytes: int = 1 << 20
    frame_items: int = 8192
    """The most decisions and notices in a frame; reading more, even empty ones, would delay every session."""
    decision_bytes: int = 4 * 1024
    """The most bytes in a decision: more than twice the size of the largest play of any ruleset (1 506 cards)."""
    note_bytes: int = 200
    metadata_bytes: int = 8 * 1024
    outbox_bytes: Size = 256 * 1024
    outbox_bytes_a_seat: Size = 64 * 1024
    """Additional bytes of the outbox for each seat that a session holds."""
    outbox_seats: int = 1000
    """The most seats for which additional bytes are granted."""
    outbox_age_us: int = 5_000_000
    """The longest time that a message may wait for the bot to read it, in microseconds."""
    sent_frame_messages: int | None = None
    """The most messages in a frame that the server sends; None for no limit. Benchmarks send one message a frame."""
    messages_a_prompt: int = 2
    messages_a_second: Count = 50
    invalid_messages: int = 20
    """A session ends when it has sent this many invalid messages within ten seconds."""
    hello_s: float = 5.0
    silent_s: float = 10.0
    """How many seconds a connection may be silent before it is pinged, and how many seconds the answer may take."""
    streams_a_connection: Count = 8
    sessions_a_token: Count = 8
    streams_a_minute: Count = 120
    """Streams that a bot may open in a minute, besides `stream_burst` at once; further ones wait."""
    stream_burst: int = 32
    """Streams that a bot may open at once after a pause."""
    joins_a_minute: Count = 10
    """New sessions of a token per minute; a session that reconnects is not new."""
    redemptions_a_minute: Count = 10
    """Attempts of an address to redeem an invitation, per minute, for each of its people."""
    account_changes_a_minute: Count = 20
    """Bots, tokens, login codes, uploads and changes of submissions that an owner may ask for per minute."""
    connections_an_address: Count = 32
    """The most connections with open streams from one address, for each of its people."""
    guesses_a_minute: Count = 20
    """How many tokens from an address may be refused within a minute before further refusals are delayed, for each of
    its people."""
    people_an_address: Annotated[int, Settable(), Interval(ge=1, le=10_000)] = 1
    """How many people may share one address, such as a lab. Every limit of an address, of the web pages too, counts for
    each of them."""
    refusal_delay_s: float = 1.0
    """How long a delayed refusal waits, in seconds."""
    delayed_refusals: int = 512
    """The most refusals that wait at the same time."""
    binds_loopback: Switch = False
    """Whether joins, connections and guesses are limited for peers on this machine too, including launched bots."""
    standing_s: float = 600.0
    """How many seconds the rate limiter of a session is kept after the session's stream has ended."""
    sessions: Count = 10_000
    watchers: int = 256
    """The most watchers. A caller without the scope `relay` leaves room for one relay."""
    watchers_a_token: int = 8
    watchers_an_owner: int = 32
    """The most matches that one owner's tokens together may watch, so that there is room for other spectators."""
    watchers_a_relay: int = 64
    """The most matches that one token with the scope `relay` may watch. The web pages have such a token."""
    matches: Count = 4096
    keys: int = 10_000
    """The most idempotency keys that are kept for ended matches."""
    key_s: float = 600.0
    """How many seconds an idempotency key is kept after the end of its match."""
    leaves_matches: bool = False
    """Whether unfinished matches are left for the next server. `arena serve` sets this; no setting changes it."""
    keeps_records: bool = True
    """Whether finished games are stored; turned off only for benchmarks."""


def settable_limits() -> frozenset[str]:
    types = get_type_hints(Limits, include_extras=True)
    return frozenset(name for name, kind in types.items() if any(isinstance(part, Settable) for part in get_args(kind)))
