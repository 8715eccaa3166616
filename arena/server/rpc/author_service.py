"""Implements AuthorService, through which the author of a bot reads the bot's own matches.

Stored matches come from an archive, in encoded pages. Running matches come from this node. A match in which the bot is
no entrant is refused exactly like a match that does not exist.
"""

import asyncio
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

import grpc

from arena.errors import OptionError, RequestError, UnknownNameError
from arena.match.referee.match_record import strike_counts_of
from arena.match.referee.scalars import EntrantIndex, StreamSequence
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.identity import TokenVerifier, account_of
from arena.server.node.node import Node
from arena.server.node.spectator import Spectator
from arena.server.rpc.caller import ANY_SCOPE, Caller, identify, require_scope
from arena.server.rpc.method_builder import MethodBuilder, decode_request, parse_page_token, read_page_size
from arena.server.rpc.watch_service import check_spectator_capacity, run_spectator_stream
from arena.server.store.account_values import Scope, TokenIdentity
from arena.server.wire.author_messages import (
    ListedMatch,
    PageCall,
    PageKind,
    ReplayCall,
    choose_entrant,
    own_entrants,
    own_result_message,
)
from arena.server.wire.proto_codec import terms_message
from cheatarena.v1 import author_pb2, match_pb2

if TYPE_CHECKING:
    from arena.server.store.owner_store import OwnerStore

SERVICE: Final = "cheatarena.v1.AuthorService"


class AuthorArchive(Protocol):
    """Reads stored matches for authors; all results are encoded.

    All calls of an `account` (see `account_of`) wait in one queue, and the accounts take turns.

    Every method raises UnknownNameError for a match without this bot, RequestError for a match that cannot be shown,
    CapacityError if too many calls wait, and StoreError.
    """

    async def list_games(self, account: str, call: PageCall) -> tuple[Sequence[ListedMatch], str]:
        """Return a page of a bot's matches, and the token of the next page."""

    async def read(self, account: str, call: PageCall | ReplayCall) -> bytes:
        """Return a page of a replay, of strikes or of figures."""


