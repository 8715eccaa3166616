"""WatchService: the public view of a match, without gaps, from any point on."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import grpc
import pytest

from arena.server.node.limits import Limits
from cheatarena.v1 import match_pb2, watch_pb2
from tests.support.server import LocalServer, open_server, slow_pace
from tests.support.wire_bot import bearer, expect_refusal, is_match_over, new_channel, play_lowest

PRIVATE = {
    "entrant_seed", "deal_receipt", "fault",
    "cheat_hand", "cheat_shown", "cheat_taken", "cheat_overruled", "cheat_laid",
}  # fmt: skip


def watch_match(site: LocalServer, match, after: int = 0):
    request = watch_pb2.WatchMatchRequest(match_id=match.match_id, after_sequence=after)
    return site.watch.WatchMatch(request, metadata=site.watching)


async def wait_for_spectator(site: LocalServer):
    """Wait until the server knows a spectator, to which it sends nothing until there is a message."""
    while not site.node.spectators:
        await asyncio.sleep(0.001)


async def first_message(stream):
    """Return the first message; the frame before it has only the commitment."""
    assert not (await stream.read()).messages
    return (await stream.read()).messages[0]


async def messages_of(stream):
    """Return all messages until the stream ends by itself."""
    frames = []
    async with asyncio.timeout(30):
        while (frame := await stream.read()) is not grpc.aio.EOF:
            frames.append(frame)
    return [message for frame in frames for message in frame.messages]


async def test_spectator_sees_match_from_offer_to_end(site: LocalServer):
    """It receives every public fact, no private one, and no gap; then the stream ends normally."""
    bots = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", pace=slow_pace())
    stream = watch_match(site, match)
    seen = asyncio.ensure_future(messages_of(stream))
    await wait_for_spectator(site)

    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
    messages = await seen

    assert await stream.code() is grpc.StatusCode.OK
    assert [message.sequence for message in messages] == [*range(1, len(messages) + 1)]
    assert is_match_over(messages[-1])
    kinds = {event.WhichOneof("fact") for message in messages for event in message.events}
    assert kinds >= {"match_started", "game_started", "cheat_dealt", "cheat_played", "game_ended", "match_ended"}
    assert not kinds & PRIVATE
    assert not any(message.prompts or message.answers or message.withdrawn for message in messages)


async def test_late_spectator_gets_snapshot(site: LocalServer):
    """The snapshot has no hands, and the stream continues with the next sequence."""
    match, bots = await site.seat_bots("ann", "bob", pace=slow_pace())
    await asyncio.gather(*(bot.play(play_lowest, stop=lambda m: m.sequence > 6) for bot in bots))
    stream = watch_match(site, match)
    first = await first_message(stream)

    seen = asyncio.ensure_future(messages_of(stream))
    request = match_pb2.CancelMatchRequest(match_id=match.match_id)
    await site.matches.CancelMatch(request, metadata=site.organizing)
    rest = await seen

    assert first.HasField("snapshot")
    assert first.sequence > 1
    assert not first.snapshot.cheat.HasField("hand")
    assert sum(first.snapshot.cheat.hand_sizes) <= 54
    assert not first.snapshot.prompts
    assert not {event.WhichOneof("fact") for event in first.snapshot.events} & PRIVATE
    assert [message.sequence for message in rest] == [first.sequence + 1]


async def test_spectator_resumes_from_its_sequence(site: LocalServer):
    match, bots = await site.seat_bots("ann", "bob", pace=slow_pace())
    await asyncio.gather(*(bot.play(play_lowest, stop=lambda m: m.sequence > 6) for bot in bots))

    stream = watch_match(site, match, after=2)
    first = await first_message(stream)

    assert first.sequence == 3
    assert not first.HasField("snapshot")


async def test_watching_cancelled_offer_ends(site: LocalServer):
    """A match that never begins keeps no spectator waiting."""
    await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob")
    stream = watch_match(site, match)
    seen = asyncio.ensure_future(messages_of(stream))
    await wait_for_spectator(site)

    request = match_pb2.CancelMatchRequest(match_id=match.match_id)
    await site.matches.CancelMatch(request, metadata=site.organizing)
    await seen

    assert await stream.code() is grpc.StatusCode.OK
    assert not site.node.spectators


async def test_unknown_match_cannot_be_watched(site: LocalServer):
    stream = site.watch.WatchMatch(watch_pb2.WatchMatchRequest(match_id="x"), metadata=site.watching)

    refusal = await expect_refusal(stream.read())

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "UNKNOWN_MATCH")


async def test_disconnected_spectator_is_forgotten(site: LocalServer):
    await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob")
    stream = watch_match(site, match)
    await wait_for_spectator(site)

    stream.cancel()

    async with asyncio.timeout(30):
        while site.node.spectators:
            await asyncio.sleep(0.001)


async def test_spectator_with_revoked_token_is_disconnected(site: LocalServer):
    match, _ = await site.seat_bots("ann", "bob", pace=slow_pace())
    stream = watch_match(site, match)
    await stream.read()

    await site.store.tokens.revoke("spectator")
    async with asyncio.timeout(30):
        refusal = await expect_refusal(messages_of(stream))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_REVOKED")


async def test_spectator_with_expired_token_is_disconnected(site: LocalServer):
    match, _ = await site.seat_bots("ann", "bob", pace=slow_pace())
    site.watching = bearer(await site.store.tokens.create("guest", ["spectate"], timedelta(seconds=1)))
    stream = watch_match(site, match)

    async with asyncio.timeout(30):
        refusal = await expect_refusal(messages_of(stream))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED")


async def test_spectator_that_does_not_read_is_disconnected(tmp_path):
    """Its outbox is bounded even while a write is in progress; the match continues."""
    async with open_server(tmp_path, replace(Limits(), outbox_bytes=2000)) as site:
        match, bots = await site.seat_bots("ann", "bob", pace=slow_pace(), game_count=400)
        channel = new_channel(site.address, ("grpc.http2.lookahead_bytes", 1024), ("grpc.http2.bdp_probe", 0))
        stream: Any = channel.unary_stream(
            "/cheatarena.v1.WatchService/WatchMatch",
            request_serializer=watch_pb2.WatchMatchRequest.SerializeToString,
        )(watch_pb2.WatchMatchRequest(match_id=match.match_id), metadata=site.watching)
        await wait_for_spectator(site)
        (spectator,) = site.node.spectators

        for _ in range(200):
            spectator.outbox.stage(b"x" * 1000)
            spectator.outbox.release()
            await asyncio.sleep(0)

        assert spectator.ended.done()
        assert site.node.registry.matches
        stream.cancel()
        await channel.close()
        assert len(bots) == 2


@pytest.mark.parametrize("after", [1, 2**63])
async def test_unknown_sequence_gets_snapshot_or_nothing(site: LocalServer, after):
    """An offered match has sent nothing yet; a spectator that asks for later messages receives the existing state."""
    bots = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", pace=slow_pace())
    stream = watch_match(site, match, after=after)
    seen = asyncio.ensure_future(messages_of(stream))
    await wait_for_spectator(site)

    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))

    assert [message.sequence for message in await seen][:3] == [1, 2, 3]
