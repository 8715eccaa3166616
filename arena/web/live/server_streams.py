"""Follows matches on the server of a data folder, with a token that this process makes for itself."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Final

from arena.errors import DeniedError, EnvironmentFaultError
from arena.fleet.runner.host import TemporaryTokens
from arena.games.catalogue import load_codecs
from arena.match.feed.public_message import PublicMessage
from arena.match.referee.ports import MatchId
from arena.server.rpc.client_channel import find_own_server
from arena.server.rpc.watch_client import WatchClient
from arena.server.store.account_values import Scope
from arena.server.store.open_store import Store

_NAME: Final = "web pages"
"""The name of the token."""


class ServerStreams:
    """Opens streams of public messages. Close it at the end: then the token is revoked."""

    def __init__(self, folder: Path, store: Store) -> None:
        self._folder = folder
        self._tokens = TemporaryTokens(store.tokens)
        self._token = ""
        self._making = asyncio.Lock()

    async def follow(self, match_id: MatchId) -> AsyncGenerator[PublicMessage, None]:
        """Yield the public messages of a match until it is over, the first of them perhaps a snapshot.

        Raises EnvironmentFaultError if no server uses the folder or it is lost, UnknownNameError if it has no such
        match, and CapacityError, DeniedError or RequestError if it refuses.
        """
        address, tls = await asyncio.to_thread(find_own_server, self._folder)
        if not address:
            raise EnvironmentFaultError("no server uses the data folder")
        # A client for each match, because a server bounds the streams of one connection.
        async with WatchClient(address, await self._find_token(), load_codecs(), tls) as client:
            try:
                async with aclosing(client.watch_once(match_id)) as messages:
                    async for message in messages:
                        yield message
            except DeniedError:
                self._token = ""  # it has expired, or somebody has revoked it: the next stream has another one
                raise

    async def close(self) -> None:
        await self._tokens.revoke_all()

    async def _find_token(self) -> str:
        async with self._making:
            if not self._token:
                self._token = await self._tokens.make(_NAME, Scope.SPECTATE, Scope.RELAY)
            return self._token
