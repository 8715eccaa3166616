"""All matches that are followed for viewers, and how many viewers there may be.

`WebLimits` says how often a viewer is told news; what a viewer may know, the feed of the match decides.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Final

from arena.log_lines import get_logger
from arena.match.referee.ports import MatchId
from arena.plurals import format_count
from arena.server.store.result_store import SqlResultStore
from arena.web.errors import RefusedError
from arena.web.limits import WebLimits
from arena.web.live.live_match import LiveMatch, MessageSource, StoredEnd
from arena.web.live.viewer import Viewer
from cheatarena.addresses import is_loopback_host

log = get_logger(__name__)

_FIRST_S: Final = 1.0
"""Seconds that the page of a match waits for the first state of its table."""
_RETRY_AFTER: Final = {"Retry-After": "30"}


@dataclass(slots=True)
class _Followed:
    match: LiveMatch
    task: "asyncio.Task[None]"
    leaving: asyncio.TimerHandle | None = None
    """Ends the stream when nobody has come for a while."""


class LiveTables:
    """Close it at the end."""

    def __init__(self, follow: MessageSource, results: SqlResultStore, limits: WebLimits) -> None:
        self._follow = follow
        self._results = results
        self._limits = limits
        self._followed: dict[MatchId, _Followed] = {}
        self._viewed: dict[str, Counter[MatchId]] = {}
        """Viewers by address and match."""

    @property
    def viewer_count(self) -> int:
        return sum(viewed.total() for viewed in self._viewed.values())

    @property
    def followed_ids(self) -> list[MatchId]:
        return list(self._followed)

    async def find(self, match_id: MatchId, wait_s: float | None = None) -> LiveMatch | None:
        """Return a match that is followed, with something to show if that comes in time.

        Return None if too many others are followed.
        """
        followed = self._followed.get(match_id) or self._begin(match_id)
        if followed is None:
            return None
        self._leave_later(followed)
        try:
            async with asyncio.timeout(_FIRST_S if wait_s is None else wait_s):
                await followed.match.is_ready.wait()
        except TimeoutError:
            pass
        return followed.match

    def reserve_place(self, address: str, match_id: MatchId) -> None:
        """Count a viewer of an address, until `free_place`.

        Raises RefusedError if there are too many, or if the address looks at too many matches.
        """
        limits, viewed = self._limits, self._viewed.get(address, Counter[MatchId]())
        if self.viewer_count >= limits.viewers:
            raise RefusedError(
                503,
                f"this site already has {format_count(limits.viewers, 'viewer')}, its most: reload the page later",
                _RETRY_AFTER,
            )
        is_limited = limits.binds_loopback or not is_loopback_host(address)
        if is_limited and viewed.total() >= limits.viewers_an_address:
            most = format_count(limits.viewers_an_address, "viewer")
            raise RefusedError(503, f"your address already has {most}, its most: reload the page later", _RETRY_AFTER)
        if is_limited and match_id not in viewed and len(viewed) >= limits.viewed_matches_an_address:
            most = format_count(limits.viewed_matches_an_address, "match")
            raise RefusedError(503, f"your address is already watching {most}, its most: close a page", _RETRY_AFTER)
        self._viewed.setdefault(address, viewed)[match_id] += 1

    def free_place(self, address: str, match_id: MatchId) -> None:
        viewed = self._viewed[address]
        viewed[match_id] -= 1
        if not viewed[match_id]:
            del viewed[match_id]
        if not viewed:
            del self._viewed[address]

    async def close(self) -> None:
        for followed in tuple(self._followed.values()):
            await self._end(followed)

    def _begin(self, match_id: MatchId) -> _Followed | None:
        if len(self._followed) >= self._limits.viewed_matches and not self._end_unwatched():
            return None
        match = LiveMatch(match_id, self._follow, self._find_end, self._limits.update_s)
        followed = self._followed[match_id] = _Followed(match, asyncio.create_task(match.run()))
        match.when_viewer_leaves = partial(self._note_leaving, followed)
        followed.task.add_done_callback(partial(self._note_end, followed))
        return followed

    def _end_unwatched(self) -> bool:
        """End the stream of a match without viewers; return whether there was one."""
        for followed in self._followed.values():
            if not followed.match.viewers:
                followed.task.cancel()
                del self._followed[followed.match.match_id]
                return True
        return False

    def _note_leaving(self, followed: _Followed, viewer: Viewer) -> None:
        self.free_place(viewer.address, followed.match.match_id)
        self._leave_later(followed)

    def _leave_later(self, followed: _Followed) -> None:
        """End the stream after a while, unless there are viewers then."""
        if followed.leaving is not None:
            followed.leaving.cancel()
        followed.leaving = asyncio.get_running_loop().call_later(self._limits.linger_s, self._leave, followed)

    def _leave(self, followed: _Followed) -> None:
        if not followed.match.viewers:
            followed.task.cancel()

    def _note_end(self, followed: _Followed, task: "asyncio.Task[None]") -> None:
        if followed.leaving is not None:
            followed.leaving.cancel()
        if self._followed.get(followed.match.match_id) is followed:
            del self._followed[followed.match.match_id]
        followed.match.close()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("live table failed", match=followed.match.match_id, exc_info=error)

    async def _find_end(self, match_id: MatchId) -> StoredEnd:
        found = await self._results.summary(match_id)
        if found is None or found.are_cards_open:
            return StoredEnd.OPEN
        return StoredEnd.SECRET if found.row.state == "ended" else StoredEnd.NONE

    async def _end(self, followed: _Followed) -> None:
        followed.task.cancel()
        await asyncio.wait([followed.task])
