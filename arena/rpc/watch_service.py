"""Implements WatchService, which streams the public view of a match. It comes from the same feed that serves bots."""

import asyncio
from typing import Any

import grpc

from arena.errors import ArenaError, CapacityError, UnknownNameError
from arena.match.scalars import StreamSequence
from arena.node.hosted_match import HostedMatch
from arena.node.identity import TokenVerifier
from arena.node.node import Node
from arena.node.spectator import Spectator
from arena.rpc.auth import identify
from arena.rpc.call_end import QuietIfCallerIsGone, refuse_call
from arena.rpc.caller import Caller, CallerReader
from arena.rpc.status import make_status
from arena.rpc.stream_end_codes import status_code_of
from arena.rpc.unary import decode_request
from cheatarena.v1 import watch_pb2

SERVICE = "cheatarena.v1.WatchService"


class WatchService:
    """Streams public messages to callers whose token has the scope `spectate`."""

    def __init__(self, node: Node, authority: TokenVerifier, callers: CallerReader) -> None:
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
        with self._node.admission.admit_stream(caller.connection, caller.address):
            identity = await identify(caller, self._authority, "spectate")
            request = decode_request(watch_pb2.WatchMatchRequest, raw)
            matches = self._node.registry.matches.values()
            hosted = next((match for match in matches if match.match_id == request.match_id), None)
            if hosted is None:
                raise UnknownNameError("match", request.match_id)
            self._check_capacity(identity.handle)
            spectator = Spectator(self._node, identity, hosted.deal.secret.commitment)
            await self._stream(hosted, spectator, request.after_sequence, context)

    def _check_capacity(self, handle: str) -> None:
        """Raise CapacityError if the server, or the token with this handle, may watch no further match."""
        limits, spectators = self._node.limits, self._node.spectators
        if len(spectators) >= limits.watchers:
            raise CapacityError(f"the server has {limits.watchers} watchers already, its limit")
        if sum(spectator.handle == handle for spectator in spectators) >= limits.watchers_a_token:
            raise CapacityError(f"this token watches {limits.watchers_a_token} matches already, its limit")

    async def _stream(
        self,
        hosted: HostedMatch,
        spectator: Spectator,
        after: int,
        context: grpc.aio.ServicerContext[Any, bytes],
    ) -> None:
        node, feed = self._node, hosted.room.feed
        node.spectators.add(spectator)
        feed.watch(hosted.table.referee, spectator.outbox, StreamSequence(after) if after else None)
        writer = asyncio.create_task(self._write_frames(spectator, context))
        try:
            either: set[asyncio.Future[Any]] = {writer, spectator.ended}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            node.spectators.discard(spectator)
            feed.unwatch(spectator.outbox)
            writer.cancel()
        if writer.done() and not writer.cancelled():
            writer.result()  # raises if the spectator has gone
        if spectator.ended.done():
            reason, detail = spectator.ended.result()
            await context.abort_with_status(make_status(status_code_of(reason), detail, reason))

    async def _write_frames(self, spectator: Spectator, context: grpc.aio.ServicerContext[Any, bytes]) -> None:
        """Send frames until the match has ended and everything is sent."""
        while sent := await spectator.next_frame():
            await context.write(sent)
