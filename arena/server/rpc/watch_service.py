"""Implements WatchService, which streams the public view of a match. The view comes from the feed that serves bots."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc

from arena.errors import ArenaError, UnknownNameError
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import StreamSequence
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.identity import TokenVerifier
from arena.server.node.node import Node
from arena.server.node.spectator import Spectator
from arena.server.rpc.auth import ANY_SCOPE, identify, require_scope
from arena.server.rpc.call_end import QuietIfCallerIsGone, refuse_call
from arena.server.rpc.caller import Caller, CallerReader
from arena.server.rpc.method_builder import decode_request
from arena.server.rpc.spectator_stream import check_spectator_capacity, run_spectator_stream
from cheatarena.v1 import watch_pb2

SERVICE = "cheatarena.v1.WatchService"
RESUMPTION_POLL_S = 0.1
"""Seconds between looks whether a match that an earlier server left goes on."""


class WatchService:
    """Streams public messages to spectators.

    A caller whose token has the scope `spectate` may watch any match, and everybody else with a token those of pools.
    """

    def __init__(
        self,
        node: Node,
        authority: TokenVerifier,
        callers: CallerReader,
        is_open: Callable[[MatchId], bool],
        is_of_pool: Callable[[MatchId], bool],
    ) -> None:
        """`is_open` returns whether a match is offered or running, or waits for its bots after a restart of the server.

        `is_of_pool` returns whether such a match was made by a pool.
        """
        self._is_open = is_open
        self._is_of_pool = is_of_pool
        self._node = node
        self._authority = authority
        self._callers = callers

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the service's handler for a server; frames are sent as bytes."""
        method: grpc.RpcMethodHandler[Any, bytes] = grpc.unary_stream_rpc_method_handler(self._watch)
        return grpc.method_handlers_generic_handler(SERVICE, {"WatchMatch": method})

    async def _watch(self, raw: bytes, context: grpc.aio.ServicerContext[Any, bytes]) -> None:
        caller = None
        with QuietIfCallerIsGone():
            try:
                caller = self._callers.read(context)
                await self._serve(raw, caller, context)
            except ArenaError as error:
                await refuse_call(context, error, self._node.admission, caller)

    async def _serve(self, raw: bytes, caller: Caller, context: grpc.aio.ServicerContext[Any, bytes]) -> None:
        """Stream the match that a request names. Raises ArenaError if the request is refused."""
        node = self._node
        with node.admission.admit_stream(caller.stream_group, caller.address):
            identity = await identify(caller, self._authority, ANY_SCOPE)
            request = decode_request(watch_pb2.WatchMatchRequest, raw)
            if not self._is_of_pool(MatchId(request.match_id)):
                require_scope(identity, "spectate")
            hosted = await self._find_match(MatchId(request.match_id))
            check_spectator_capacity(node, identity)
            is_spectator = "spectate" in identity.scopes  # authors learn the commitment when the match is over
            spectator = Spectator(node, identity, hosted.deal.secret.commitment if is_spectator else b"")
            feed, referee = hosted.room.feed, hosted.table.referee
            after = StreamSequence(request.after_sequence) if request.after_sequence else None
            await run_spectator_stream(
                node, spectator, lambda outbox: feed.watch(referee, outbox, after), feed.unwatch, context
            )

    async def _find_match(self, match_id: MatchId) -> HostedMatch:
        """Return a match that is offered or running. Wait for one that an earlier server left and that goes on soon.

        Raises UnknownNameError.
        """
        while True:
            matches = self._node.registry.matches.values()
            hosted = next((match for match in matches if match.match_id == match_id), None)
            if hosted is not None:
                return hosted
            if not self._is_open(match_id):
                raise UnknownNameError("match", match_id)
            await asyncio.sleep(RESUMPTION_POLL_S)
