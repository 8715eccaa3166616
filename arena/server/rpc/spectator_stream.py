"""Runs the stream of a spectator: of a whole match, or of one seat."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import grpc

from arena.errors import CapacityError
from arena.match.feed.outbox import Outbox
from arena.plurals import format_count
from arena.server.node.identity import CallerIdentity, account_of
from arena.server.node.node import Node
from arena.server.node.spectator import Spectator
from arena.server.rpc.status import make_status
from arena.server.rpc.stream_end_codes import status_code_of

LAST_FRAME_TIMEOUT_S: Final = 1.0
"""Seconds that a client has to read the frame that is being written when its stream ends."""


def check_spectator_capacity(node: Node, caller: CallerIdentity) -> None:
    """Raise CapacityError if the server, the caller's token or the caller's owner may watch no further match."""
    limits, spectators = node.limits, node.spectators
    is_relay = "relay" in caller.scopes
    room = limits.watchers if is_relay else limits.watchers - limits.watchers_a_relay
    if len(spectators) >= room:
        raise CapacityError(f"the server has {format_count(room, 'watcher')} already, the most it may")
    most = limits.watchers_a_relay if is_relay else limits.watchers_a_token
    if sum(spectator.handle == caller.handle for spectator in spectators) >= most:
        raise CapacityError(f"this token watches {format_count(most, 'match')} already, the most it may")
    if is_relay:
        return
    if sum(spectator.account == account_of(caller) for spectator in spectators) >= limits.watchers_an_owner:
        watched = format_count(limits.watchers_an_owner, "match")
        raise CapacityError(f"this owner's tokens watch {watched} already, the limit")


async def run_spectator_stream(
    node: Node,
    spectator: Spectator,
    watch: Callable[[Outbox], None],
    unwatch: Callable[[Outbox], None],
    context: grpc.aio.ServicerContext[Any, bytes],
) -> None:
    """Stream frames until the match or the spectator's stream has ended.

    `watch` connects the spectator's outbox to a feed, and `unwatch` disconnects it.
    """
    node.spectators.add(spectator)
    watch(spectator.outbox)
    frames = _FrameWriter(spectator, context)
    writer = asyncio.create_task(frames.run())
    writer.add_done_callback(_retrieve_exception)
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


def _retrieve_exception(task: "asyncio.Future[Any]") -> None:
    """Retrieve a task's exception, so that asyncio does not report it when the client has gone."""
    if not task.cancelled():
        task.exception()
