"""The store, as a node has it: every call is put to the runner, which alone opens it.

    node ── results.add_games ──▶ runner ──▶ SqlResults

Each call raises what the runner's store raises.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from arena.match.ports import DealRow, GameRow, MatchId, MatchRow
from arena.runner.channel import Answers, Line
from arena.store.token_identity import Revocations, Scope, TokenIdentity

if TYPE_CHECKING:
    from arena.runner.host import TemporaryTokens
    from arena.store.open_store import Store

_GAMES_A_LETTER: Final = 100
"""A letter holds everybody up who waits behind it; some hundred kilobytes take a millisecond or two."""


def answers_of(store: "Store", keys: "TemporaryTokens") -> Answers:
    """What a runner lets its nodes ask for."""
    results, deals, tokens = store.results, store.deals, store.tokens
    methods: tuple[Callable[..., Awaitable[Any]], ...] = (
        *(results.add_match, results.move_match, results.add_games, results.end_match, results.match, results.matches),
        *(deals.commit, deals.reveal, deals.deal),
        *(tokens.check, tokens.revocations_since, keys.make),
    )

    async def games(match_id: MatchId) -> list[GameRow]:
        """Without their events, which are large, and which the node has sent itself."""
        return [replace(row, events=b"") for row in await results.games(match_id)]

    return {method.__name__: method for method in (*methods, games)}


class RemoteResults:
    """Implements the `ResultStore` port."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def add_match(self, row: MatchRow) -> None:
        """Keep a new match."""
        await self._line.ask("add_match", row)

    async def move_match(self, row: MatchRow) -> None:
        """Keep a match that goes on in this node's journal."""
        await self._line.ask("move_match", row)

    async def add_games(self, rows: Iterable[GameRow]) -> None:
        """Keep finished games, some at a time; until the match's end is kept they may be added again."""
        games = list(rows)
        for first in range(0, len(games), _GAMES_A_LETTER):
            await self._line.ask("add_games", games[first : first + _GAMES_A_LETTER])

    async def end_match(self, row: MatchRow) -> None:
        """Replace the match's row by its final state."""
        await self._line.ask("end_match", row)

    async def match(self, match_id: MatchId) -> MatchRow:
        """Give a match."""
        row: MatchRow = await self._line.ask("match", match_id)
        return row

    async def games(self, match_id: MatchId) -> Sequence[GameRow]:
        """Give a match's finished games in order, without their events."""
        rows: list[GameRow] = await self._line.ask("games", match_id)
        return rows

    async def matches(self, limit: int, before: MatchId | None = None) -> Sequence[MatchRow]:
        """List matches, newest first, older than `before`."""
        rows: list[MatchRow] = await self._line.ask("matches", limit, before)
        return rows


class RemoteDeals:
    """Implements the `DealStore` port."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def commit(self, row: DealRow) -> DealRow:
        """Add a commitment to the chain."""
        committed: DealRow = await self._line.ask("commit", row)
        return committed

    async def reveal(self, match_id: MatchId, revealed: Mapping[str, Any]) -> None:
        """Keep what a commitment was opened with."""
        await self._line.ask("reveal", match_id, revealed)

    async def deal(self, match_id: MatchId) -> DealRow | None:
        """Give a match's deal; None for a match that has none."""
        row: DealRow | None = await self._line.ask("deal", match_id)
        return row


class RemoteTokens:
    """Implements the `RevocableTokens` port, and makes tokens for bots; they are revoked when the node has ended."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def check(self, secret: str) -> TokenIdentity:
        """Tell whose secret this is."""
        identity: TokenIdentity = await self._line.ask("check", secret)
        return identity

    async def revocations_since(self, revision: int) -> Revocations:
        """Give what any process revoked after a revision."""
        revoked: Revocations = await self._line.ask("revocations_since", revision)
        return revoked

    async def make(self, name: str, scope: Scope) -> str:
        """Make a token and give its secret."""
        secret: str = await self._line.ask("make", name, scope)
        return secret
