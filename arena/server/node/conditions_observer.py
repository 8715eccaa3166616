"""Records the conditions of the bot, the connection and the server when an answer is late, illegal or missing.

Ordinary decisions are not measured. Sessions and the loop record only unusual waits, and everything else is looked up
when a strike happens. Nothing that bots report about themselves is used.
"""

from collections.abc import Callable, Mapping
from typing import Final

from arena.match.referee.scalars import Instant, SessionKey
from arena.match.referee.strike_record import Conditions
from arena.server.node.event_loop import LONG_WAIT_US, StampingSelector
from arena.server.node.observers import ProcessMonitor
from arena.server.node.session import Session
from arena.server.node.session_registry import SessionRegistry

_OPEN_COUNT_TTL_US: Final = 5_000
"""How long a count of open prompts is reused. A bot with many seats may get many strikes at the same time, and the
count then serves for all of them."""


class ConditionsObserver:
    """Implements `arena.match.referee.strike_record.ConditionsSource`."""

    def __init__(
        self,
        clock: Callable[[], Instant],
        sessions: Mapping[SessionKey, Session],
        seats: SessionRegistry,
        selector: StampingSelector,
        processes: ProcessMonitor | None,
    ) -> None:
        """`clock` returns microseconds since the node started. `processes` is None if all bots run elsewhere."""
        self._processes = processes
        self._seats = seats
        self._clock = clock
        self._sessions = sessions
        self._selector = selector
        self._open_counts: dict[SessionKey, tuple[int, dict[int, int]]] = {}
        """By session: when its open prompts were last counted, and their number by match."""

    def observe_conditions(self, key: SessionKey, match: int, since: Instant, until: Instant) -> Conditions:
        """At `since` the match sent a prompt; at `until` the answer arrived or was found missing."""
        session, now = self._sessions.get(key), self._clock()
        process = None if self._processes is None else self._processes.process_times(key, since, now)
        present_pass_us = now - max(since, self._selector.returned)
        lag = max(self._selector.waits.longest_since(since), present_pass_us if present_pass_us > LONG_WAIT_US else 0)
        if session is None:
            return Conditions(False, loop_lag_us=lag, process=process)
        heard, alive = session.last_decisions_before(until), session.heard_at
        return Conditions(
            is_connected=True,
            round_trip_us=session.round_trip_us,
            sending_us=session.max_send_delay_us(since, now),
            loop_lag_us=lag,
            heard_us=heard - since if heard is not None and heard > since else None,
            open_count=self._open_count(key, match, now),
            process=process,
            alive_us=alive - since if alive > since else None,
        )

    def _open_count(self, key: SessionKey, match: int, now: Instant) -> int:
        """Return how many prompts the session has not answered in its other matches."""
        counted_at, counts = self._open_counts.get(key, (now - _OPEN_COUNT_TTL_US, {}))
        if now - counted_at >= _OPEN_COUNT_TTL_US:
            counts = {
                hosted.number: sum(not is_answered for _, is_answered in hosted.table.referee.prompts_of(entrant))
                for hosted, entrant in self._seats.seats_of(key)
                if hosted.is_running
            }
            self._open_counts[key] = now, counts
        return sum(counts.values()) - counts.get(match, 0)
