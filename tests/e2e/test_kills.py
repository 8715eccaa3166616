"""Processes that are killed, stopped and started again: what was acknowledged is kept, and nobody pays for it."""

import asyncio
import os
import signal
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc
import pytest

from arena.games.catalogue import games
from arena.match.referee.inputs import Answer, read_record
from arena.match.referee.match_record import group_by_match
from arena.match.referee.ports import MatchId
from arena.match.referee.replay import Replay
from arena.server.store.journal_file import read_records
from cheatarena.v1 import cheat_pb2, decision_pb2, match_pb2
from tests.support.bots import bot_process, write_bots
from tests.support.commands import start_command
from tests.support.server import slow_pace, visit_server
from tests.support.wire_bot import WireBot, play_lowest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are otherwise there")


@contextmanager
def serve(data: Path, *options: object):
    """Run a server process; gives it and its address."""
    with start_command("serve", "--data", data, "--grace", 0.2, *options) as server:
        yield server, server.wait_for_line("READY").split()[1]


async def until_connected(guests, *names: str):
    """Make a match as soon as everybody is there."""
    async with asyncio.timeout(60):
        while True:
            with suppress(grpc.aio.AioRpcError):  # not connected yet
                return await guests.create_match(*names, pace=slow_pace(), game_count=8)
            await asyncio.sleep(0.02)


@pytest.mark.slow
async def test_killed_bot_resumes_its_seat(tmp_path):
    """A new process with the same token and instance continues from a snapshot, and the match ends normally."""
    script = write_bots(tmp_path / "bots") / "honest" / "bot.py"
    with serve(tmp_path / "data") as (_, address):
        async with visit_server(tmp_path / "data", address) as guests:
            token = await guests.create_token("sdk")
            ann = await guests.connect_bot("ann")
            with bot_process(script, address, token) as first:
                match = await until_connected(guests, "ann", "sdk")
                await ann.play(play_lowest, stop=lambda m: m.sequence > 30)
                first.send_signal(signal.SIGKILL)
                first.wait(5)
            with bot_process(script, address, token):
                await ann.play(play_lowest)
                ended = await guests.wait_for_result(match)

    assert ended.termination == "finished"
    assert len(ended.games) == 8
    assert ended.strikes[1] == match_pb2.Strikes()
    assert ended.figures[1].values["decisions"] > 30


@pytest.mark.slow
async def test_killed_server_keeps_what_it_acknowledged(tmp_path):
    """Every accepted decision is in the journal, and finished matches are in the store."""
    data = tmp_path / "data"
    with serve(data) as (server, address):
        async with visit_server(data, address) as guests:
            bots = await guests.connect_bots("ann", "bob", "cid")
            done = await guests.create_match("ann", "bob")
            await asyncio.gather(*(bot.play(play_lowest) for bot in bots[:2]))
            before = await guests.wait_for_result(done)
            await guests.create_match("ann", "bob", "cid", pace=slow_pace(), game_count=1000)
            playing = [asyncio.ensure_future(_play_until_cut(bot)) for bot in bots]
            while sum(len(bot.accepted) for bot in bots) < 400:
                assert not any(task.done() for task in playing)
                await asyncio.sleep(0.005)
            server.signal(signal.SIGKILL)
            await asyncio.gather(*playing)
            server.wait_for_exit()
    accepted = {decision for bot in bots for decision in bot.accepted}
    records = group_by_match(read_records(next((data / "journals").iterdir())))
    inputs = [(number, read_record(record)) for number, group in records.items() for record in group]
    kept = {(match, i.entrant, i.prompt_id, i.action_id) for match, i in inputs if isinstance(i, Answer)}
    for group in records.values():
        for _ in Replay(group, games()).moments():
            pass

    with serve(data) as (_, address):
        async with visit_server(data, address) as guests:
            again = await _match(guests, done)

    assert len(accepted) >= 400
    assert accepted <= kept
    assert again == before


async def _play_until_cut(bot: WireBot) -> None:
    with suppress(grpc.aio.AioRpcError, AssertionError, asyncio.InvalidStateError):
        await bot.play(play_lowest)


