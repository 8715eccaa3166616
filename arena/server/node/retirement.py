"""Ends replaced versions of submitted bots that hold no seat, and programs that play as a version of another one.

The process that runs submitted bots lets a version retire (`TokenStore.retire`), and sees here that it is done: its
token is revoked, and its stream ends. So nothing has to be agreed with the bot, whatever it is written in.

A program that runs elsewhere may have named a version before it was submitted. Its session ends then: from that moment
on, all games of the version are played by the program that was submitted.
"""

import asyncio
import time
from typing import TYPE_CHECKING, Final

from arena.errors import StoreError, UnknownNameError
from arena.log_lines import get_logger
from arena.server.node.match_resumer import MatchResumer
from arena.server.node.node import Node
from arena.server.node.token_streams import RevokedStreamCloser

if TYPE_CHECKING:
    from arena.server.store.submission_store import SubmissionStore
    from arena.server.store.token_store import TokenStore

log = get_logger(__name__)

LOOK_INTERVAL_S: Final = 0.5
"""Seconds between looks for versions whose last game is over."""
_NEW_VERSION_S: Final = 60.0
"""Seconds after its upload for which a version is new. There are far more looks for new ones."""


class Retirement:
    """Run `run` as a task."""

    def __init__(
        self,
        node: Node,
        closer: RevokedStreamCloser,
        resumer: MatchResumer,
        versions: "SubmissionStore",
        tokens: "TokenStore",
    ) -> None:
        self._node = node
        self._closer = closer
        self._resumer = resumer
        self._versions = versions
        self._tokens = tokens

    async def run(self) -> None:
        """Look for such versions until cancelled. While the store cannot be written, their tokens stay valid."""
        while True:
            await asyncio.sleep(LOOK_INTERVAL_S)
            try:
                await self.look()
            except StoreError as error:
                log.warning("a replaced version cannot be ended, trying again", fault=str(error))

    async def look(self) -> None:
        """Let sessions retire whose version was replaced, and end those that have no seat left, with their tokens.

        Raises StoreError.
        """
        await self._end_borrowed()
        sessions, seats = self._node.sessions, self._node.registry.sessions
        for session in sessions.values():
            if session.is_submitted and self._closer.has_earlier_expiry(session.handle):
                session.retire()
        if self._resumer.waiting:  # matches of the last server are not taken up yet
            return
        done = [each for each in sessions.values() if each.is_retiring and not seats.count_seats(each.key)]
        for session in done:
            try:
                await self._tokens.end_version(session.handle)
            except UnknownNameError:  # its token was made in another store
                continue
            session.end("token_revoked", "another version has replaced this one, whose last game is over")
            log.info("a replaced version has no game left", bot=session.key[0], version=session.version)

    async def _end_borrowed(self) -> None:
        """End the sessions of programs that named a version before it was submitted. Raises StoreError."""
        new = await self._versions.list_versions_since(time.time() - _NEW_VERSION_S)
        for session in list(self._node.sessions.values()):
            if not session.is_submitted and (session.key[0], session.version) in new:
                submitted = f"version {session.version!r} was submitted, so the arena runs it"
                session.end("session_replaced", f"{submitted}: give yours another one")
