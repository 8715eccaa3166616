"""WatchService, which streams the public view of a match, from the feed that serves bots.

Authors watch the seats of their bots by the same streams (`run_spectator_stream`).
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import grpc

from arena.errors import CapacityError, UnknownNameError
from arena.match.feed.outbox import Outbox
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import StreamSequence
from arena.plurals import format_count
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.identity import TokenVerifier, account_of
from arena.server.node.node import Node
from arena.server.node.spectator import Spectator
from arena.server.rpc.caller import ANY_SCOPE, Caller, identify, require_scope
from arena.server.rpc.method_builder import MethodBuilder, decode_request
from arena.server.rpc.refusals import make_status, retrieve_exception, status_code_of
from arena.server.store.account_values import TokenIdentity
from cheatarena.v1 import watch_pb2

SERVICE = "cheatarena.v1.WatchService"
RESUMPTION_POLL_S = 0.1
"""Seconds between looks whether a match that an earlier server left goes on."""


class WatchService:
    """Streams public messages to spectators.

    A token with the scope `spectate` lets a caller watch any match, any other token only those of pools.
    """

    def __init__(
        self,
        node: Node,
        authority: TokenVerifier,
        methods: MethodBuilder,
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
        self._methods = methods

    def handler(self) -> grpc.GenericRpcHandler:
        """Frames are sent as bytes."""
        method: grpc.RpcMethodHandler[Any, bytes] = grpc.unary_stream_rpc_method_handler(
            self._methods.build_counted(self._watch)
        )
        return grpc.method_handlers_generic_handler(SERVICE, {"WatchMatch": method})

    async def _watch(self, caller: Caller, raw: bytes, context: "grpc.aio.ServicerContext[Any, bytes]") -> None:
        """Raises ArenaError if the request is refused."""
        node = self._node
        identity = await identify(caller, self._authority, ANY_SCOPE)
        request = decode_request(watch_pb2.WatchMatchRequest, raw)
        if not self._is_of_pool(MatchId(request.match_id)):
            require_scope(identity, "spectate")
        hosted = await self._find_match(MatchId(request.match_id))
        check_spectator_capacity(node, identity)
        is_spectator = "spectate" in identity.scopes  # authors learn the commitment when the match is over
        commitment = hosted.deal.secret.commitment if is_spectator else b""
        spectator = Spectator(node.limits, node.now, identity, commitment)
        feed, referee = hosted.feed, hosted.table.referee
        after = StreamSequence(request.after_sequence) if request.after_sequence else None
        await run_spectator_stream(
            node, spectator, lambda outbox: feed.watch(referee, outbox, after), feed.unwatch, context
        )

    async def _find_match(self, match_id: MatchId) -> HostedMatch:
        """Wait for a match that an earlier server left and that goes on soon. Raises UnknownNameError."""
        while True:
            matches = self._node.registry.matches.values()
            hosted = next((match for match in matches if match.match_id == match_id), None)
            if hosted is not None:
                return hosted
            if not self._is_open(match_id):
                raise UnknownNameError("match", match_id)
            await asyncio.sleep(RESUMPTION_POLL_S)


LAST_FRAME_TIMEOUT_S: Final = 1.0
"""Seconds that a client has to read the frame that is being written when its stream ends."""


def check_spectator_capacity(node: Node, caller: TokenIdentity) -> None:
    """Raises CapacityError if the server, the caller's token or the caller's owner may watch no further match."""
    limits, spectators = node.limits, node.spectators
    is_relay = "relay" in caller.scopes
    room = limits.watchers if is_relay else limits.watchers - limits.watchers_a_relay
    if len(spectators) >= room:
        raise CapacityError(f"the server already has {format_count(room, 'watcher')}, the most allowed")
    most = limits.watchers_a_relay if is_relay else limits.watchers_a_token
    if sum(spectator.handle == caller.handle for spectator in spectators) >= most:
        raise CapacityError(f"this token already watches {format_count(most, 'match')}, the most allowed")
    if is_relay:
        return
    if sum(spectator.account == account_of(caller) for spectator in spectators) >= limits.watchers_an_owner:
        watched = format_count(limits.watchers_an_owner, "match")
        raise CapacityError(f"this owner's tokens already watch {watched}, the most allowed")


async def run_spectator_stream(
    node: Node,
    spectator: Spectator,
    watch: Callable[[Outbox], None],
    unwatch: Callable[[Outbox], None],
    context: grpc.aio.ServicerContext[Any, bytes],
) -> None:
    """Return when the match or the spectator's stream has ended.

    `watch` connects the spectator's outbox to a feed, and `unwatch` disconnects it.
    """
    node.spectators.add(spectator)
    watch(spectator.outbox)
    frames = _FrameWriter(spectator, context)
    writer = asyncio.create_task(frames.run())
    writer.add_done_callback(retrieve_exception)
    try:
        either: set[asyncio.Future[Any]] = {writer, spectator.ended}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if frames.is_writing:  # gRPC accepts no status during a write
            await asyncio.wait({writer}, timeout=LAST_FRAME_TIMEOUT_S)
    finally:
        node.spectators.discard(spectator)
        unwatch(spectator.outbox)
        writer.cancel()
    if spectator.ended.done():
        reason, detail = spectator.ended.result()
        await context.abort_with_status(make_status(status_code_of(reason), detail, reason))


class _FrameWriter:
    """Sends frames until the match has ended and everything is sent, or the spectator's stream has ended."""

    def __init__(self, spectator: Spectator, context: grpc.aio.ServicerContext[Any, bytes]) -> None:
        self._spectator = spectator
        self._context = context
        self.is_writing = False
        """Whether a frame is on its way to gRPC."""

    async def run(self) -> None:
        spectator = self._spectator
        while not spectator.ended.done() and (sent := await spectator.next_frame()):
            self.is_writing = True
            await self._context.write(sent)
            self.is_writing = False
