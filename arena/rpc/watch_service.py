"""WatchService: the public view of a match, from the same feed that tells the bots."""

import asyncio
from typing import Any

import grpc

from arena.errors import ArenaError, UnknownNameError
from arena.feed.outbox import Outbox
from arena.match.hall import Booking
from arena.rpc.auth import Authority, identify
from arena.rpc.codec import frame
from arena.rpc.node import Node, ProtoRoom
from arena.rpc.status import status_of
from cheatarena.v1 import watch_pb2

SERVICE = "cheatarena.v1.WatchService"


class WatchService:
    """Streams public messages. Needs the scope `spectate`."""

    def __init__(self, node: Node, authority: Authority) -> None:
        self._node = node
        self._authority = authority

    def handler(self) -> grpc.GenericRpcHandler:
        """The service for a server; frames go out as bytes."""
        method: grpc.RpcMethodHandler[Any, bytes] = grpc.unary_stream_rpc_method_handler(
            self._watch, request_deserializer=watch_pb2.WatchMatchRequest.FromString
        )
        return grpc.method_handlers_generic_handler(SERVICE, {"WatchMatch": method})

    async def _watch(self, request: watch_pb2.WatchMatchRequest, context: grpc.aio.ServicerContext[Any, bytes]) -> None:
        try:
            await identify(context.invocation_metadata(), self._authority, "spectate")
            booking = self._find(request.match_id)
            await self._stream(booking, request.after_sequence, context)
        except ArenaError as error:
            await context.abort_with_status(status_of(error))

    def _find(self, match_id: str) -> Booking:
        for booking in self._node.hall.bookings.values():
            if booking.match_id == match_id:
                return booking
        raise UnknownNameError("match", match_id)

    async def _stream(self, booking: Booking, after: int, context: grpc.aio.ServicerContext[Any, bytes]) -> None:
        node, room = self._node, booking.room
        assert isinstance(room, ProtoRoom)
        ready = asyncio.Event()
        outbox = Outbox(ready.set, node.now, node.limits.outbox_bytes, node.limits.outbox_age_us)
        room.watch(booking.table.referee, outbox, after or None)
        try:
            while not outbox.is_overfull:
                await ready.wait()
                ready.clear()
                while outbox.has_ready:
                    await context.write(frame(outbox.take(), node.now()))
                if booking.is_over:
                    return
        finally:
            room.unwatch(outbox)
