"""Bots behind a bad network: late, held back, cut off, half open."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.author.trouble.proxy import Proxy
from arena.match.referee.inputs import Answer
from arena.match.referee.scalars import EntrantIndex
from arena.server.node.limits import Limits
from arena.server.wire.notices import make_offer_id
from cheatarena.v1 import cheat_pb2, decision_pb2, lobby_pb2, match_pb2, play_pb2, session_pb2
from tests.faults.http2 import RawConnection, hello_message
from tests.faults.processes import running_server, sdk_bot
from tests.support.server import LocalServer, ServerClients, open_server, slow_pace
from tests.support.wire_bot import PLAY_METHOD, WireBot, play_lowest

FEW_TURNS = (match_pb2.OptionSetting(name="max_turns", value="6"),)
OUTAGE_S = 5.0


@asynccontextmanager
async def proxied_server(data: Path) -> AsyncIterator[tuple[ServerClients, Proxy]]:
    """Run a server process, and a proxy in front of it."""
    async with running_server(data) as (_, clients), Proxy(clients.address) as proxy:
        yield clients, proxy


@asynccontextmanager
async def local_server(data: Path, limits: Limits | None = None) -> AsyncIterator[tuple[LocalServer, Proxy]]:
    """Run a server in this process, and a proxy in front of it."""
    async with open_server(data, limits) as site, Proxy(site.address) as proxy:
        yield site, proxy


@asynccontextmanager
async def proxied_bot(clients: ServerClients, proxy: Proxy, name: str) -> AsyncIterator[WireBot]:
    """Connect a bot through a proxy."""
    clients.tokens[name] = await clients.create_token(name)
    async with WireBot(proxy.address, clients.tokens[name]) as bot:
        await bot.open_session()
        yield bot


async def create_when_connected(clients: ServerClients, *names: str, **request: Any) -> match_pb2.Match:
    """Create a match as soon as everybody is there."""
    async with asyncio.timeout(60):
        while True:
            with suppress(grpc.aio.AioRpcError):
                return await clients.create_match(*names, **{"pace": slow_pace()} | request)
            await asyncio.sleep(0.02)


@pytest.mark.slow
async def test_bot_with_a_slow_and_uneven_line_plays_without_a_fault(tmp_path):
    """200 ms late, and up to 100 ms more."""
    async with proxied_server(tmp_path) as (clients, proxy), proxied_bot(clients, proxy, "far") as far:
        near = await clients.connect_bot("near")
        proxy.down.delay_s, proxy.down.jitter_s = 0.2, 0.1
        pace = slow_pace(turn_ms=5_000, call_ms=5_000)
        match = await clients.create_match("far", "near", pace=pace, options=FEW_TURNS)
        await asyncio.gather(far.play(play_lowest), near.play(play_lowest))
        ended = await clients.wait_for_result(match)

    assert [*ended.strikes] == [match_pb2.Strikes()] * 2
    assert ended.figures[0].values["think_s"] > 0.2


@pytest.mark.slow
async def test_lag_purse_gives_a_far_bot_at_most_100_ms_and_its_deadline_says_so(tmp_path):
    """Far and near are asked in the same window. The match is stored, and the audit derives it again."""
    async with local_server(tmp_path) as (site, proxy), proxied_bot(site, proxy, "far") as far:
        mover, near = await site.connect_bots("mover", "near")
        proxy.up.delay_s = proxy.down.delay_s = 0.1
        match = await site.create_match("mover", "far", "near", pace=slow_pace(lag_purse=True), options=FEW_TURNS)
        ping = (await far.wait_for_notice("ping")).ping
        await far.send(play_pb2.BotNotice(pong=session_pb2.Pong(nonce=ping.nonce)))
        for bot in (mover, far, near):
            await bot.answer_offer()
        playing = asyncio.ensure_future(mover.play(play_lowest))

        (far_message, far_prompt), (near_message, near_prompt) = [
            await bot.wait_for_prompt("cheat_window") for bot in (far, near)
        ]
        assert far_prompt.id == near_prompt.id
        assert far_prompt.deadline_us - near_prompt.deadline_us == 100_000, "near was not measured"
        far.unread.appendleft(far_message)
        near.unread.appendleft(near_message)
        await asyncio.gather(playing, far.play(play_lowest), near.play(play_lowest))
        ended = await site.wait_for_result(match)

    assert [*ended.strikes] == [match_pb2.Strikes()] * 3
    auditing = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "from arena.cli.main import main; main()", "audit", "--data", tmp_path, stdout=PIPE
    )
    assert b"everything agrees" in (await auditing.communicate())[0]


@pytest.mark.slow
async def test_messages_that_were_held_back_arrive_once_and_in_order(tmp_path):
    """The line is dead for 5 s in the middle of a game, and the connection survives."""
    async with proxied_server(tmp_path) as (clients, proxy), proxied_bot(clients, proxy, "far") as far:
        near = await clients.connect_bot("near")
        match = await clients.create_match("far", "near", pace=slow_pace(), game_count=5)
        playing = asyncio.gather(far.play(play_lowest), near.play(play_lowest))
        await _until(lambda: len(far.messages) > 20)

        proxy.hold()
        await asyncio.sleep(OUTAGE_S)
        proxy.release()
        await playing
        ended = await clients.wait_for_result(match)

    assert proxy.connection_count == 1
    assert [message.sequence for message in far.messages] == [*range(1, len(far.messages) + 1)]
    assert [*ended.strikes] == [match_pb2.Strikes()] * 2


@pytest.mark.slow
async def test_bot_resumes_by_itself_after_an_outage(tmp_path):
    """Its connections are reset for 5 s. It loses no message, which the SDK would report, and no turn."""
    async with proxied_server(tmp_path) as (clients, proxy):
        near = await clients.connect_bot("near")
        with sdk_bot(tmp_path / "bots", proxy.address, await clients.create_token("far")):
            match = await create_when_connected(clients, "far", "near", game_count=5)
            playing = asyncio.ensure_future(near.play(play_lowest))
            await _until(lambda: len(near.messages) > 20)

            proxy.cut(refuses=True)
            await asyncio.sleep(OUTAGE_S)
            proxy.cut()
            await playing
            ended = await clients.wait_for_result(match)

    assert proxy.connection_count > 1
    assert (ended.termination, len(ended.games)) == ("finished", 5)
    assert [*ended.strikes] == [match_pb2.Strikes()] * 2


async def test_half_open_connection_is_closed_and_its_seat_recovered(tmp_path):
    """The server is told nothing of the end of the connection, and finds out by itself."""
    async with local_server(tmp_path, Limits(silent_s=1.0)) as (site, proxy), proxied_bot(site, proxy, "far") as far:
        near = await site.connect_bot("near")
        await site.create_match("far", "near", pace=slow_pace())
        await far.answer_offer()
        await near.answer_offer()
        _, prompt = await far.wait_for_prompt("cheat_turn")

        proxy.hold()
        async with asyncio.timeout(30):
            await site.wait_until_gone("far")
        again = await site.connect_bot("far")
        _, resumed = await again.wait_for_prompt("cheat_turn")
        proxy.release()

    assert resumed.id == prompt.id


async def test_answer_that_arrives_on_a_replaced_stream_changes_nothing(tmp_path):
    """It was sent first and arrives last. The bot's newest stream has the same prompt, and its answer counts."""
    async with local_server(tmp_path) as (site, proxy), proxied_bot(site, proxy, "far") as old:
        near = await site.connect_bot("near")
        await site.create_match("far", "near", pace=slow_pace())
        await old.answer_offer()
        await near.answer_offer()
        message, prompt = await old.wait_for_prompt("cheat_turn")
        proxy.hold()
        stale = play_lowest(old, message, prompt)
        stale.match, stale.prompt_id, stale.action_id = message.match, prompt.id, 77
        await old.send(decisions=[stale])

        new = await site.connect_bot("far")
        snapshot, same = await new.wait_for_prompt("cheat_turn")
        proxy.release()
        ended = await old.wait_for_end()
        fresh = play_lowest(new, snapshot, same)
        await new.decide((message.match, 0), same.id, 78, **_action(fresh))
        answer = await new.wait_for_answer(78)

        answers = [each.action_id for each in site.read_journal() if isinstance(each, Answer)]
        assert same.id == prompt.id
        assert same.deadline_us - prompt.deadline_us in site.possible_delays_us()
        assert ended.reason == "SESSION_REPLACED"
        assert answer.status == decision_pb2.DECISION_STATUS_ACCEPTED
        assert answers == [78]


