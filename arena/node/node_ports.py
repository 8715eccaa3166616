"""What a hall needs from outside: a journal, rooms, luck, the date, and somewhere to do long work."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.match.ports import BackgroundRunner, Journal, MatchId, ResultT, Signer
from arena.match.scalars import Instant
from arena.match.strike_record import ConditionsSource, ProcessTimes
from arena.match.terms import Terms
from arena.node.hosted_match import HostedMatch, Room


def run_inline(work: Callable[[], ResultT], then: Callable[[ResultT], object]) -> None:
    """Do work right here: the `BackgroundRunner` of whoever has no loop to keep free."""
    then(work())


@dataclass(frozen=True, slots=True)
class Sources:
    """Where names, luck and the date come from."""

    new_id: Callable[[], MatchId]
    new_seed: Callable[[], bytes]
    """32 bytes, new ones each time."""
    wall_clock: Callable[[], float]
    """Seconds since 1970."""
    signer: Signer | None = None
    """Signs receipts; None: nobody gets any."""


class MatchObserver(Protocol):
    """Is told of the matches of a node, but not of reruns."""

    def on_match_started(self, booking: HostedMatch) -> None:
        """A match has begun, maybe on another node."""

    def on_match_ended(self, booking: HostedMatch) -> None:
        """A match is over; it may never have begun."""


class ProcessMonitor(Protocol):
    """Knows the processes of bots that were started here."""

    def process_times(self, name: str, since: Instant, now: Instant) -> ProcessTimes | None:
        """Tell what a bot's process did between two instants of the node's clock; None: nobody knows."""


@dataclass(frozen=True, slots=True)
class NodeObservers:
    """Who watches a node, and what it watches itself."""

    matches: Sequence[MatchObserver] = ()
    """Told of every match, in this order."""
    processes: ProcessMonitor | None = None
    """Knows the processes of bots; None: bots run elsewhere."""


@dataclass(frozen=True, slots=True)
class NodePorts:
    """What a hall needs from outside to open a table."""

    journal: Journal
    build_room: Callable[[int, Terms, Sequence[bytes]], Room]
    """Makes the room of a match: number, terms, each entrant's seed."""
    sources: Sources
    max_matches: int = 4096
    keeps_records: bool = True
    background: BackgroundRunner = run_inline
    witness: ConditionsSource | None = None
    """Sees how things stand with a guest who has a fault."""
    observers: Sequence[MatchObserver] = ()
