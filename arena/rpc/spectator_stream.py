"""Runs the stream of a spectator: of a whole match, or of one seat."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc

from arena.errors import CapacityError
from arena.feed.outbox import Outbox
from arena.node.node import Node
from arena.node.spectator import Spectator
from arena.rpc.status import make_status
from arena.rpc.stream_end_codes import status_code_of


def check_spectator_capacity(node: Node, handle: str) -> None:
    """Raise CapacityError if the server, or the token with this handle, may watch no further match."""
    limits, spectators = node.limits, node.spectators
    if len(spectators) >= limits.watchers:
        raise CapacityError(f"the server has {limits.watchers} watchers already, its limit")
    if sum(spectator.handle == handle for spectator in spectators) >= limits.watchers_a_token:
        raise CapacityError(f"this token watches {limits.watchers_a_token} matches already, its limit")


async def run_spectator_stream(
    node: Node,
    spectator: Spectator,
    watch: Callable[[Outbox], None],
    unwatch: Callable[[Outbox], None],
    context: grpc.aio.ServicerContext[Any, bytes],
) -> None:
    """Stream frames until the match has ended or the spectator's stream has.

    `watch` connects the spectator's outbox to a feed, `unwatch` disconnects it.
    """
    node.spectators.add(spectator)
    watch(spectator.outbox)
    writer = asyncio.create_task(_write_frames(spectator, context))
    try:
        either: set[asyncio.Future[Any]] = {writer, spectator.ended}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    finally:
        node.spectators.discard(spectator)
        unwatch(spectator.outbox)
        writer.cancel()
    if spectator.ended.done():
        reason, detail = spectator.ended.result()
        await context.abort_with_status(make_status(status_code_of(reason), detail, reason))


async def _write_frames(spectator: Spectator, context: grpc.aio.ServicerContext[Any, bytes]) -> None:
    """Send frames until the match has ended and everything is sent."""
    while sent := await spectator.next_frame():
        await context.write(sent)