class AuthorService:
    """Requires the scope `play` of a bot's token, or `own` of its owner's."""

    def __init__(
        self,
        node: Node,
        methods: MethodBuilder,
        authority: TokenVerifier,
        archive: AuthorArchive,
        owners: "OwnerStore",
    ) -> None:
        """`authority` checks the tokens of streams; `methods` checks the tokens of all other calls."""
        self._node = node
        self._methods = methods
        self._authority = authority
        self._archive = archive
        self._owners = owners

    def handler(self) -> grpc.GenericRpcHandler:
        pb, build = author_pb2, self._methods.build
        methods = {
            "ListGames": build(pb.ListGamesRequest, ANY_SCOPE, self._list),
            "GetReplay": build(pb.GetReplayRequest, ANY_SCOPE, self._read_replay),
            "GetFaults": build(pb.GetFaultsRequest, ANY_SCOPE, self._read_faults),
            "GetFigures": build(pb.GetFiguresRequest, ANY_SCOPE, self._read_figures),
            "WatchSeat": grpc.unary_stream_rpc_method_handler(self._methods.build_counted(self._watch)),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def _find_bot(self, caller: TokenIdentity, asked: str) -> str:
        """Return the bot whose matches the caller reads: with an owner's token, `asked`, or the owner's only bot.

        Raises ScopeMissingError, UnknownNameError, and RequestError if the owner has to name a bot.
        """
        if Scope.OWN in caller.scopes:
            own = [bot.name for bot in (await self._owners.get(caller.name)).bots]
        else:
            require_scope(caller, Scope.PLAY)
            own = [caller.name]
        if asked in own:
            return asked
        if asked:
            raise UnknownNameError("bot of yours", asked, own)
        if len(own) != 1:
            raise RequestError(f"name one of your bots: {', '.join(own) or 'you have none yet'}")
        return own[0]

    # ---- stored matches

    async def _list(self, caller: TokenIdentity, request: author_pb2.ListGamesRequest) -> author_pb2.ListGamesResponse:
        bot = await self._find_bot(caller, request.bot)
        listed, following = await self._archive.list_games(account_of(caller), _page_call("games", bot, request))
        response = author_pb2.ListGamesResponse(next_page_token=following)
        running = self._find_running({each.match_id for each in listed if not each.is_over})
        for each in listed:
            hosted = running.get(each.match_id)
            if hosted is None:
                response.matches.add().ParseFromString(each.encoded)
            else:
                response.matches.append(_running_match_message(hosted, bot, self._terms_of(hosted)))
                await asyncio.sleep(0)  # the message of a long match takes a fraction of a millisecond
        return response

    async def _read_replay(self, caller: TokenIdentity, request: author_pb2.GetReplayRequest) -> bytes:
        bot = await self._find_bot(caller, request.bot)
        token = request.page_token
        if not (token.isascii() and (token.isdecimal() or not token) and len(token) < 10):
            raise OptionError("page_token", token, "expected next_page_token of the page before")
        entrant = request.entrant if request.HasField("entrant") else None
        game = request.game if request.HasField("game") else None
        call = ReplayCall(bot, request.match_id, entrant, game, int(token or 0))
        return await self._archive.read(account_of(caller), call)

    async def _read_faults(self, caller: TokenIdentity, request: author_pb2.GetFaultsRequest) -> bytes:
        bot = await self._find_bot(caller, request.bot)
        return await self._archive.read(account_of(caller), _page_call("faults", bot, request))

    async def _read_figures(self, caller: TokenIdentity, request: author_pb2.GetFiguresRequest) -> bytes:
        bot = await self._find_bot(caller, request.bot)
        return await self._archive.read(account_of(caller), _page_call("figures", bot, request))

    # ---- running matches

    async def _watch(self, caller: Caller, raw: bytes, context: "grpc.aio.ServicerContext[Any, bytes]") -> None:
        """Raises ArenaError if the request is refused."""
        node = self._node
        identity = await identify(caller, self._authority, ANY_SCOPE)
        request = decode_request(author_pb2.WatchSeatRequest, raw)
        bot = await self._find_bot(identity, request.bot)
        hosted = self._find_running({request.match_id}).get(request.match_id)
        own = () if hosted is None else own_entrants(hosted.terms.entrants, bot)
        if hosted is None or not own:
            raise UnknownNameError("match", request.match_id)
        entrant = EntrantIndex(choose_entrant(request.entrant if request.HasField("entrant") else None, own))
        check_spectator_capacity(node, identity)
        feed, referee = hosted.feed, hosted.table.referee
        after = StreamSequence(request.after_sequence) if request.after_sequence else None
        await run_spectator_stream(
            node,
            Spectator(node.limits, node.now, identity),
            lambda outbox: feed.watch_entrant(referee, entrant, outbox, after),
            feed.unwatch,
            context,
        )

    def _find_running(self, match_ids: Collection[str]) -> dict[str, HostedMatch]:
        """Return the matches with these ids that run here, by id."""
        matches = self._node.registry.matches.values()
        return {each.match_id: each for each in matches if each.match_id in match_ids and each.is_running}

    def _terms_of(self, hosted: HostedMatch) -> Any:
        return terms_message(hosted.terms, self._node.game_codecs[hosted.terms.game.name])


def _page_call(
    kind: PageKind,
    bot: str,
    request: author_pb2.ListGamesRequest | author_pb2.GetFaultsRequest | author_pb2.GetFiguresRequest,
) -> PageCall:
    """Raises OptionError for a bad size or token."""
    size = read_page_size(request.page_size)
    parse_page_token(request.page_token)
    return PageCall(kind, bot, request.match_id, size, request.page_token)


def _running_match_message(hosted: HostedMatch, name: str, terms: Any) -> author_pb2.OwnMatch:
    referee = hosted.table.referee
    places, strikes = [result.places_by_entrant for result in referee.results], strike_counts_of(referee)
    return author_pb2.OwnMatch(
        match_id=hosted.match_id,
        created_at_ms=round(hosted.created_at * 1000),
        state=match_pb2.MATCH_STATE_RUNNING,
        terms=terms,
        results=[own_result_message(entrant, places, strikes) for entrant in own_entrants(hosted.terms.entrants, name)],
    )
