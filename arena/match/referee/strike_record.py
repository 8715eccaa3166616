"""The record of one strike for the bot's author: question, answer, times, and the state of bot, wire and server.

A replay can reproduce everything except `Conditions`: the node measured these during the match. Durations are in
microseconds.
"""

from collections.abc import Collection, Mapping
from enum import Enum
from typing import Any, Final, Protocol

from arena.match.referee.facts import StrikeKind
from arena.match.referee.scalars import Instant, SessionKey
from arena.match.value_class import value_class
from arena.plain_data import to_plain

MAX_STRIKE_RECORDS: Final = 32
"""The number of strike records kept for an entrant in a match. The entrant's strike counts include all strikes."""
HOST_BLAME_DIVISOR: Final = 10
"""The host is to blame if it took more than an answer's time divided by this number."""
_STOPPED_STATES: Final = ("T", "t")
THROTTLED_STATE: Final = "Q"
"""The state of a process that the CPU quota of its box stopped for most of the time. Linux has no letter for it."""


@value_class()
class ProcessTimes:
    """How a bot's process spent the time of an answer."""

    state: str
    """The Linux process state: R running or runnable, S and D waiting, T stopped, Z ended. Or THROTTLED_STATE."""
    ran_us: int
    """CPU time of all threads of the process together."""
    waited_us: int
    """How long the thread that waited longest was runnable without a core.

    The time for which a CPU quota stopped it does not count: that is the bot's own doing.
    """
    span_us: int
    """The period measured: the answer's time, and up to a second before it."""


@value_class()
class Conditions:
    """The measured conditions when an answer was late, illegal or missing."""

    is_connected: bool
    round_trip_us: int | None = None
    """The shortest round trip measured on the connection; None before the first measurement."""
    sending_us: int = 0
    """The longest time that a frame for the bot waited to be sent; 0 if that wait was ordinary."""
    loop_lag_us: int = 0
    """The longest time that the node's loop did not serve its streams; 0 if that time was ordinary."""
    heard_us: int | None = None
    """The time from this question to the last answer of the bot's process to another question; None if none came."""
    open_count: int = 0
    """Number of questions in other matches that the bot's process had not answered when the strike happened."""
    process: ProcessTimes | None = None
    """The times of the bot's process; None if it runs on another host, or if its system does not report these times."""
    alive_us: int | None = None
    """The time from this question to the last message of any kind from the bot; None if none came."""
    is_silent: bool = False
    """Whether nothing more came from the bot, not even the answer to a ping, until its stream ended."""

    @property
    def has_working_line(self) -> bool:
        """Whether anything came from the bot after the question, and the line did not turn out to be dead."""
        return not self.is_silent and (self.alive_us is not None or self.heard_us is not None)


class ConditionsSource(Protocol):
    def observe_conditions(self, key: SessionKey, match: int, since: Instant, until: Instant) -> Conditions:
        """Return the conditions of a session (name and instance) from `since` to `until`, on the node's clock.

        `match` is the number of the match. At `since` the question was asked; at `until` the answer came or was found
        to be missing.
        """


class Culprit(Enum):
    """The main cause of a strike."""

    BOT = "bot"
    HOST = "host"
    """The node or its machine took more than a tenth of the time."""
    WIRE = "wire"
    """At least half of the time passed on the wire."""
    CONNECTION = "connection"
    """The bot was not connected."""


@value_class()
class StrikeRecord:
    """A strike: an answer was late, illegal or missing, the bot said that it has none, or it left."""

    entrant: int
    game: int
    """The 0-based number of the game."""
    turn: int
    """Moves and passes made in this game before the strike, as replays count them."""
    kind: StrikeKind
    prompt_id: int = 0
    prompt: str = ""
    """The game's word for the kind of question; empty if the strike concerns no question."""
    allowed_us: int | None = None
    """How long the answer was allowed to take; None if there was no limit."""
    came_us: int | None = None
    """How long after the question the answer came; None if no answer came."""
    handled_us: int = 0
    """How long after its arrival the answer was handled; no bot is charged for this time."""
    reason: str = ""
    action: str = ""
    """The action received, in the game's text form; empty if no action came or it could not be read."""
    automatic: str = ""
    """The automatic action in the game's text form; empty if there was none."""
    no_answer: str = ""
    """The cause that the bot gave for having no answer, as `NoAnswerCause` names it; empty if it said nothing."""
    words: str = ""
    """What the bot said about its missing answer. Only the bot's owner sees it."""
    conditions: Conditions | None = None
    """The measured conditions; None if they are unknown, for example for games played before the node was restarted."""

    @property
    def taken_us(self) -> int | None:
        """How long the bot had the question; None if neither an answer time nor a limit is known."""
        return self.allowed_us if self.came_us is None else self.came_us


