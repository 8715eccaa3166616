"""Declares the services through which a runner and its nodes call each other, and the values that they send.

    runner ── NodeLifecycle, NodeCalls ──▶ node
    runner ◀── ResultStore, DealStore, TokenService, RunnerEvents ── node

The store's ports serve as services without change. A node has clients for them, and the runner serves them from its
store. Each call raises what the other end raises, and LineCutError. A table, which contains a game, is sent as the
message defined here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from arena.bots.launch.programs import BotProgram
from arena.fleet.runner.job import MatchJobResult, NodeSetup, ResourceUsage
from arena.fleet.runner.kept_journal import JournalKeeper, KeptJournal
from arena.fleet.runner.service import Caller, Handlers, Service
from arena.fleet.runner.signed_ahead import ReceiptSigner
from arena.fleet.runner.started_bot import BotExit
from arena.games.catalogue import games
from arena.match.referee.deal import DealSecret
from arena.match.referee.facts import DealReceipt
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.ports import DealStore, GameRow, MatchId, MatchRow, ResultStore
from arena.match.referee.terms import describe_terms, terms_from_plain
from arena.match.value_class import value_class
from arena.server.node.deals import SharedTable
from arena.server.store.account_values import Revocations, TokenIdentity

if TYPE_CHECKING:
    from arena.fleet.runner.host import TemporaryTokens
    from arena.server.store.open_store import Store


@dataclass(slots=True)
class _Rows:
    match: MatchRow | None = None
    games: dict[int, GameRow] = field(default_factory=dict)
    """Games by number. A node adds a game again if no reply said that the game is stored."""


class SharedResults:
    """The result store as one node sees it; implements `ResultStore`.

    It keeps the rows of expected matches. It returns games without their events, because events are large and the node
    knows them.
    """

    def __init__(self, results: ResultStore, journal: KeptJournal | None = None) -> None:
        """With a `journal`, results are stored once it is written."""
        self._results = results
        self._journal = journal
        self.add_match = results.add_match
        self.match = results.match
        self.summaries = results.summaries
        self._expected: dict[MatchId, _Rows] = {}

    def expect(self, match_id: MatchId) -> None:
        self._expected[match_id] = _Rows()

    def take(self, match_id: MatchId) -> tuple[MatchRow, Sequence[GameRow]] | None:
        """Return and forget the rows of an expected match, with its games in order; None if its end was not stored."""
        rows = self._expected.pop(match_id)
        return None if rows.match is None else (rows.match, [game for _, game in sorted(rows.games.items())])

    async def move_matches(self, rows: Sequence[MatchRow]) -> None:
        """Raises StoreError."""
        self._require_journal()
        await self._results.move_matches(rows)

    async def add_games(self, match: MatchRow, rows: Sequence[GameRow]) -> None:
        """Raises StoreError, UnknownNameError, MatchMovedError."""
        self._require_journal()
        await self._results.add_games(match, rows)
        for row in rows:
            if row.match_id in self._expected:
                self._expected[row.match_id].games[row.game] = row

    async def end_match(self, row: MatchRow) -> None:
        """Raises StoreError, UnknownNameError, MatchMovedError."""
        self._require_journal()
        await self._results.end_match(row)
        if row.match_id in self._expected:
            self._expected[row.match_id].match = row

    async def games(self, match_id: MatchId) -> Sequence[GameRow]:
        """The games are in order, without their events."""
        return [replace(row, events=b"") for row in await self._results.games(match_id)]

    def _require_journal(self) -> None:
        if self._journal is not None:
            self._journal.require_written()


@value_class()
class SharedTableMessage:
    """The form in which a `SharedTable` is sent to a node."""

    match_id: MatchId
    terms: Mapping[str, Any]
    """The terms as `describe_terms` returns them."""
    secret: DealSecret
    created_at: float
    instance: str
    away: frozenset[str]
    records: tuple[bytes, ...]
    needs_everybody: bool = False
    receipts: tuple[DealReceipt, ...] = ()
    """What the runner has signed for a node that is away."""

    @classmethod
    def of(cls, table: SharedTable, receipts: tuple[DealReceipt, ...] = ()) -> "SharedTableMessage":
        return cls(
            match_id=table.match_id,
            terms=describe_terms(table.terms),
            secret=table.secret,
            created_at=table.created_at,
            instance=table.instance,
            away=table.away,
            records=tuple(table.records),
            needs_everybody=table.needs_everybody,
            receipts=receipts,
        )

    def restore(self) -> SharedTable:
        terms = terms_from_plain(self.terms, games())
        return SharedTable(
            self.match_id,
            terms,
            self.secret,
            self.created_at,
            self.instance,
            self.away,
            self.records,
            self.needs_everybody,
        )


class NodeLifecycle(Protocol):
    async def open(self, setup: NodeSetup) -> str:
        """Return the address. Raises StoreError, JournalError, PortBusyError."""

    def stop(self) -> None:
        """The node need not have been opened successfully."""


class TableNodeCalls(Protocol):
    """The calls to a node at which a league plays."""

    async def stop_bot(self, name: str) -> None:
        """`name` is that under which the bot plays."""

    async def give_up_bot(self, name: str, instance: str) -> None:
        """Give up the seats of a resident bot that will not come back."""

    async def open_tables(self, wanted: tuple[MatchId, ...]) -> tuple[MatchId, ...]:
        """Return which of these tables the node plays already; `play_shared_table` waits for their ends."""

    async def connected_bots(self, instance: str, game: str, preset: str) -> tuple[str, ...]:
        """Return the bots that are connected with this instance and play this game and preset."""

    async def usage(self) -> ResourceUsage:
        """Resident bots count too."""


class NodeCalls(TableNodeCalls, Protocol):
    """All calls to a node that is open."""

    async def play(
        self, order: MatchOrder, programs: Mapping[str, BotProgram], shown: tuple[str, ...]
    ) -> MatchJobResult:
        """Play a match with bots started for it alone. The report on a cancelled match shows the state at that moment.

        `programs` has the bots by their names at the table; the output of those in `shown` goes to stderr. Raises
        BotStartError, EnvironmentFaultError, and RequestError if the match is refused.
        """

    def cancel(self, key: str) -> None:
        """The order of the job has this key."""

    async def start_bot(self, name: str, program: BotProgram, instance: str, game: str, preset: str) -> None:
        """Wait until a resident bot has connected.

        Raises BotStartError if the bot does not start, or does not play this game and preset.
        """

    async def play_shared_table(self, table: SharedTableMessage) -> None:
        """Return once the match has ended and is stored.

        Raises JournalError for invalid records, and NotConnectedError if the table needs everybody and somebody is
        missing.
        """


class RunnerEvents(Protocol):
    def on_match_started(self, key: str, match_id: MatchId) -> None:
        """The match is that of the order with this key."""

    def on_progress(self, reports: tuple[MatchReport, ...]) -> None:
        """The reports contain only newly finished games."""

    def on_bot_exit(self, loss: BotExit) -> None:
        """A resident bot has ended by itself."""


class TokenService(Protocol):
    """Checks tokens, and creates those of bots that the node starts. These are revoked when the node has ended."""

    async def check(self, secret: str) -> TokenIdentity:
        """Raises DeniedError if the secret belongs to no valid token."""

    async def revocations_since(self, revision: int) -> Revocations:
        """Return what any process has revoked or rotated. Raises StoreError."""

    async def record_uses(self, uses: Mapping[str, float]) -> None:
        """The times are in seconds since 1970, by handle. Raises StoreError."""

    async def make_local(self, name: str, is_submitted: bool) -> str:
        """The name of a submitted bot is its owner's.

        Raises OptionError if an owner has the name of any other bot, or one that looks like it.
        """


NODE_LIFECYCLE: Final = Service(NodeLifecycle)
NODE: Final = Service(NodeCalls)
_RESULTS: Final = Service(ResultStore)
_DEALS: Final = Service(DealStore)
_TOKENS: Final = Service(TokenService)
RUNNER_EVENTS: Final = Service(RunnerEvents)
JOURNAL_KEEPER: Final = Service(JournalKeeper)
RECEIPT_SIGNER: Final = Service(ReceiptSigner)


@value_class()
class RunnerClient:
    results: ResultStore
    deals: DealStore
    tokens: TokenService
    events: RunnerEvents
    journal: JournalKeeper
    signer: ReceiptSigner
    """This and the journal are used by a node that is away."""

    @classmethod
    def at(cls, caller: Caller) -> "RunnerClient":
        return cls(
            _RESULTS.client(caller),
            _DEALS.client(caller),
            _TOKENS.client(caller),
            RUNNER_EVENTS.client(caller),
            JOURNAL_KEEPER.client(caller),
            RECEIPT_SIGNER.client(caller),
        )


def serve_runner(store: "Store", results: "SharedResults", keys: "TemporaryTokens", events: RunnerEvents) -> Handlers:
    return {
        **_RESULTS.handlers(results),
        **_DEALS.handlers(store.deals),
        **_TOKENS.handlers(_NodeTokens(store, keys)),
        **RUNNER_EVENTS.handlers(events),
    }


class _NodeTokens:
    """Implements `TokenService`. The tokens are revoked when the node ends."""

    def __init__(self, store: "Store", keys: "TemporaryTokens") -> None:
        self.check = store.tokens.check
        self.revocations_since = store.tokens.revocations_since
        self.record_uses = store.tokens.record_uses
        self.make_local = keys.make_local
