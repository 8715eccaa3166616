"""What observes a node from outside: its matches, the sessions and the processes of bots, the waits of the machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.match.referee.scalars import Instant, SessionKey
from arena.match.referee.strike_record import ProcessTimes
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.session import Session
from arena.server.node.time_credits import CoreWaits


class MatchObserver(Protocol):
    """Observes matches, except reruns."""

    def on_match_started(self, hosted: HostedMatch) -> None:
        """The match has begun, or was resumed from another node."""

    def on_match_ended(self, hosted: HostedMatch) -> None:
        """The match has ended, possibly without having begun."""


class SessionObserver(Protocol):
    def on_session_connected(self, session: Session) -> None:
        """The session has been told everything about the seats that it holds."""

    def on_session_closed(self, session: Session) -> None:
        """The stream has ended, and no other stream has taken the session over."""


class ProcessMonitor(Protocol):
    """Measures the processes of bots that were started here."""

    def has_started(self, name: str) -> bool:
        """Return whether a bot of this name was started here and still runs."""

    def process_times(self, key: SessionKey, since: Instant, now: Instant) -> ProcessTimes | None:
        """The instants are on the node's clock. Return None if the times are unknown."""


@dataclass(frozen=True, slots=True)
class NodeObservers:
    matches: Sequence[MatchObserver] = ()
    """The observers that are notified, in this order, of every match except reruns."""
    processes: ProcessMonitor | None = None
    """Measures the processes of bots; None if all bots run elsewhere."""
    sessions: Sequence[SessionObserver] = ()
    core_waits: CoreWaits | None = None
    """Samples for how long this process waits for a core; None if the system does not report it."""