def strike_to_plain(strike: StrikeRecord) -> dict[str, Any]:
    """Return a strike as plain data. What earlier releases did not know is left out if it is empty.

    So a match without such strikes is stored in the same bytes as before.
    """
    plain: dict[str, Any] = to_plain(strike)
    if plain["conditions"]:
        plain["conditions"] = _without_empty(plain["conditions"], ("alive_us", "is_silent"))
    return _without_empty(plain, ("no_answer", "words"))


def _without_empty(plain: Mapping[str, Any], later: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in plain.items() if value or name not in later}


@value_class()
class ResponseTimes:
    """How an answer's time is divided, as measured by the server. A time is None if it is unknown."""

    bot_us: int | None = None
    """Time in the bot's process: all time not spent on the wire or in the server. Includes queueing and core waits."""
    queue_us: int | None = None
    """The longest time that the question can have waited in the bot's queue.

    The wait can have lasted until the bot last answered another question.
    """
    wire_us: int | None = None
    server_us: int | None = None
    """How long the question waited to be sent, plus how long the answer waited to be handled."""
    loop_lag_us: int | None = None
    core_wait_us: int | None = None


def response_times_of(strike: StrikeRecord) -> ResponseTimes:
    """Return how an answer's time is divided between bot, wire and server."""
    conditions, taken = strike.conditions, strike.taken_us
    if conditions is None or taken is None:
        return ResponseTimes(server_us=None if taken is None else strike.handled_us)
    others = conditions.sending_us + (conditions.round_trip_us or 0)
    return ResponseTimes(
        bot_us=max(0, taken - others) if conditions.is_connected else None,
        queue_us=min(conditions.heard_us or 0, taken) if conditions.is_connected else None,
        wire_us=conditions.round_trip_us,
        server_us=conditions.sending_us + strike.handled_us,
        loop_lag_us=conditions.loop_lag_us,
        core_wait_us=core_wait_of(strike),
    )


def core_wait_of(strike: StrikeRecord) -> int | None:
    """Return how long the bot waited for a core during an answer's time; None if it is unknown.

    The wait is measured over a longer period and scaled down to the answer's time.
    """
    process = None if strike.conditions is None else strike.conditions.process
    if process is None or not process.span_us:
        return None
    taken = min(strike.taken_us or 0, process.span_us)
    return process.waited_us * taken // process.span_us


def exceeds_host_share(us: int | None, strike: StrikeRecord) -> bool:
    """Return whether `us` is more than the tenth of the answer's time that the host may take."""
    return us is not None and HOST_BLAME_DIVISOR * us > (strike.taken_us or 0)


def is_stopped(strike: StrikeRecord) -> bool:
    """Return whether the bot's process was stopped, for example by a debugger."""
    process = None if strike.conditions is None else strike.conditions.process
    return process is not None and process.state in _STOPPED_STATES


def culprit_of(strike: StrikeRecord) -> Culprit | None:
    """Return who or what caused a strike; None if unknown. The bot itself is the cause unless it was late or silent.

    A missing answer may be lost on the way. So a bot is its cause only if its process is known, or if its line worked.
    """
    if strike.kind not in (StrikeKind.LATE, StrikeKind.MISSING):
        return Culprit.BOT
    conditions, taken = strike.conditions, strike.taken_us
    if conditions is None or taken is None:
        return None
    if not conditions.is_connected:
        return Culprit.CONNECTION
    if is_stopped(strike):
        return Culprit.BOT
    if any(
        exceeds_host_share(us, strike) for us in (conditions.loop_lag_us, conditions.sending_us, core_wait_of(strike))
    ):
        return Culprit.HOST
    if 2 * (conditions.round_trip_us or 0) >= taken:
        return Culprit.WIRE
    is_known = strike.kind is StrikeKind.LATE or conditions.process is not None or conditions.has_working_line
    return Culprit.BOT if is_known else None
