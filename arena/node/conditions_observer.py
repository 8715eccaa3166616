"""Sees how bot, wire and server stood when an answer was late, illegal or missing; implements `match.fault.Witness`.

Nothing is measured for a decision: sessions and loop note what is out of the ordinary, and the rest is looked up when
there is a fault. What bots say of themselves is not asked for.
"""

from collections.abc import Callable, Mapping
from typing import Final

from arena.match.scalars import EntrantIndex, Instant
from arena.match.strike_record import Conditions
from arena.node.event_loop import StampingSelector
from arena.node.hosted_match import HostedMatch, SessionKey
from arena.node.node_ports import ProcessMonitor
from arena.node.session import Session
from arena.node.session_registry import SessionRegistry
from arena.node.wait_log import LONG_WAIT_US

_OPEN_COUNT_TTL_US: Final = 5_000
"""Questions are counted again after so long: a bot with many seats has many faults at a time."""


class ConditionsObserver:
    """Of one node."""

    def __init__(
        self,
        clock: Callable[[], Instant],
        sessions: Mapping[SessionKey, Session],
        seats: SessionRegistry,
        selector: StampingSelector,
        processes: ProcessMonitor | None,
    ) -> None:
        """`clock` gives microseconds since the node started. Without `processes` bots run elsewhere."""
        self._processes = processes
        self._seats = seats
        self._clock = clock
        self._sessions = sessions
        self._selector = selector
        self._counted: dict[SessionKey, tuple[int, dict[int, int]]] = {}
        """By session: when its open questions were counted last, and how many there were by match."""

    def observe_conditions(self, guest: SessionKey, match: int, since: Instant, until: Instant) -> Conditions:
        """Tell how things stood with a guest since a match asked it; its answer came `until`, or was found missing."""
        session, now = self._sessions.get(guest), self._clock()
        process = None if self._processes is None else self._processes.process_times(guest[0], since, now)
        lag = self._loop_lag_us(since, now)
        if session is None:
            return Conditions(False, loop_lag_us=lag, process=process)
        heard = session.last_decisions_before(until)
        return Conditions(
            is_connected=True,
            round_trip_us=session.round_trip.shortest_us,
            sending_us=session.max_send_delay_us(since, now),
            loop_lag_us=lag,
            heard_us=heard - since if heard is not None and heard > since else None,
            open_count=self._open_count(guest, match, now),
            process=process,
        )

    def _loop_lag_us(self, since: Instant, now: Instant) -> int:
        """The longest pass, the present one too."""
        present = now - max(since, self._selector.returned)
        return max(self._selector.waits.longest_since(since), present if present > LONG_WAIT_US else 0)

    def _open_count(self, guest: SessionKey, match: int, now: Instant) -> int:
        """Count what a guest is asked in its other matches."""
        counted_at, counts = self._counted.get(guest, (now - _OPEN_COUNT_TTL_US, {}))
        if now - counted_at >= _OPEN_COUNT_TTL_US:
            counts = {booking.number: _open_prompt_count(booking, e) for booking, e in self._seats.seats_of(guest)}
            self._counted[guest] = now, counts
        return sum(counts.values()) - counts.get(match, 0)


def _open_prompt_count(booking: HostedMatch, entrant: EntrantIndex) -> int:
    """How many questions of a match an entrant has not answered."""
    if not booking.is_running:
        return 0
    return sum(not is_answered for _, is_answered in booking.table.referee.prompts_of(entrant))
