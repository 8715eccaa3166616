"""Defines the objects that a match registry gets from outside: journal, rooms, randomness, clock, background runner."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.match.referee.ports import BackgroundRunner, Journal, ResultT
from arena.match.referee.scalars import Instant
from arena.match.referee.strike_record import ConditionsSource, ProcessTimes
from arena.match.referee.terms import Terms
from arena.server.node.deals import Sources
from arena.server.node.hosted_match import HostedMatch, SessionRoom
from arena.server.node.identity import SessionKey
from arena.server.node.limits import Limits
from arena.server.node.session import Session
from arena.server.node.time_credits import CoreWaits


def run_inline(work: Callable[[], ResultT], then: Callable[[ResultT], object]) -> None:
    """Run the work immediately: a `BackgroundRunner` for callers without an event loop."""
    then(work())


class MatchObserver(Protocol):
    """Observes the matches of a node, except reruns."""

    def on_match_started(self, hosted: HostedMatch) -> None:
        """Handle a match that has begun or been resumed from another node."""

    def on_match_ended(self, hosted: HostedMatch) -> None:
        """Handle a match that has ended, possibly without having begun."""


class SessionObserver(Protocol):
    """Observes the sessions of bots."""

    def on_session_connected(self, session: Session) -> None:
        """Handle a session that has connected. It has been told everything about the seats that it holds."""

    def on_session_closed(self, session: Session) -> None:
        """Handle a session whose stream has ended, unless another stream has taken it over."""


class ProcessMonitor(Protocol):
    """Measures the processes of bots that were started here."""

    def has_started(self, name: str) -> bool:
        """Return whether a bot of this name was started here and still runs."""

    def process_times(self, key: SessionKey, since: Instant, now: Instant) -> ProcessTimes | None:
        """Return how a session's process spent the time between two instants of the node's clock; None if unknown."""


@dataclass(frozen=True, slots=True)
class NodeObservers:
    """Groups the observers of a node."""

    matches: Sequence[MatchObserver] = ()
    """The observers that are notified, in this order, of every match except reruns."""
    processes: ProcessMonitor | None = None
    """Measures the processes of bots; None if all bots run elsewhere."""
    sessions: Sequence[SessionObserver] = ()
    core_waits: CoreWaits | None = None
    """Samples for how long this process waits for a core; None if the system does not report it."""


@dataclass(frozen=True, slots=True)
class NodePorts:
    """Groups the objects that a match registry gets from outside."""

    journal: Journal
    build_room: Callable[[int, Terms, Sequence[bytes]], SessionRoom]
    """Builds the room of a match from its number, its terms and each entrant's seed."""
    sources: Sources
    limits: Limits
    background: BackgroundRunner
    conditions: ConditionsSource
    """Observes the conditions of a session when it gets a strike."""
    observers: NodeObservers
