"""What a runner and its nodes call each other for; the line's messages follow from these declarations.

    runner ── NodeCalls ──▶ node
    runner ◀── ResultStore, DealStore, TokenService, RunnerEvents ── node

The store's ports are services as they are: a node has them as clients, the runner serves them from its store. Each
call raises what the other end raises, and LineCutError. Values that hold a game or a choice of programs have a message
here that crosses in their place.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from arena.games.catalogue import games
from arena.launch.programs import BotProgram, RemoteBot
from arena.match.deal import DealSecret
from arena.match.match_order import MatchOrder, MatchReport
from arena.match.ports import DealStore, MatchId, ResultStore
from arena.match.terms import describe_terms, terms_from_plain
from arena.node.shared_table import SharedTable
from arena.runner.bot_entrant import BotEntrant
from arena.runner.job import MatchJob, MatchJobResult, NodeSetup, ResourceUsage
from arena.runner.match_bots import BotExit
from arena.runner.service import Caller, Handlers, Service
from arena.store.token_identity import Revocations, Scope, TokenIdentity

if TYPE_CHECKING:
    from arena.runner.host import TemporaryTokens
    from arena.runner.shared_results import SharedResults
    from arena.store.open_store import Store


@dataclass(frozen=True, slots=True)
class BotMessage:
    """A `BotEntrant`."""

    name: str
    program: BotProgram | None
    """None: it dials in by itself."""
    remote_name: str = ""
    """Of the token with which it does."""

    @classmethod
    def of(cls, player: BotEntrant) -> "BotMessage":
        """The message for a bot."""
        if isinstance(player.program, RemoteBot):
            return cls(player.name, None, player.program.name)
        return cls(player.name, player.program)

    def restore(self) -> BotEntrant:
        """The bot."""
        return BotEntrant(self.name, RemoteBot(self.remote_name) if self.program is None else self.program)


@dataclass(frozen=True, slots=True)
class JobMessage:
    """A `MatchJob`."""

    order: MatchOrder
    players: tuple[BotMessage, ...]
    shown: tuple[str, ...]

    @classmethod
    def of(cls, job: MatchJob) -> "JobMessage":
        """The message for a job."""
        return cls(job.order, tuple(map(BotMessage.of, job.players)), job.shown)

    def restore(self) -> MatchJob:
        """The job."""
        return MatchJob(self.order, tuple(player.restore() for player in self.players), self.shown)


@dataclass(frozen=True, slots=True)
class SharedTableMessage:
    """A `SharedTable`."""

    match_id: MatchId
    terms: Mapping[str, Any]
    """As `describe_terms` gives them."""
    secret: DealSecret
    created_at: float
    instance: str
    away: frozenset[str]
    records: tuple[bytes, ...]

    @classmethod
    def of(cls, table: SharedTable) -> "SharedTableMessage":
        """The message for a table."""
        return cls(
            match_id=table.match_id,
            terms=describe_terms(table.terms),
            secret=table.secret,
            created_at=table.created_at,
            instance=table.instance,
            away=table.away,
            records=tuple(table.records),
        )

    def restore(self) -> SharedTable:
        """The table."""
        terms = terms_from_plain(self.terms, games())
        return SharedTable(self.match_id, terms, self.secret, self.created_at, self.instance, self.away, self.records)


class NodeCalls(Protocol):
    """What a runner has a node do."""

    async def open(self, setup: NodeSetup) -> str:
        """Listen, and give the address. Raises StoreError, JournalError, PortBusyError."""

    async def play(self, job: JobMessage) -> MatchJobResult:
        """Play a match with bots of its own; one that is cancelled is reported as it stands.

        Raises BotStartError, EnvironmentFaultError, and RequestError where the match is refused.
        """

    def cancel(self, key: str) -> None:
        """End the job whose order has this key now."""

    async def start_bot(self, player: BotMessage, instance: str, game: str, preset: str) -> None:
        """Have a bot stay there; return when it has connected. Raises BotStartError, also if it does not play this."""

    async def stop_bot(self, name: str) -> None:
        """End a bot that stays there."""

    async def give_up_bot(self, name: str, instance: str) -> None:
        """Give up the seats of a bot that stayed there and does not come back."""

    async def play_shared_table(self, table: SharedTableMessage) -> None:
        """Play a table with bots that stay there; return when it is over and kept.

        Raises JournalError for records that are none.
        """

    async def usage(self) -> ResourceUsage:
        """Give what the node and the bots that stay there have used so far."""

    def stop(self) -> None:
        """End in good order."""


class RunnerEvents(Protocol):
    """What a node tells its runner."""

    def on_match_started(self, key: str, match_id: MatchId) -> None:
        """The match of an order with this key is made."""

    def on_progress(self, reports: tuple[MatchReport, ...]) -> None:
        """Matches have games that were not told before; the reports hold these alone."""

    def on_bot_exit(self, loss: BotExit) -> None:
        """A bot that stayed there has ended by itself."""


class TokenService(Protocol):
    """Knows the tokens, and makes some for bots; these are revoked when the node has ended."""

    async def check(self, secret: str) -> TokenIdentity:
        """Tell whose secret this is. Raises DeniedError."""

    async def revocations_since(self, revision: int) -> Revocations:
        """Give what any process revoked after a revision. Raises StoreError."""

    async def make(self, name: str, scope: Scope) -> str:
        """Make a token and give its secret."""


NODE: Final = Service(NodeCalls)
_RESULTS: Final = Service(ResultStore)
_DEALS: Final = Service(DealStore)
_TOKENS: Final = Service(TokenService)
_EVENTS: Final = Service(RunnerEvents)


@dataclass(frozen=True, slots=True)
class RunnerClient:
    """A node's view of its runner."""

    results: ResultStore
    deals: DealStore
    tokens: TokenService
    events: RunnerEvents

    @classmethod
    def at(cls, caller: Caller) -> "RunnerClient":
        """The runner at the other end."""
        return cls(
            _RESULTS.client(caller),
            _DEALS.client(caller),
            _TOKENS.client(caller),
            _EVENTS.client(caller),
        )


def serve_runner(store: "Store", results: "SharedResults", keys: "TemporaryTokens", events: RunnerEvents) -> Handlers:
    """Return what a runner does for a node."""
    return {
        **_RESULTS.handlers(results),
        **_DEALS.handlers(store.deals),
        **_TOKENS.handlers(_NodeTokens(store, keys)),
        **_EVENTS.handlers(events),
    }


class _NodeTokens:
    """Implements `TokenService` with a store, and with tokens that end with the node."""

    def __init__(self, store: "Store", keys: "TemporaryTokens") -> None:
        self.check = store.tokens.check
        self.revocations_since = store.tokens.revocations_since
        self.make = keys.make
