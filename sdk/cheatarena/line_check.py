"""Notices a line that is dead one way: the server's frames arrive, and it answers no decision."""

from typing import Final

from cheatarena.errors import ProtocolError

ANSWER_TIMEOUT_S: Final = 10.0
"""Seconds that the server has to answer a decision."""
LOOK_S: Final = 1.0
"""Seconds between two looks. A server that has just stalled answers in between."""
MAX_AGE_S: Final = 1.0
"""An older frame tells nothing: this process was busy, and what it meant to send may have waited as long."""


class LineCheck:
    """Judges the line of one session by the frames that arrive, so a pause of either program counts as nothing."""

    def __init__(self) -> None:
        self._next_look_s = 0.0
        self._suspected_s: float | None = None
        """When the decision was sent that had no answer at the last look."""

    def is_due(self, sent_s: float, arrival_s: float) -> bool:
        """Return whether to call `look` after a frame that the server sent, and that arrived, at these times.

        All times are in seconds by the monotonic clock of this machine.
        """
        return sent_s >= self._next_look_s and arrival_s - sent_s <= MAX_AGE_S

    def look(self, sent_s: float, waiting_since_s: float) -> None:
        """Look at the oldest decision without an answer after a frame that the server sent at `sent_s`.

        `waiting_since_s` is when the decision was sent; infinite if none waits. Raises ProtocolError if the line is
        dead.
        """
        self._next_look_s = sent_s + LOOK_S
        if sent_s - waiting_since_s < ANSWER_TIMEOUT_S:
            return
        if waiting_since_s == self._suspected_s:
            raise ProtocolError(
                f"the server has answered nothing for {sent_s - waiting_since_s:.0f} s, although its messages arrive:"
                " the line, or a proxy on it, loses what this bot sends"
            )
        self._suspected_s = waiting_since_s