async def _match(guests, match: match_pb2.Match):
    request = match_pb2.GetMatchRequest(match_id=match.match_id)
    return (await guests.matches.GetMatch(request, metadata=guests.organizing)).match


@pytest.mark.slow
async def test_stalled_server_costs_no_bot_time(tmp_path):
    """Answers from the stall count, and so do those right after it, although their deadlines have passed."""
    with serve(tmp_path) as (server, address):
        async with visit_server(tmp_path, address) as guests:
            pace = slow_pace(turn_ms=300, call_ms=300, reconnect_grace_ms=0)
            match, (ann, bob, cid) = await guests.seat_bots("ann", "bob", "cid", pace=pace)
            message, prompt = await ann.wait_for_prompt("cheat_turn")

            server.signal(signal.SIGSTOP)
            await asyncio.sleep(0.1)
            decision = play_lowest(ann, message, prompt)
            decision.match, decision.prompt_id, decision.action_id = 1, prompt.id, 1
            await ann.send(decisions=[decision])
            await asyncio.sleep(0.9)
            server.signal(signal.SIGCONT)
            during = await ann.wait_for_answer(1)

            window, asked = await bob.wait_for_prompt("cheat_window")
            server.signal(signal.SIGSTOP)
            await asyncio.sleep(1)
            server.signal(signal.SIGCONT)
            await asyncio.sleep(0.05)
            action_id = await bob.decide((window.match, 1), asked.id, kind=cheat_pb2.CHEAT_ACTION_KIND_DECLINE)
            after = await bob.wait_for_answer(action_id)
            await cid.wait_for_prompt("cheat_window")
            request = match_pb2.GetMatchRequest(match_id=match.match_id)
            shown = (await guests.matches.GetMatch(request, metadata=guests.organizing)).match

    assert during.status == after.status == decision_pb2.DECISION_STATUS_ACCEPTED
    assert shown.strikes[0] == shown.strikes[1] == match_pb2.Strikes()


@pytest.mark.slow
async def test_server_stops_cleanly_on_request(tmp_path):
    """The exit code is 0, the running match is left to the next server, and bots learn why."""
    with serve(tmp_path) as (server, address):
        async with visit_server(tmp_path, address) as guests:
            match, bots = await guests.seat_bots("ann", "bob", pace=slow_pace())
            await bots[0].wait_for_prompt("cheat_turn")

            server.signal(signal.SIGTERM)
            refusals = await asyncio.gather(*(bot.wait_for_end() for bot in bots))
            code = await asyncio.to_thread(server.wait_for_exit)
            row = await guests.store.results.match(MatchId(match.match_id))

    assert code == 0
    assert {refusal.reason for refusal in refusals} == {"SHUTTING_DOWN"}
    assert row.state == "running"


@pytest.mark.slow
async def test_bad_neighbours_delay_no_one(tmp_path):
    """Beside bots that are dead, mute or send garbage, honest ones finish as if they were alone."""
    with serve(tmp_path) as (_, address):
        async with visit_server(tmp_path, address) as guests:
            pace = slow_pace(turn_ms=200, call_ms=200, reconnect_grace_ms=0, max_auto_moves=2)
            _, (dead, mute, garbage) = await guests.seat_bots("dead", "mute", "garbage", pace=pace, game_count=50)
            await dead.disconnect()
            talking = asyncio.ensure_future(_talk_garbage(garbage))
            match, bots = await guests.seat_bots("ann", "bob", pace=slow_pace())

            async with asyncio.timeout(30):
                await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
            ended = await guests.wait_for_result(match)
            talking.cancel()
            await asyncio.gather(talking, return_exceptions=True)
            assert not mute.accepted

    assert ended.termination == "finished"
    assert [*ended.strikes] == [match_pb2.Strikes()] * 2
    assert ended.figures[0].values["think_s"] < 0.1


async def _talk_garbage(bot: WireBot) -> None:
    with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
        while True:
            await bot.send_raw(os.urandom(200))
            await bot.decide((1, 2), 1, kind=cheat_pb2.CHEAT_ACTION_KIND_CALL)
            await asyncio.sleep(0)
