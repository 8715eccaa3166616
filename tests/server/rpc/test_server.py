"""A server as a whole: one per store and port, health, a failing disk, a graceful end."""

import asyncio
import sqlite3
import time
from contextlib import AsyncExitStack, closing, suppress
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.errors import JournalError, OptionError, PortBusyError, StoreLockedError
from arena.fleet.assembly.server import start_server
from arena.match.referee.inputs import Credit, Input, Tick
from arena.match.referee.match_record import MatchRecorder
from arena.match.referee.ports import MatchId
from arena.server.config.server_config import ServerConfig
from arena.server.node.frame_handler import FrameHandler
from arena.server.node.guarded_journal import JOURNAL_RETRY_INTERVAL_S
from arena.server.node.limits import Limits
from arena.server.store import engines, write_probe
from cheatarena.v1 import error_reason_pb2, match_pb2
from tests.support.server import LocalServer, open_server, slow_pace
from tests.support.stamping import loop_parts
from tests.support.wire_bot import new_channel, play_lowest


async def health_of(address: str):
    async with new_channel(address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        return (await stub.Check(health_pb2.HealthCheckRequest())).status


async def test_running_server_is_healthy(site: LocalServer):
    """Anyone may ask, without a token."""
    assert await health_of(site.address) == health_pb2.HealthCheckResponse.SERVING


async def test_second_server_on_same_store_is_refused(site: LocalServer, tmp_path):
    """The error names the holder."""
    with pytest.raises(StoreLockedError, match=site.address):
        async with start_server(ServerConfig(tmp_path / "data"), *loop_parts()):
            pass


async def test_second_server_on_same_port_is_refused(site: LocalServer, tmp_path):
    """It does not share the port; it closes what it had opened, so that it can start elsewhere."""
    port = int(site.address.rpartition(":")[2])

    with pytest.raises(PortBusyError, match=str(port)):
        async with start_server(ServerConfig(tmp_path / "other", port=port), *loop_parts()):
            pass
    async with start_server(ServerConfig(tmp_path / "other"), *loop_parts()) as second:
        assert await health_of(second.address) == health_pb2.HealthCheckResponse.SERVING


async def test_plaintext_listens_on_loopback_only(tmp_path):
    with pytest.raises(OptionError, match="loopback"):
        async with start_server(ServerConfig(tmp_path, host="0.0.0.0"), *loop_parts()):
            pass


async def test_stopping_server_says_goodbye_and_keeps_results(tmp_path):
    """Running matches end as interrupted; bots learn why their streams end; everything is in the store."""
    async with open_server(tmp_path) as site:
        match, bots = await site.seat_bots("ann", "bob", pace=slow_pace())
        await bots[0].wait_for_prompt("cheat_turn")
        leaving = [asyncio.ensure_future(bot.wait_for_end()) for bot in bots]
        site.node.registry.close(site.node.now())
        for session in [*site.node.sessions.values()]:
            session.end("shutting_down", "the server stops")

        refusals = await asyncio.gather(*leaving)
        ended = await site.wait_for_result(match)

    for bot, refusal in zip(bots, refusals, strict=True):
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN")
        assert bot.notices[-1].farewell.reason == error_reason_pb2.ERROR_REASON_SHUTTING_DOWN
        assert any(event.HasField("match_ended") for message in bot.messages for event in message.events)
    assert ended.termination == "interrupted"


async def test_leaving_server_context_stops_everything(tmp_path):
    """Matches, streams, the listening socket and the lock all end with the context."""
    clock, selector = loop_parts()
    async with open_server(tmp_path) as site:
        match, (ann, _) = await site.seat_bots("ann", "bob", pace=slow_pace())
        await ann.wait_for_prompt()

    async with start_server(ServerConfig(tmp_path), clock, selector) as again:
        row = await again.store.results.match(MatchId(match.match_id))
    assert row.state == "ended"
    assert row.termination == "interrupted"


async def test_stop_lets_matches_finish_within_grace(tmp_path):
    """A match that is quick enough finishes with an ordinary result, and the server does not wait longer than that."""
    async with AsyncExitStack() as guests:
        running = AsyncExitStack()
        server = await running.enter_async_context(start_server(ServerConfig(tmp_path, grace_s=300), *loop_parts()))
        site = LocalServer(server, guests)
        await site.create_service_tokens()
        match, bots = await site.seat_bots("ann", "bob", pace=slow_pace())
        message, _ = await bots[0].wait_for_prompt("cheat_turn")
        bots[0].unread.appendleft(message)

        stopping = asyncio.ensure_future(running.aclose())
        await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
        refusals = await asyncio.gather(*(bot.wait_for_end() for bot in bots))
        await asyncio.wait_for(stopping, 30)

    async with start_server(ServerConfig(tmp_path), *loop_parts()) as again:
        row = await again.store.results.match(MatchId(match.match_id))
    assert row.termination == "finished"
    assert {refusal.reason for refusal in refusals} == {"SHUTTING_DOWN"}


async def test_stopping_server_opens_sessions_only_for_seats_that_are_held(tmp_path):
    """A bot of a running match reconnects during the grace; another one is told that the server stops."""
    async with open_server(tmp_path) as site:
        _, (ann, _) = await site.seat_bots("ann", "bob", pace=slow_pace())
        site.node.registry.is_closing = True
        await ann.disconnect()
        await site.wait_until_gone("ann")

        await site.connect_bot("ann")
        stranger = await site.open_stream("cid")
        with pytest.raises(grpc.aio.AioRpcError):
            await stranger.open_session()

        assert (await stranger.wait_for_end()).reason == "SHUTTING_DOWN"
        assert {name for name, _ in site.node.sessions} == {"ann", "bob"}


async def test_server_whose_store_cannot_be_written_is_not_serving(tmp_path, monkeypatch):
    """Another process keeps the store locked; health recovers by itself."""
    monkeypatch.setattr(engines, "_BUSY_TIMEOUT_MS", 50)
    monkeypatch.setattr(write_probe, "PROBE_INTERVAL_S", 0.01)
    states = health_pb2.HealthCheckResponse

    async def wait_for(status: int) -> None:
        async with asyncio.timeout(30):
            while await health_of(site.address) != status:
                await asyncio.sleep(0.01)

    async with open_server(tmp_path) as site:
        with closing(sqlite3.connect(tmp_path / "arena.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await wait_for(states.NOT_SERVING)
        await wait_for(states.SERVING)


# ---- the disk


class Disk:
    """A journal's disk that can be full."""

    def __init__(self, journal) -> None:
        self._flush = journal.flush
        self.is_full = False
        self.takes_s = 0.0
        """How long the next write blocks the whole server."""
        self.refused = asyncio.Event()

    def flush(self) -> None:
        time.sleep(self.takes_s)
        self.takes_s = 0.0
        if self.is_full:
            self.refused.set()
            raise JournalError("no space left")
        self._flush()


@pytest.fixture
def disk(site: LocalServer, monkeypatch) -> Disk:
    made = Disk(site.node.gate._journal)
    monkeypatch.setattr(site.node.gate._journal, "flush", made.flush)
    return made


@pytest.mark.slow
async def test_nothing_is_acknowledged_while_disk_is_full(site: LocalServer, disk: Disk):
    """Matches pause and continue without a restart; no bot loses time; messages sent meanwhile count, in order."""
    match, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace(turn_ms=400, call_ms=400))
    await bob.wait_for_event("cheat_dealt")
    message, prompt = await ann.wait_for_prompt("cheat_turn")
    ann.unread.appendleft(message)
    before = len(ann.messages), len(bob.messages)

    disk.is_full = True
    playing = asyncio.gather(ann.play(play_lowest), bob.play(play_lowest))
    await disk.refused.wait()
    paused_at = site.node.now()
    while site.node.now() <= prompt.deadline_us + 50_000:
        await asyncio.sleep(0.02)
    assert not site.node.resumed.is_set()
    assert (len(ann.messages), len(bob.messages)) == before
    disk.is_full = False
    await playing
    ended = await site.wait_for_result(match)

    assert ended.termination == "finished"
    assert [each.missing + each.late for each in ended.strikes] == [0, 0]
    assert [message.sequence for message in ann.messages] == [*range(1, len(ann.messages) + 1)]
    pauses = [each.us for each in site.read_journal() if isinstance(each, Credit)]
    assert len([us for us in pauses if us > prompt.deadline_us - paused_at]) == 1


async def test_bots_reconnecting_while_disk_is_full_cost_no_time(site, disk):
    """The pause is credited once, however often the journal retried."""
    match, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace())
    message, prompt = await ann.wait_for_prompt("cheat_turn")
    asked_at = site.node.now()
    ann.unread.appendleft(message)
    disk.is_full = True
    carol = await site.open_stream("carol")
    joining = asyncio.ensure_future(carol.open_session())
    site.node.gate.release_after_flush(site.node.sessions["bob", "one"].outbox)
    await disk.refused.wait()
    dora = await site.open_stream("dora")
    joining_too = asyncio.ensure_future(dora.open_session())
    await asyncio.sleep(0.3)
    deadline = prompt.deadline_us

    disk.is_full = False
    await asyncio.gather(joining, joining_too)
    await asyncio.wait_for(site.node.resumed.wait(), 30)
    now = site.node.now()
    (group,) = site.node.registry.matches[1].table.referee.current_game.prompts.groups.values()

    assert 0 < group.deadline - deadline <= now - asked_at  # a busy machine may stall before the disk does
    await asyncio.gather(ann.play(play_lowest), bob.play(play_lowest))
    assert (await site.wait_for_result(match)).strikes[0].missing == 0


@pytest.mark.parametrize(("fails_s", "works_s"), [(0.3, 0.0), (0.0, 0.3)], ids=["slow-to-fail", "slow-to-work"])
async def test_disk_time_is_credited_in_full_and_once(site: LocalServer, disk: Disk, fails_s, works_s):
    """A write that blocks the loop before it fails belongs to the pause.

    So does the one that ends it, which is no stall.
    """
    _, bots = await site.seat_bots("ann", "bob", pace=slow_pace())
    for bot in bots:
        await bot.wait_for_event("cheat_dealt")
    before = site.node.now()

    disk.is_full, disk.takes_s = True, fails_s
    site.node.gate.release_after_flush(site.node.sessions["bob", "one"].outbox)
    await disk.refused.wait()
    disk.is_full, disk.takes_s = False, works_s
    await asyncio.wait_for(site.node.resumed.wait(), 30)
    passed = site.node.now() - before
    await asyncio.sleep(0.01)
    site.node.gate.open()

    credited = [each.us for each in site.read_journal() if isinstance(each, Credit)]
    assert (fails_s + JOURNAL_RETRY_INTERVAL_S + works_s) * 1e6 <= sum(credited) <= passed


# ---- the result writer


async def test_match_that_cannot_be_derived_leaves_other_results_intact(site: LocalServer, monkeypatch):
    """The internal error is logged, and the store continues."""
    written = MatchRecorder.build_record

    def fail_once(*args):
        monkeypatch.setattr(MatchRecorder, "build_record", written)
        raise RuntimeError("a fault")

    monkeypatch.setattr(MatchRecorder, "build_record", fail_once)
    bots = await site.connect_bots("ann", "bob")
    results = []
    for _ in range(2):
        match = await site.create_match("ann", "bob", pace=slow_pace())
        await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
        results.append(await site.wait_for_result(match))

    assert [result.state for result in results] == [match_pb2.MATCH_STATE_ENDED] * 2
    assert [len(result.games) for result in results] == [0, 1]


async def test_match_without_stored_games_still_ends_for_those_who_wait(tmp_path):
    """Results, state and cancellation are answered when `keeps_records` is off; only the games are missing."""
    async with open_server(tmp_path, Limits(keeps_records=False)) as site:
        bots = await site.connect_bots("ann", "bob")
        played = await site.create_match("ann", "bob", pace=slow_pace())
        await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
        result = await site.wait_for_result(played)
        offered = await site.create_match("ann", "bob", pace=slow_pace())
        request = match_pb2.CancelMatchRequest(match_id=offered.match_id)
        await site.matches.CancelMatch(request, metadata=site.organizing, timeout=10)
        shown = await site.matches.GetMatch(
            match_pb2.GetMatchRequest(match_id=offered.match_id), metadata=site.organizing, timeout=10
        )

    assert (result.state, result.termination, len(result.games)) == (match_pb2.MATCH_STATE_ENDED, "finished", 0)
    assert (shown.match.state, shown.match.termination) == (match_pb2.MATCH_STATE_ENDED, "cancelled")


@pytest.mark.replaces_code
async def test_error_while_reading_frame_is_reported_to_bot(site: LocalServer, monkeypatch):
    """The bot learns that the server failed, instead of seeing an ordinary end."""
    ann = await site.connect_bot("ann")

    def fail(self, raw, at):
        raise RuntimeError("a fault")

    monkeypatch.setattr(FrameHandler, "_handle_frame", fail)
    await ann.send()
    refusal = await ann.wait_for_end()

    assert refusal.code is not grpc.StatusCode.OK
    with suppress(KeyError):
        del site.node.sessions["ann", "one"]


async def test_welcomed_bot_can_be_seated_at_once(site: LocalServer):
    """A match can be created with a bot that has its welcome, however much input waits before it."""
    site.node.inbox.is_shut = True
    ann = await site.open_stream("ann")
    hello = asyncio.ensure_future(ann.open_session())
    early, _ = await asyncio.wait({hello}, timeout=0.1)
    site.node.inbox.reopen()
    await hello

    assert not early
    assert ("ann", "one") in site.node.registry.sessions.by_key


async def test_failing_match_does_not_delay_other_deadlines(site, monkeypatch):
    """An internal error at a deadline affects only its match: deadlines due elsewhere at that moment are handled."""
    pace = slow_pace(turn_ms=100, call_ms=100)
    broken, _ = await site.seat_bots("ann", "bob", pace=pace)
    sound, bots = await site.seat_bots("cid", "dot", pace=pace)
    tables = {booking.match_id: booking.table for booking in site.node.registry.matches.values()}

    apply = tables[broken.match_id].apply

    def fail(entry: Input) -> None:
        if type(entry) is Tick:
            raise RuntimeError("a fault")
        apply(entry)

    monkeypatch.setattr(tables[broken.match_id], "apply", fail)
    before = _strike_count(tables[broken.match_id])  # it may have had a deadline while the others sat down
    await bots[0].wait_for_event("fault")

    assert _strike_count(tables[sound.match_id])
    assert _strike_count(tables[broken.match_id]) == before


def _strike_count(table):
    return sum(conduct.strikes.total() for conduct in table.referee.entrant_records)
