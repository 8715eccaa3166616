"""The client of spectators: every public message once, whatever happens to its connection."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from arena.errors import DeniedError, EnvironmentFaultError, UnknownNameError
from arena.games.catalogue import load_codecs, watched_game_of
from arena.match.feed.public_message import PublicMessage
from arena.match.referee.facts import MatchEnded
from arena.match.referee.ports import MatchId
from arena.replays.watch.live_table import LiveTable
from arena.server.rpc.watch_client import WatchClient
from cheatarena import patience
from cheatarena.v1 import watch_pb2
from tests.support.server import LocalServer, slow_pace
from tests.support.wire_bot import play_lowest


@pytest.fixture
async def client(site: LocalServer) -> AsyncIterator[WatchClient]:
    token = site.watching[0][1].removeprefix("Bearer ")
    async with WatchClient(site.address, token, load_codecs()) as opened:
        yield opened


async def test_match_is_followed_from_its_offer_to_its_end(site: LocalServer, client: WatchClient):
    """The first message is empty, so that a caller knows that the server has agreed."""
    bots = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", pace=slow_pace())
    stream = client.watch(MatchId(match.match_id))

    first = await anext(stream)
    playing = asyncio.gather(*(bot.play(play_lowest) for bot in bots))
    table, sequences = LiveTable(watched_game_of), []
    async for message in stream:
        sequences.append(message.sequence)
        table.add(message)
    await playing

    assert first == PublicMessage(0, ())
    assert sequences == [*range(1, len(sequences) + 1)]
    assert table.is_over
    assert [score.name for score in table.drawing.scores] == ["ann", "bob"]


@pytest.mark.parametrize("reason", ["too_slow", "shutting_down"])
async def test_cut_stream_is_continued_after_the_last_message(
    site: LocalServer, client: WatchClient, monkeypatch, reason
):
    monkeypatch.setattr(patience, "RETRY_INTERVAL_S", 0)
    bots = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", pace=slow_pace())
    losses: list[Exception] = []
    messages: list[PublicMessage] = []

    async def follow() -> None:
        async for message in client.watch(MatchId(match.match_id), losses.append):
            messages.append(message)
            if message.sequence == 5:
                for spectator in [*site.node.spectators]:
                    spectator.end(reason, "come back")

    following = asyncio.ensure_future(follow())
    while not messages:
        await asyncio.sleep(0.001)
    await asyncio.gather(*(bot.play(play_lowest, stop=lambda message: message.sequence > 12) for bot in bots))
    while not losses or not site.node.spectators:
        await asyncio.sleep(0.001)
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots), following)

    table = LiveTable(watched_game_of)
    for message in messages:
        table.add(message)
    assert len(losses) == 1
    assert "come back" in str(losses[0])
    assert [each.sequence for each in messages] == [*range(len(messages))]
    assert isinstance(messages[-1].facts[-1], MatchEnded)
    assert table.is_over


async def test_match_that_does_not_run_is_refused(client: WatchClient):
    with pytest.raises(UnknownNameError):
        await anext(client.watch(MatchId("x")))


async def test_token_without_the_scope_is_refused(site: LocalServer):
    async with WatchClient(site.address, await site.create_token("ann"), load_codecs()) as client:
        with pytest.raises(DeniedError):
            await anext(client.watch(MatchId("x")))


async def test_server_that_is_away_from_the_start_is_not_awaited():
    async with WatchClient("127.0.0.1:1", "t", load_codecs()) as client:
        with pytest.raises(EnvironmentFaultError, match=r"no answer from 127\.0\.0\.1:1: nothing listens there"):
            await anext(client.watch(MatchId("x")))


async def test_client_gives_up_on_a_lost_server(client: WatchClient, monkeypatch):
    """It tries again, and after its patience it raises the last error."""
    monkeypatch.setattr(patience, "RETRY_INTERVAL_S", 0)
    monkeypatch.setattr(patience, "RECONNECT_TIMEOUT_S", 0)
    dials = 0

    async def lose(_client: WatchClient, _match_id: MatchId, _after: int):
        nonlocal dials
        dials += 1
        if dials == 1:
            yield watch_pb2.WatchMatchResponse()
        raise EnvironmentFaultError(f"dial {dials}")

    monkeypatch.setattr(WatchClient, "_stream", lose)
    losses: list[Exception] = []
    stream = client.watch(MatchId("x"), losses.append)
    await anext(stream)

    with pytest.raises(EnvironmentFaultError) as raised:
        await anext(stream)

    assert [str(each) for each in losses] == ["dial 1"]
    assert str(raised.value) == f"dial {dials}"
    assert dials >= 2
