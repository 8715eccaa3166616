"""Ends replaced versions of submitted bots that hold no seat, and programs that play as a version of another one.

The process that runs submitted bots lets a version retire (`TokenStore.retire`), and sees here that it is done: its
token is revoked, and its stream ends. So nothing has to be agreed with the bot, whatever it is written in.

A program that runs elsewhere may have named a version before it was handed in. Its session ends then: from that moment
on, all games of the version are played by the program that was handed in.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Final

from arena.errors import StoreError, UnknownNameError
from arena.log_lines import get_logger
from arena.server.node.identity import SessionKey
from arena.server.node.session import Session

log = get_logger(__name__)

LOOK_INTERVAL_S: Final = 0.5
"""Seconds between looks for versions whose last game is over."""


class Retirement:
    """Ends the tokens of versions that have no game left. Run `run` as a task."""

    def __init__(
        self,
        sessions: Mapping[SessionKey, Session],
        count_seats: Callable[[SessionKey], int],
        has_earlier_expiry: Callable[[str], bool],
        revoke: Callable[[str], Awaitable[object]],
        are_seats_known: Callable[[], bool],
        list_new_versions: Callable[[], Awaitable[Collection[tuple[str, str]]]],
    ) -> None:
        """`count_seats` counts offers too. `has_earlier_expiry` and `revoke` take the public part of a token.

        `are_seats_known` returns False while matches of the last server are not taken up yet. `list_new_versions`
        returns bot and version of what was handed in lately.
        """
        self._sessions = sessions
        self._count_seats = count_seats
        self._has_earlier_expiry = has_earlier_expiry
        self._revoke = revoke
        self._are_seats_known = are_seats_known
        self._list_new_versions = list_new_versions

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
        for session in self._sessions.values():
            if session.is_submitted and self._has_earlier_expiry(session.handle):
                session.retire()
        if not self._are_seats_known():
            return
        done = [each for each in self._sessions.values() if each.is_retiring and not self._count_seats(each.key)]
        for session in done:
            try:
                await self._revoke(session.handle)
            except UnknownNameError:  # its token was made in another store
                continue
            session.end("token_revoked", "another version has replaced this one, whose last game is over")
            log.info("a replaced version has no game left", bot=session.key[0], version=session.version)

    async def _end_borrowed(self) -> None:
        """End the sessions of programs that named a version before it was handed in. Raises StoreError."""
        new = await self._list_new_versions()
        for session in list(self._sessions.values()):
            if not session.is_submitted and (session.key[0], session.version) in new:
                handed_in = f"version {session.version!r} was handed in, so the arena runs it"
                session.end("session_replaced", f"{handed_in}: give yours another one")
