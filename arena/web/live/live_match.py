"""Follows one match for all its viewers: folds its messages, renders each state once, and sends it to each viewer."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from enum import Enum
from typing import Final

from arena.errors import ArenaError, CapacityError
from arena.games.catalogue import watched_game_of
from arena.log_lines import get_logger
from arena.match.feed.public_message import PublicMessage
from arena.match.referee.ports import MatchId
from arena.replays.watch.live_table import LiveTable, ToldLine
from arena.web.live.event import Event, LiveStatus, LiveView, Rendered, render_live_view
from arena.web.live.viewer import Viewer

log = get_logger(__name__)

KEPT_LINES: Final = 100
"""Told lines on a page."""
BEAT_S: Final = 15.0
"""Seconds between two events, at most: so neither the page nor a proxy takes the stream for dead."""
_COUNT_S: Final = 2.0
"""Seconds between two events that say how many viewers there are, at least."""
_RETRY_S: Final = 0.5
"""Seconds before a lost stream of the server is opened again."""
_RECORD_S: Final = 10.0
"""Seconds that the store has to note the end of the match and to open its deal."""
_LOOK_S: Final = 0.05
"""Seconds between two looks into the store."""
_BATCH: Final = 256
"""Viewers that are sent an event before other requests have a turn."""
_MOST_LOAD: Final = 0.2
"""The most of a processor that the updates of a match take. With very many viewers, there are fewer updates."""

MessageSource = Callable[[MatchId], AsyncGenerator[PublicMessage, None]]
"""Opens the stream of a match's public messages. Raises an ArenaError if that is impossible, or when it is lost."""


class StoredEnd(Enum):
    """What the store says about the end of a match."""

    NONE = "none"
    """It has not ended."""
    SECRET = "secret"  # noqa: S105  no password
    """It has ended, but other games may still use its deal."""
    OPEN = "open"
    """It has ended, and its cards may be seen. So it is too if the store has no such match any more."""


