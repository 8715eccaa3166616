"""Opens a server inside this process to play matches, or connects to a running one."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from arena.bots.launch.box_port import OpenBoxes
from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.programs import BotProgram
from arena.errors import DeniedError, IsolationError
from arena.fleet.assembly.node import RunningNode
from arena.fleet.assembly.server import start_server
from arena.fleet.runner.boxes import boxes_opener
from arena.fleet.runner.organizer import LocalOrganizer, Organizer, build_running_reports
from arena.fleet.runner.process_sampler import sample_processes
from arena.match.referee.match_order import MatchReport
from arena.match.referee.referee import Referee
from arena.server.config.server_config import ServerConfig
from arena.server.node.event_loop import NodeClock, StampingSelector
from arena.server.rpc.client import OrganizerClient
from arena.server.store.account_values import Scope
from cheatarena.tls_settings import TlsSettings

if TYPE_CHECKING:
    from arena.server.store.token_store import TokenStore

TOKEN_VARIABLE = "ARENA_TOKEN"  # noqa: S105  the name of a variable
TOKEN_TTL = timedelta(days=30)
"""Lifetime of the tokens of one run. They are revoked when the run ends, unless it is killed."""
HANDLE_LENGTH = 12
"""The characters of a secret that are its handle."""
ORGANIZER = "arena command line"
"""The name of the token with which a command creates matches."""


class TemporaryTokens:
    """The tokens are revoked when a run ends."""

    def __init__(self, tokens: "TokenStore") -> None:
        self._tokens = tokens
        self._handles: list[str] = []

    async def make(self, name: str, *scopes: Scope) -> str:
        return self._keep(await self._tokens.create(name, scopes, TOKEN_TTL))

    async def make_local(self, name: str, is_submitted: bool) -> str:
        """The name of a submitted bot is its owner's.

        Raises OptionError if an owner has the name of any other bot, or one that looks like it.
        """
        if is_submitted:
            return await self.make(name, Scope.PLAY)
        return self._keep(await self._tokens.create_local(name, TOKEN_TTL))

    def _keep(self, secret: str) -> str:
        self._handles.append(secret[:HANDLE_LENGTH])
        return secret

    async def revoke_all(self, reopened: "TokenStore | None" = None) -> None:
        """`reopened` is the store if it was closed meanwhile and is open again."""
        for handle in self._handles:
            await (reopened or self._tokens).revoke(handle)
        self._handles.clear()


class LocalTokens(Protocol):
    """Creates the tokens of bots that are started here. They are valid only as long as they are needed."""

    async def make_local(self, name: str, is_submitted: bool) -> str:
        """The name of a submitted bot is its owner's.

        Raises OptionError if an owner has the name of any other bot, or one that looks like it.
        """


@dataclass(frozen=True, slots=True)
class Host:
    """A server that plays the matches of this process."""

    address: str
    organizer: Organizer
    keys: LocalTokens | None
    """None if tokens cannot be created."""
    data: Path
    """Folder for results and for the output of bots."""
    server: RunningNode | None = None
    """None if the server runs elsewhere."""
    launchers: list[Launcher] = field(default_factory=list)
    """The launchers of the bots that this process runs now."""
    public_address: str = ""
    """The address for bots that others start; empty if `address` is right for them too."""
    remote_keys: TemporaryTokens | None = None
    """Creates the tokens of bots that others start; None if tokens cannot be created for them."""
    tls: TlsSettings = field(default_factory=TlsSettings)
    """How a bot that this process starts secures its connection to `address`."""
    boxes: BoxSettings | None = None
    """How bots that nobody trusts are boxed; None if this process starts none of them."""
    socket: str = ""
    """The address for bots in boxes, `unix:PATH`; empty if no box can reach the server."""
    more_niceness: int = 0
    """How much lower the priority of resident bots is than usual."""

    @property
    def bot_output_folder(self) -> Path:
        return self.data / "bots"

    @property
    def open_boxes(self) -> OpenBoxes:
        return boxes_opener(self.boxes)

    def address_for(self, program: BotProgram) -> str:
        """Raises IsolationError if no box can reach the server."""
        if not program.is_boxed:
            return self.address
        if not self.socket:
            raise IsolationError([f"bots in boxes have no network, and {self.address} is no Unix socket"])
        return self.socket

    async def make_bot_token(self, name: str, *, is_submitted: bool = False) -> str:
        """Call it only if there are `keys`.

        Raises OptionError if the bot was not submitted and an owner has this name or one that looks like it.
        """
        assert self.keys is not None, "only a host that creates tokens starts bots"
        return await self.keys.make_local(name, is_submitted)

    @asynccontextmanager
    async def open_launcher(self, outputs: Path, echo: Callable[[str], None] | None = None) -> AsyncIterator[Launcher]:
        """Bots are sampled while they run, and ended on exit. `Launcher` explains the arguments."""
        launcher = Launcher(outputs, echo=echo, tls=self.tls, open_boxes=self.open_boxes)
        self.launchers.append(launcher)
        try:
            yield launcher
        finally:
            await asyncio.to_thread(launcher.close)
            self.launchers.remove(launcher)

    def running_matches(self) -> list[MatchReport]:
        return [] if self.server is None else build_running_reports(self.server.node)

    def running_referees(self) -> list[Referee]:
        if self.server is None:
            return []
        return [hosted.table.referee for hosted in self.server.node.registry.matches.values()]

    @property
    def stalls_us(self) -> Sequence[int]:
        """Each stall while matches ran, in microseconds; none if the server runs elsewhere."""
        return () if self.server is None else tuple(self.server.node.stalls_us)


@asynccontextmanager
async def open_local_host(config: ServerConfig, clock: NodeClock, selector: StampingSelector) -> AsyncIterator[Host]:
    """Raises what `start_server` raises. Bots in boxes reach the first Unix socket on which it listens."""
    launchers: list[Launcher] = []
    async with (
        sample_processes(launchers, clock.now) as processes,
        start_server(config, clock, selector, processes=processes) as server,
    ):
        keys = TemporaryTokens(server.store.tokens)
        try:
            yield Host(
                server.address,
                LocalOrganizer(server.matches),
                keys,
                config.data,
                server,
                launchers,
                remote_keys=keys,
                boxes=config.boxes,
                socket=next(iter(server.sockets), ""),
            )
        finally:
            await keys.revoke_all()


@asynccontextmanager
async def connect_remote_host(
    address: str, token: str, data: Path | None, output_folder: Path, tls: TlsSettings
) -> AsyncIterator[Host]:
    """Connect to a running server.

    `data` is the server's data folder. Tokens can be created in it, and it receives the output of bots. Without `data`,
    `token` must be an organizer's token, and `output_folder` receives the output of bots.
    Raises DeniedError if neither `data` nor `token` is given, StoreError if the data folder cannot be opened, and
    RequestError for a bad file in `tls`.
    """
    if data is None:
        if not token:
            raise DeniedError(f"no token for {address}: set {TOKEN_VARIABLE}, or name the server's folder with --data")
        async with OrganizerClient(address, token, tls) as organizer:
            yield Host(address, organizer, None, output_folder)
        return
    from arena.server.store.data_folder import public_address_of_holder  # noqa: PLC0415  as the next one
    from arena.server.store.open_store import open_store  # noqa: PLC0415  not needed by a node, which starts three times as fast without

    async with await open_store(data) as store:
        keys = TemporaryTokens(store.tokens)
        try:
            token = token or await keys.make(ORGANIZER, Scope.ORGANIZE)
            async with OrganizerClient(address, token, tls) as organizer:
                public = public_address_of_holder(data)
                yield Host(address, organizer, keys, data, public_address=public, remote_keys=keys, tls=tls)
        finally:
            await keys.revoke_all()