def _action(decision: decision_pb2.Decision) -> dict[str, object]:
    cheat: cheat_pb2.CheatAction = decision.cheat
    return {field.name: value for field, value in cheat.ListFields()}


async def test_bot_that_reads_byte_by_byte_holds_up_nobody(tmp_path):
    """Its window is one byte wide and grows by one byte at a time, and from its match on it answers no ping."""
    async with open_server(tmp_path, Limits(silent_s=1.0)) as site:
        token = await site.create_token("slow")
        near = await site.connect_bot("near")
        async with RawConnection(site.address) as connection:
            accepted = asyncio.Event()
            reading = asyncio.create_task(_read_slowly(connection, token, accepted))
            await _until(lambda: ("slow", "one") in site.node.sessions)
            answering = asyncio.create_task(connection.answer_pings())
            pace = slow_pace(turn_ms=250, call_ms=250, reconnect_grace_ms=0)
            match = await site.create_match("slow", "near", pace=pace, options=FEW_TURNS)
            answering.cancel()
            accepted.set()
            await near.play(play_lowest)
            ended = await site.wait_for_result(match)
            await asyncio.wait_for(site.wait_until_gone("slow"), 60)
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    assert ended.strikes[1] == match_pb2.Strikes()
    assert ended.strikes[0].missing > 0


async def _read_slowly(connection: RawConnection, token: str, accepts: asyncio.Event) -> None:
    """Open a session, and accept the seat of the first match although its offer could not be read."""
    connection.http.local_settings.initial_window_size = 1
    await connection.greet()
    stream = connection.call(PLAY_METHOD, token)
    connection.send(stream, hello_message("one"))
    await connection.flush()
    while True:
        await asyncio.sleep(0.1)
        if accepts.is_set():
            accepts.clear()
            answer = lobby_pb2.OfferAnswer(offer_id=make_offer_id(1, EntrantIndex(0)), accept=True)
            request = play_pb2.PlayRequest(notices=[play_pb2.BotNotice(offer_answer=answer)])
            connection.send(stream, request.SerializeToString())
            await connection.flush()
        await connection.write(b"\0\0\x04\x08\0" + stream.to_bytes(4) + (1).to_bytes(4))  # WINDOW_UPDATE by one


async def _until(is_so) -> None:
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.005)