class LiveMatch:
    """Run `run` as a task."""

    def __init__(
        self,
        match_id: MatchId,
        follow: MessageSource,
        find_end: Callable[[MatchId], Awaitable[StoredEnd]],
        update_s: float,
    ) -> None:
        """`find_end` asks the store; `update_s` is the least number of seconds between two updates."""
        self.match_id = match_id
        self.viewers: dict[Viewer, None] = {}
        self.is_ready = asyncio.Event()
        """Set when there is something to show: a table, or why there is none."""
        self.when_viewer_leaves: Callable[[Viewer], object] = lambda _: None
        self._follow = follow
        self._find_end = find_end
        self._update_s = update_s
        self._table = LiveTable(watched_game_of)
        self._lines = deque[ToldLine](maxlen=KEPT_LINES)
        self._status = LiveStatus.CONNECTING
        self._end = StoredEnd.NONE
        self._has_changed, self._has_new_count = asyncio.Event(), asyncio.Event()
        self._shown: Rendered | None = None
        """What every viewer who reads has been sent. None if there was nobody to send it to."""
        self._whole: Event | None = None
        self._is_closed = False

    async def run(self) -> None:
        """Follow the match until it is over. Then say so to the viewers, and end their streams."""
        async with asyncio.TaskGroup() as tasks:
            others = [tasks.create_task(self._publish_changes()), tasks.create_task(self._count())]
            while not self._table.is_over and (await self._find_end(self.match_id)) is StoredEnd.NONE:
                await self._follow_once()
            await self._wait_for_record()
            for task in others:
                task.cancel()
        self._note_status(LiveStatus.OVER)
        self._shown = None  # an update may have been interrupted: the last one is whole
        await self._publish()
        await self._send(Event("over", {}))
        self.close()

    # ---- viewers

    def render(self) -> Rendered:
        """Return what the viewers see: a page that shows it can join them with the next update."""
        if self._shown is None:
            self._shown = render_live_view(self._view(), self.match_id, self._table.faces)
        return self._shown

    def whole_event(self) -> Event:
        """Return the event that makes any page show what the viewers see."""
        if self._whole is None:
            self._whole = self.render().event_since(None)
        return self._whole

    def admit(self, viewer: Viewer, transport: asyncio.Transport, known_id: str) -> None:
        """`known_id` is the event that the viewer's page shows; empty if it shows none."""
        self.viewers[viewer] = None
        viewer.connect(transport)
        if self.render().event_id != known_id:
            viewer.send(self.whole_event())
        viewer.send(self._count_event())
        self._has_new_count.set()
        if self._is_closed:  # its place was needed for another match meanwhile: the page asks again
            viewer.close()

    def remove(self, viewer: Viewer) -> None:
        if viewer in self.viewers:
            del self.viewers[viewer]
            self._has_new_count.set()
            self.when_viewer_leaves(viewer)

    def close(self) -> None:
        """End the streams of all viewers, and of each that still comes."""
        self._is_closed = True
        for viewer in tuple(self.viewers):
            viewer.close()

    # ---- what the server sends

    async def _follow_once(self) -> None:
        """Follow the match until it is over or the stream is lost."""
        try:
            async with aclosing(self._follow(self.match_id)) as messages:
                async for message in messages:
                    self._add(message)
        except CapacityError:
            self._note_status(LiveStatus.BUSY)
        except ArenaError as error:
            if self._status is not LiveStatus.STOPPED:
                log.info("live stream lost", match=self.match_id, why=str(error))
            self._note_status(LiveStatus.STOPPED)
        if not self._table.is_over:
            await asyncio.sleep(_RETRY_S)

    def _add(self, message: PublicMessage) -> None:
        self._lines += self._table.add(message)
        self._note_status(LiveStatus.LIVE)
        if message.facts:
            self._has_changed.set()
            self.is_ready.set()

    def _note_status(self, status: LiveStatus) -> None:
        if status is not self._status:
            self._status = status
            self._has_changed.set()
        if status is not LiveStatus.LIVE:  # otherwise a state comes at once, or the match has not begun
            self.is_ready.set()

    async def _wait_for_record(self) -> None:
        """Wait until the store has the end, so that the links of the last update lead somewhere."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_RECORD_S):
                while self._end is StoredEnd.NONE:
                    self._end = await self._find_end(self.match_id)
                    await asyncio.sleep(_LOOK_S)

    # ---- what the viewers are sent

    def _view(self) -> LiveView:
        is_open = self._end is StoredEnd.OPEN
        return LiveView(self._status, self._table.drawing, tuple(self._lines), len(self.viewers), is_open)

    def _count_event(self) -> Event:
        return Event("viewers", len(self.viewers))

    async def _publish_changes(self) -> None:
        """Send an update as soon as something has changed, but not more often than the page may be updated."""
        while True:
            await self._has_changed.wait()
            begun, used = time.monotonic(), time.thread_time()
            await self._publish()
            pause_s = max(self._update_s, (time.thread_time() - used) / _MOST_LOAD)
            await asyncio.sleep(pause_s - (time.monotonic() - begun))

    async def _publish(self) -> None:
        self._has_changed.clear()
        earlier, self._shown, self._whole = self._shown, None, None
        if self.viewers:
            await self._send(self.render().event_since(earlier))

    async def _count(self) -> None:
        """Say how many viewers there are when that changes, and from time to time."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(BEAT_S):
                    await self._has_new_count.wait()
            self._has_new_count.clear()
            await self._send(self._count_event())
            await asyncio.sleep(_COUNT_S)

    async def _send(self, event: Event) -> None:
        viewers = tuple(self.viewers)
        for first in range(0, len(viewers), _BATCH):
            for viewer in viewers[first : first + _BATCH]:
                viewer.send(event)
            await asyncio.sleep(0)
