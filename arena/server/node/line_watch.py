"""Watches the lines of bots, which may be dead one way: a proxy can lose what a bot sends, and bring what it gets.

A stream ends if its bot is silent although it was asked. So that a bot can watch the other direction, no acceptance
waits for long to be joined to a later message.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from arena.log_lines import get_logger
from arena.match.referee.scalars import Instant, SessionKey
from arena.server.node.bot_line import STEP_S
from arena.server.node.derived_instances import DerivedInstances
from arena.server.node.match_registry import MatchRegistry
from arena.server.node.session import Session

log = get_logger(__name__)

PING_INTERVAL_S = 10.0
"""Seconds between pings."""
SILENCE_S: Final = 25.0
"""Seconds for which a bot may be silent after a ping."""
THINKING_MARGIN_S: Final = 10.0
"""A bot with one thread is silent while it thinks. So it may be silent this much longer than it may think."""


class Pinger:
    """Belongs to the running loop."""

    def __init__(self, sessions: Mapping[SessionKey, Session], clock: Callable[[], Instant]) -> None:
        self._sessions = sessions
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._loop.call_later(PING_INTERVAL_S, self._ping_all)

    def _ping_all(self) -> None:
        for session in self._sessions.values():
            session.ping(self._clock())
        self._loop.call_later(PING_INTERVAL_S, self._ping_all)


class LineWatch:
    """Watches all sessions of a node. Belongs to the running loop.

    Silence is counted in looks, so a stall of the loop counts as one look, however long it is.
    """

    def __init__(
        self, sessions: Mapping[SessionKey, Session], registry: MatchRegistry, instances: DerivedInstances
    ) -> None:
        self._sessions = sessions
        self._registry = registry
        self._instances = instances
        self._loop = asyncio.get_running_loop()
        self._loop.call_later(STEP_S, self._look_again)

    def _look_again(self) -> None:
        self.look()
        self._loop.call_later(STEP_S, self._look_again)

    def look(self) -> None:
        """Send the acceptances that wait, and end the streams that are silent for too long or for which seats wait."""
        for hosted in self._registry.matches.values():
            if hosted.is_running:
                hosted.feed.send_held_back()
        for session in [*self._sessions.values()]:
            if session.is_waiting_for_bot:
                session.silence.count(STEP_S)
                if session.silence.seconds >= SILENCE_S and session.silence.seconds >= self._thinking_s(session):
                    self._end(session)
            if self._instances.find_abandoned(session.key) is not None:
                session.end("seats_wait", "the last run of this program is gone: come back to play its seats")

    def _thinking_s(self, session: Session) -> float:
        """Return for how long a bot may be silent because it thinks, in seconds; infinite without deadlines."""
        paces = [hosted.terms.pace for hosted, _ in self._registry.sessions.seats_of(session.key)]
        if any(pace.no_deadlines for pace in paces):
            return float("inf")
        return max((pace.turn_ms / 1000 + THINKING_MARGIN_S for pace in paces), default=0.0)

    def _end(self, session: Session) -> None:
        silent_s = session.silence.seconds
        log.warning("bot is silent", bot=session.key[0], instance=session.key[1], seconds=silent_s)
        session.end(
            "silent",
            f"nothing has come from the bot for {silent_s:.0f} s after a Ping: either the line loses what it sends, as"
            " a proxy may, or the bot answers no Ping while it works; it may come back",
        )
