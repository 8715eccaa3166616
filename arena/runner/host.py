"""Where matches are played: on a server of our own inside this process, or on one that runs somewhere."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from arena.app import RunningNode, start_server
from arena.config.server_config import ServerConfig
from arena.errors import DeniedError
from arena.launch.process import Launcher
from arena.match.match_order import MatchReport
from arena.node.event_loop import NodeClock, StampingSelector
from arena.rpc.client import OrganizerClient
from arena.runner.match_reports import build_running_reports
from arena.runner.organizer import LocalOrganizer, Organizer
from arena.runner.process_sampler import sample_processes
from arena.store.token_identity import Scope

if TYPE_CHECKING:
    from arena.store.token_store import TokenStore

TOKEN_VARIABLE = "ARENA_TOKEN"  # noqa: S105  the name of a variable
_TOKEN_TTL = timedelta(days=30)
"""Tokens made for one run are revoked at its end; should that fail, they end by themselves."""
ORGANIZER = "arena command line"


class TemporaryTokens:
    """Tokens for the length of one run."""

    def __init__(self, tokens: "TokenStore") -> None:
        self._tokens = tokens
        self._handles: list[str] = []

    async def make(self, name: str, scope: Scope) -> str:
        """Make a token and give its secret."""
        secret = await self._tokens.create(name, [scope], _TOKEN_TTL)
        self._handles.append(secret[:12])
        return secret

    async def revoke(self) -> None:
        """Revoke what was made."""
        for handle in self._handles:
            await self._tokens.revoke(handle)
        self._handles.clear()


class TokenMaker(Protocol):
    """Makes tokens that are good for no longer than they are needed."""

    async def make(self, name: str, scope: Scope) -> str:
        """Make a token and give its secret."""


@dataclass(frozen=True, slots=True)
class Host:
    """A server that plays our matches."""

    address: str
    organizer: Organizer
    keys: TokenMaker | None
    """None: tokens cannot be made here."""
    data: Path
    """Folder that holds results, or would."""
    server: RunningNode | None = None
    """None: it is not ours."""
    launchers: list[Launcher] = field(default_factory=list)
    """Of the bots that run here now."""

    @property
    def bot_output_folder(self) -> Path:
        """Takes what bots write."""
        return self.data / "bots"

    def running_matches(self) -> list[MatchReport]:
        """How the matches stand that our own server plays."""
        return [] if self.server is None else build_running_reports(self.server.node)

    @property
    def stalls_us(self) -> Sequence[int]:
        """How long our own server stood still while matches ran, each time, microseconds."""
        return () if self.server is None else tuple(self.server.node.stalls_us)


@asynccontextmanager
async def open_local_host(config: ServerConfig, clock: NodeClock, selector: StampingSelector) -> AsyncIterator[Host]:
    """Open a server in this process. Raises what `serving` raises."""
    launchers: list[Launcher] = []
    async with (
        sample_processes(launchers, clock.now) as processes,
        start_server(config, clock, selector, processes=processes) as server,
    ):
        keys = TemporaryTokens(server.store.tokens)
        try:
            yield Host(server.address, LocalOrganizer(server.matches), keys, config.data, server, launchers)
        finally:
            await keys.revoke()


@asynccontextmanager
async def connect_remote_host(address: str, token: str, data: Path | None, kept: Path) -> AsyncIterator[Host]:
    """Go to a server that runs. With its data folder tokens can be made, else `token` is the organizer's.

    `kept` takes what bots write where there is no such folder.
    Raises DeniedError without either, StoreError for the folder.
    """
    if data is None:
        if not token:
            raise DeniedError(f"no token for {address}: set {TOKEN_VARIABLE}, or name the server's folder with --data")
        async with OrganizerClient(address, token) as organizer:
            yield Host(address, organizer, None, kept)
        return
    from arena.store.open_store import open_store  # noqa: PLC0415  a node opens none, and starts in a third of the time

    async with await open_store(data) as store:
        keys = TemporaryTokens(store.tokens)
        try:
            async with OrganizerClient(address, token or await keys.make(ORGANIZER, Scope.ORGANIZE)) as organizer:
                yield Host(address, organizer, keys, data)
        finally:
            await keys.revoke()
