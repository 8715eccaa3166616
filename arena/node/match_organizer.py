"""Makes the matches of a node, ends them on request and tells how they went, whether asked by gRPC or in process."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from arena.errors import NotConnectedError, OptionError, UnknownNameError
from arena.match.match_order import RequestedTerms, build_terms
from arena.match.ports import DealRow, DealStore, GameRow, MatchId, MatchRow, ResultStore
from arena.match.terms import Terms
from arena.node.deal_committer import DealCommitter
from arena.node.hosted_match import HostedMatch
from arena.node.idempotency import IdempotencyCache
from arena.node.node import Node

MAX_KEY_LENGTH: Final = 64


class ResultWaiter(Protocol):
    """Knows when a match and its results are kept."""

    def expect(self, match_id: MatchId) -> None:
        """A match is made; `wait_until_stored` waits for its end from now on."""

    async def wait_until_stored(self, match_id: MatchId) -> None:
        """Return when the match is over and stored. Raises StoreError when it cannot be stored."""


@dataclass(frozen=True, slots=True)
class CreationRequest:
    """A match that is to be made."""

    terms: RequestedTerms
    seed: bytes
    """Decides all cards; empty: drawn here."""
    key: str
    """Makes the request repeatable: the same key gives the same match; empty: it is not."""
    digest: bytes
    """Of everything that is asked for, to tell a repeated request from another one with its key."""


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as the store has it."""

    row: MatchRow
    games: Sequence[GameRow]

    @property
    def match_id(self) -> MatchId:
        """Names the match."""
        return self.row.match_id


MatchState = HostedMatch | StoredMatch
"""A match that runs or is offered here, or one that is in the store."""


class MatchOrganizer:
    """Organizes the matches of one node."""

    def __init__(
        self, node: Node, results: ResultStore, deals: DealStore, endings: ResultWaiter, creations: IdempotencyCache
    ) -> None:
        self._node = node
        self._results = results
        self._deals = deals
        self._endings = endings
        self._committer = DealCommitter(node, deals)
        self._creations = creations
        self._games = {name: codec.game for name, codec in node.game_codecs.items()}
        self._making: dict[object, asyncio.Task[tuple[HostedMatch, DealRow]]] = {}
        """By idempotency key, or by nothing in particular."""

    async def create(self, request: CreationRequest) -> tuple[MatchState, DealRow | None]:
        """Make a match, or give the one that this request has made before.

        Raises KeyReusedError, NotConnectedError, CapacityError, StoreError, and what `build_terms` raises.
        """
        key = request.key
        if len(key) > MAX_KEY_LENGTH:
            raise OptionError("idempotency_key", key, f"at most {MAX_KEY_LENGTH} characters")
        while key and (same := self._making.get(key)) is not None:
            await asyncio.wait({same})
        known = self._creations.find(key, request.digest, self._node.now())
        return await self._make_shielded(request) if known is None else await self.describe(known)

    async def describe(self, match_id: MatchId) -> tuple[MatchState, DealRow | None]:
        """Tell how a match stands, and its deal. Raises UnknownNameError."""
        if self._find_running(match_id) is None:
            await self._endings.wait_until_stored(match_id)  # between its end and its store a match is nowhere else
        deal = await self.find_deal(match_id)
        return self._find_running(match_id) or await self.wait_for_end(match_id), deal

    async def wait_for_end(self, match_id: MatchId) -> StoredMatch:
        """Return when a match is over and kept. Raises UnknownNameError."""
        await self._endings.wait_until_stored(match_id)
        return StoredMatch(await self._results.match(match_id), await self._results.games(match_id))

    async def find_deal(self, match_id: MatchId) -> DealRow | None:
        """Give a match's deal; None for a match that has none."""
        return await self._deals.deal(match_id)

    async def cancel(self, match_id: MatchId) -> None:
        """End a match now, if it runs here; return when it is kept."""
        booking = self._find_running(match_id)
        if booking is not None:
            self._node.inbox.drain()
            now = self._node.now()
            self._node.hall.cancel(booking.number, now, now)
            await self._endings.wait_until_stored(match_id)

    async def list_ids(self, limit: int, before: MatchId | None) -> list[MatchId]:
        """List stored matches, newest first, older than `before`."""
        return [row.match_id for row in await self._results.matches(limit, before)]

    async def close(self) -> None:
        """Return when every match that is being made is offered, and no deal lies ready any more."""
        while self._making:
            await asyncio.wait(self._making.values())
        await self._committer.close()

    # ---- inside

    async def _make_shielded(self, request: CreationRequest) -> tuple[HostedMatch, DealRow]:
        """Make a match even if the caller goes away: a deal that is in the chain is offered and opened."""
        making = asyncio.create_task(self._make(request))
        key = request.key or object()
        self._making[key] = making
        making.add_done_callback(lambda done: self._on_made(key, done))
        return await asyncio.shield(making)

    def _on_made(self, key: object, making: "asyncio.Task[tuple[HostedMatch, DealRow]]") -> None:
        del self._making[key]
        if not self._making:
            self._committer.schedule_fill()
        if not making.cancelled():
            making.exception()  # is told to the caller, if it still waits

    async def _make(self, request: CreationRequest) -> tuple[HostedMatch, DealRow]:
        """Make a match: its deal is in the journal and in the store's chain before a seat is offered."""
        node, booking = self._node, self._reserve(build_terms(request.terms, self._games), request.seed)
        try:
            deal = booking.assigned_deal.row or await self._committer.commit(booking.assigned_deal)
        except BaseException:
            node.hall.drop_reservation(booking)
            raise
        await node.resumed.wait()
        self._endings.expect(booking.match_id)
        self._creations.add(request.key, request.digest, booking.match_id)
        node.hall.offer_seats(booking, node.now())
        node.rearm_timer()
        return booking, deal

    def _reserve(self, terms: Terms, seed: bytes) -> HostedMatch:
        """Make a match. Raises NotConnectedError naming everybody who is missing, not the first alone."""
        hall = self._node.hall
        try:
            return hall.reserve(terms, self._node.now(), seed)
        except UnknownNameError as error:
            connected = {key[0] for key in hall.sessions.by_key}
            missing = [name for name in terms.entrants if name.partition("/")[0] not in connected]
            if missing:
                raise NotConnectedError(missing) from error
            raise

    def _find_running(self, match_id: MatchId) -> HostedMatch | None:
        bookings = self._node.hall.matches.values()
        return next((booking for booking in bookings if booking.match_id == match_id), None)
