"""What a live page shows: a table as spectators may know it, and what has just happened there."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.replays.watch.drawing import Drawing
from arena.replays.watch.live_table import ToldLine


class LiveStatus(StrEnum):
    """What the page knows of the table."""

    CONNECTING = "connecting"
    """The server has been asked, and has not answered."""
    LIVE = "live"
    """The newest state is shown."""
    STOPPED = "stopped"
    """No server shows the table now. The page goes on when one does."""
    BUSY = "busy"
    """As many matches are watched as the server or this site allows."""
    OVER = "over"
    """The match is over."""


@dataclass(frozen=True, slots=True)
class LiveView:
    """A running match as its viewers see it now."""

    status: LiveStatus
    drawing: Drawing
    lines: Sequence[ToldLine] = ()
    """What has happened since this site follows the match, oldest first; the last 100 lines."""
    viewers: int = 0
    """Viewers of this table on this site."""
    is_open: bool = False
    """Whether its cards may be seen: the match is over, and no other game may still use its deal."""

    @property
    def newest(self) -> int:
        """The sequence of the newest line; 0 if there is none."""
        return self.lines[-1].sequence if self.lines else 0
