"""One fault, as it is kept for its author: what was asked, what came and when, and how bot, wire and server stood then.

The match itself knows the first half, and a replay gives it again. The second half, `Conditions`, is what a node saw at
that moment; nobody can find it out afterwards. Lengths of time are microseconds.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from arena.match.facts import StrikeKind
from arena.match.scalars import Instant

MAX_STRIKE_RECORDS: Final = 32
"""So many of one entrant are kept of a match; its strikes count them all."""
HOST_BLAME_DIVISOR: Final = 10
"""A host that takes more than this part of an answer's time is to blame."""
_STOPPED_STATES: Final = ("T", "t")


@dataclass(frozen=True, slots=True)
class ProcessTimes:
    """What a bot's process did meanwhile."""

    state: str
    """As Linux says it: R runs or wants to, S and D wait for something, T is stopped, Z has ended."""
    ran_us: int
    """All its threads together."""
    waited_us: int
    """For a core, although it could have run: the thread that waited longest."""
    span_us: int
    """These are of the last so much time: the answer's time, and up to a second before it."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """How things stood when an answer was late, illegal or missing."""

    is_connected: bool
    round_trip_us: int | None = None
    """The shortest that was measured on the connection; None: none was yet."""
    sending_us: int = 0
    """How long frames for the bot waited to leave meanwhile, at most; what is nothing out of the ordinary is 0."""
    loop_lag_us: int = 0
    """How long the node's loop was away from its streams meanwhile, at most; the ordinary is 0."""
    heard_us: int | None = None
    """So long after this question its process last answered another one; None: nothing came meanwhile."""
    open_count: int = 0
    """Questions of other matches that its process had not answered by then."""
    process: ProcessTimes | None = None
    """None: it runs elsewhere, or on a system that does not tell."""


class ConditionsSource(Protocol):
    """Sees how things stand with a guest."""

    def observe_conditions(self, guest: tuple[str, str], match: int, since: Instant, until: Instant) -> Conditions:
        """Tell how things stood with a guest (name and instance) since it was asked, by the node's clock.

        `match` is the number of the match that asked; `until` is when the answer came, or was found to be missing.
        """


class Culprit(Enum):
    """Who or what an answer's time went to."""

    BOT = "bot"
    HOST = "host"
    """Node or machine took more than a tenth of the time."""
    WIRE = "wire"
    """Half of the time and more went by on the way."""
    CONNECTION = "connection"
    """The bot was not there."""


@dataclass(frozen=True, slots=True)
class StrikeRecord:
    """A late, illegal or missing answer."""

    entrant: int
    game: int
    """0-based."""
    turn: int
    """Moves and passes made in the game before, as replays count them."""
    kind: StrikeKind
    prompt_id: int = 0
    prompt: str = ""
    """What was asked, in the game's word; empty: it was no question."""
    allowed_us: int | None = None
    """How long the answer could take; None: as long as it liked."""
    came_us: int | None = None
    """So long after the question the answer came; None: none did."""
    handled_us: int = 0
    """So long after its arrival it was dealt with, which costs nobody anything."""
    reason: str = ""
    action: str = ""
    """What came, in the game's text form; empty: nothing, or what cannot be read."""
    automatic: str = ""
    """The move that was made instead."""
    conditions: Conditions | None = None
    """None: they are not known, as of what was played before a node's end."""

    @property
    def taken_us(self) -> int | None:
        """How long the bot had the question; None where that is no matter of time."""
        return self.allowed_us if self.came_us is None else self.came_us


@dataclass(frozen=True, slots=True)
class ResponseTimes:
    """Where an answer's time went, as seen from the server; None: not known."""

    bot_us: int | None = None
    """In the bot's process: what wire and server leave. Queueing there and waiting for a core are parts of it."""
    queue_us: int | None = None
    """At most so long in the bot's queue: until its last answer to another question."""
    wire_us: int | None = None
    server_us: int | None = None
    """From the question to its leaving, and from the answer's arrival until it was dealt with."""
    loop_lag_us: int | None = None
    core_wait_us: int | None = None


def response_times_of(strike: StrikeRecord) -> ResponseTimes:
    """Divide an answer's time among those who had it."""
    seen, taken = strike.conditions, strike.taken_us
    if seen is None or taken is None:
        return ResponseTimes(server_us=None if taken is None else strike.handled_us)
    others = seen.sending_us + (seen.round_trip_us or 0)
    return ResponseTimes(
        bot_us=max(0, taken - others) if seen.is_connected else None,
        queue_us=min(seen.heard_us or 0, taken) if seen.is_connected else None,
        wire_us=seen.round_trip_us,
        server_us=seen.sending_us + strike.handled_us,
        loop_lag_us=seen.loop_lag_us,
        core_wait_us=core_wait_of(strike),
    )


def core_wait_of(strike: StrikeRecord) -> int | None:
    """How long the bot waited for a core in an answer's time: its part of what was measured; None: not known."""
    process = None if strike.conditions is None else strike.conditions.process
    if process is None or not process.span_us:
        return None
    taken = min(strike.taken_us or 0, process.span_us)
    return process.waited_us * taken // process.span_us


def exceeds_host_share(us: int | None, strike: StrikeRecord) -> bool:
    """Whether a host may not take so much of an answer's time."""
    return us is not None and HOST_BLAME_DIVISOR * us > (strike.taken_us or 0)


def is_stopped(strike: StrikeRecord) -> bool:
    """Whether somebody had stopped the bot's process."""
    process = None if strike.conditions is None else strike.conditions.process
    return process is not None and process.state in _STOPPED_STATES


def culprit_of(strike: StrikeRecord) -> Culprit | None:
    """Say whose fault it was; None: nobody can tell. What was answered wrongly is its bot's fault at any time."""
    if strike.kind in (StrikeKind.ILLEGAL, StrikeKind.GONE):
        return Culprit.BOT
    seen, taken = strike.conditions, strike.taken_us
    if seen is None or taken is None:
        return None
    if not seen.is_connected:
        return Culprit.CONNECTION
    if is_stopped(strike):
        return Culprit.BOT
    if any(exceeds_host_share(us, strike) for us in (seen.loop_lag_us, seen.sending_us, core_wait_of(strike))):
        return Culprit.HOST
    return Culprit.WIRE if 2 * (seen.round_trip_us or 0) >= taken else Culprit.BOT
