"""Creates, cancels and describes the matches of a node, for gRPC callers and callers in the same process."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from arena.errors import ArenaError, NotConnectedError, OptionError, UnknownNameError
from arena.match.referee.match_order import RequestedTerms, build_terms
from arena.match.referee.ports import DealRow, DealStore, GameRow, MatchId, MatchRow, MatchSummary, ResultStore
from arena.match.referee.scalars import SessionKey
from arena.match.referee.terms import Terms
from arena.server.node.deal_committer import DealCommitter
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.idempotency import IdempotencyCache, OwnedKey
from arena.server.node.match_resumer import MatchResumer
from arena.server.node.node import Node
from arena.server.node.result_writer import ResultWriter

POOLS: Final = "pools"
"""The name under which pools create matches."""
MAX_KEY_LENGTH: Final = 64
CREATED_AT_ONCE: Final = 4
"""How many matches of one call are created at the same time. So the first ones begin before the last is created."""


@dataclass(frozen=True, slots=True)
class CreationRequest:
    terms: RequestedTerms
    seed: bytes = b""
    """The seed that determines all cards; if it is empty, the node draws one."""
    organizer: str = ""
    key: str = ""
    """The idempotency key: a repeated request with this key returns the same match. Empty if there is no key."""
    digest: bytes = b""
    """The digest of the whole request. It distinguishes a repeated request from another one with the same key."""
    instances: Mapping[str, str] = field(default_factory=dict)
    """By name, the instance of the session that gets the seat; only needed for a bot with several sessions."""
    before_offer: Callable[[MatchId], Awaitable[None]] | None = None
    """Called before the seats are offered. If it raises an error, there is no match."""
    needs_everybody: bool = False
    """Whether the match is withdrawn if an entrant does not accept its offer. Otherwise that entrant forfeits."""

    @property
    def owned_key(self) -> OwnedKey:
        return self.organizer, self.key


@dataclass(frozen=True, slots=True)
class StoredMatch:
    row: MatchRow
    games: Sequence[GameRow]

    @property
    def match_id(self) -> MatchId:
        return self.row.match_id


MatchState = HostedMatch | StoredMatch
"""A match that is offered or running on this node, or one from the store."""


class MatchOrganizer:
    """Organizes the matches of one node; implements `MatchHost` for its pools."""

    def __init__(
        self,
        node: Node,
        results: ResultStore,
        deals: DealStore,
        endings: ResultWriter,
        creations: IdempotencyCache,
        resumer: MatchResumer,
    ) -> None:
        self._node = node
        self._results = results
        self._deals = deals
        self._endings = endings
        self._committer = DealCommitter(node, deals)
        self._creations = creations
        self._resumer = resumer
        self._games = {name: codec.game for name, codec in node.game_codecs.items()}
        self._creating: dict[object, asyncio.Task[tuple[HostedMatch, DealRow]]] = {}
        """The creations in progress, by idempotency key, or by a fresh object if there is no key."""

    async def create(self, request: CreationRequest) -> tuple[MatchState, DealRow | None]:
        """Return a new match, or the one that this request created before.

        Raises KeyReusedError, NotConnectedError, CapacityError, StoreError, and what `build_terms` raises.
        """
        if len(request.key) > MAX_KEY_LENGTH:
            raise OptionError("idempotency_key", request.key, f"expected at most {MAX_KEY_LENGTH} characters")
        key = request.owned_key
        while request.key and (same := self._creating.get(key)) is not None:
            await asyncio.wait({same})
        known = self._creations.find(key, request.digest, self._node.now())
        if known is not None:
            return await self.describe(known)
        # The creation is shielded, so that it finishes even if the caller disconnects: a committed deal must be
        # revealed later.
        creation = asyncio.create_task(self._create_match(request))
        creation_key = key if request.key else object()
        self._creating[creation_key] = creation
        creation.add_done_callback(partial(self._on_created, creation_key))
        return await asyncio.shield(creation)

    async def make_match(
        self,
        terms: RequestedTerms,
        instances: Mapping[str, str],
        before_offer: Callable[[MatchId], Awaitable[None]],
    ) -> None:
        """Make a match of a pool, call `before_offer` with its id, and offer its seats. Raises ArenaError."""
        await self.create(
            CreationRequest(
                terms, organizer=POOLS, instances=instances, before_offer=before_offer, needs_everybody=True
            )
        )

    async def create_many(
        self, requests: Iterable[CreationRequest]
    ) -> tuple[list[tuple[int, MatchState, DealRow | None]], ArenaError | None]:
        """Create matches in the order of the requests, a few at a time. After a refusal, begin no further ones.

        Return the created matches, each with the index of its request and with its deal, and the error of the first
        refused request, which is one that `create` raises; None if no request was refused.
        """
        made: dict[int, tuple[MatchState, DealRow | None]] = {}
        refusals: dict[int, ArenaError] = {}
        numbered = enumerate(requests)

        async def create_one_by_one() -> None:
            while not refusals and (each := next(numbered, None)) is not None:
                index, request = each
                try:
                    made[index] = await self.create(request)
                except ArenaError as error:
                    refusals[index] = error

        async with asyncio.TaskGroup() as group:  # if one task fails unexpectedly, the others create no further matches
            for _ in range(CREATED_AT_ONCE):
                group.create_task(create_one_by_one())
        return [(index, *made[index]) for index in sorted(made)], refusals[min(refusals)] if refusals else None

    async def describe(self, match_id: MatchId) -> tuple[MatchState, DealRow | None]:
        """Raises UnknownNameError."""
        if match_id in self._resumer.waiting:
            standing = self._resumer.find_standing(match_id)
            return standing or await self._read_match(match_id), await self.find_deal(match_id)
        if self._find_running(match_id) is None:
            # A match that has just ended may not be stored yet. Until it is stored, there is nothing to describe.
            await self._endings.wait_until_stored(match_id)
        deal = await self.find_deal(match_id)
        return self._find_running(match_id) or await self.wait_for_end(match_id), deal

    def is_open(self, match_id: MatchId) -> bool:
        """Return whether a match is offered or running here, or waits until its bots are back."""
        return match_id in self._resumer.waiting or self._find_running(match_id) is not None

    def count_seats(self, key: SessionKey) -> int:
        """Return how many seats a session holds, is about to be offered, or owes to tables of leagues."""
        sessions = self._node.registry.sessions
        return sessions.count_seats(key) + sessions.awaited[key]

    async def wait_for_end(self, match_id: MatchId) -> StoredMatch:
        """Return when the match has ended and is stored. Raises UnknownNameError."""
        await self._endings.wait_until_stored(match_id)
        return await self._read_match(match_id)

    async def find_deal(self, match_id: MatchId) -> DealRow | None:
        return await self._deals.deal(match_id)

    async def cancel(self, match_id: MatchId) -> None:
        """Cancel a match if it runs here; return when it is stored."""
        if match_id in self._resumer.waiting:
            await self._resumer.resume_now(match_id)
        hosted = self._find_running(match_id)
        if hosted is not None:
            self._node.inbox.drain()
            now = self._node.now()
            self._node.registry.cancel(hosted.number, now, now)
            await self._endings.wait_until_stored(match_id)

    async def list_matches(
        self, limit: int, before: MatchId | None
    ) -> list[tuple[HostedMatch | MatchSummary, DealRow | None]]:
        """Return matches older than `before` that can be read, with their deals, newest first.

        A match that is offered or running on this node is a `HostedMatch`.
        """
        found = [each for each in await self._results.summaries(limit, before) if not each.damage]
        open_ids = {each.row.match_id for each in found if each.row.state != "ended"}
        running = {each.match_id: each for each in self._node.registry.matches.values() if each.match_id in open_ids}
        running |= {each: hosted for each in open_ids if (hosted := self._resumer.find_standing(each)) is not None}
        return [(running.get(each.row.match_id, each), each.deal) for each in found]

    async def close(self) -> None:
        """Return when every match in creation is offered and all ready deals are revealed."""
        while self._creating:
            await asyncio.wait(self._creating.values())
        await self._committer.close()

    # ---- inside

    async def _read_match(self, match_id: MatchId) -> StoredMatch:
        return StoredMatch(await self._results.match(match_id), await self._results.games(match_id))

    def _on_created(self, key: object, creation: "asyncio.Task[tuple[HostedMatch, DealRow]]") -> None:
        del self._creating[key]
        if not self._creating:
            self._committer.schedule_fill()
        if not creation.cancelled():
            creation.exception()  # marks the exception as retrieved; a waiting caller gets it from the shield

    async def _create_match(self, request: CreationRequest) -> tuple[HostedMatch, DealRow]:
        """Create a match; its deal is in the journal and in the store's chain before a seat is offered."""
        node, names = self._node, {name.partition("/")[0] for name in request.terms.entrants}
        terms = build_terms(request.terms, self._games, has_remote_bots=not all(map(node.has_started, names)))
        hosted = self._reserve(terms, request)
        try:
            deal = hosted.assigned_deal.row or await self._committer.commit(hosted.assigned_deal)
            if request.before_offer is not None:
                await request.before_offer(hosted.match_id)
        except BaseException:
            node.registry.drop_reservation(hosted)
            raise
        await node.resumed.wait()
        self._endings.expect(hosted.match_id)
        self._creations.add(request.owned_key, request.digest, hosted.match_id)
        node.registry.offer_seats(hosted, node.now())
        node.rearm_timer()
        if node.limits.leaves_matches:  # so that the next server knows every match that a caller was told about
            await node.journal.wait_until_flushed()
        return hosted, deal

    def _reserve(self, terms: Terms, request: CreationRequest) -> HostedMatch:
        """Raises NotConnectedError naming every missing entrant, not only the first."""
        registry = self._node.registry
        try:
            hosted = registry.reserve(terms, self._node.now(), request.seed, request.instances)
        except UnknownNameError as error:
            connected = {key[0] for key in registry.sessions.by_key}
            missing = [name for name in terms.entrants if name.partition("/")[0] not in connected]
            if missing:
                raise NotConnectedError(missing) from error
            raise
        if request.needs_everybody:
            hosted.required = frozenset(terms.entrant_indices)
        return hosted

    def _find_running(self, match_id: MatchId) -> HostedMatch | None:
        matches = self._node.registry.matches.values()
        return next((hosted for hosted in matches if hosted.match_id == match_id), None)
