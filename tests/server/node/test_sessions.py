"""Which stream speaks for a bot, and how streams end."""

import asyncio
import time
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from arena.errors import DeniedError
from arena.match.referee.inputs import InputKind
from arena.server.node.limits import Limits
from arena.server.rpc.goodbye import say_goodbye
from arena.server.rpc.play_service import PlayService
from cheatarena.tls_settings import TlsSettings
from cheatarena.v1 import cheat_pb2, decision_pb2, match_pb2, play_pb2, session_pb2
from tests.support.server import LocalServer, open_server, slow_pace
from tests.support.wire_bot import play_lowest

DECLINE = cheat_pb2.CHEAT_ACTION_KIND_DECLINE


async def test_newest_stream_of_session_wins(site: LocalServer):
    """The old stream learns why it ends; the new one takes over its seats and is the only one to answer."""
    _, (old, _) = await site.seat_bots("ann", "bob", pace=slow_pace())
    message, prompt = await old.wait_for_prompt("cheat_turn")

    new = await site.open_stream("ann")
    welcome = await new.open_session()
    refusal = await old.wait_for_end()

    assert refusal.code is grpc.StatusCode.ABORTED
    assert refusal.reason == "SESSION_REPLACED"
    assert old.notices[-1].farewell.reason == play_pb2.ServerNotice().farewell.reason + 80
    assert welcome.seat_count == 1
    resumed, again = await new.wait_for_prompt("cheat_turn")
    assert resumed.snapshot.prompts[0].id == prompt.id
    assert again.deadline_us - prompt.deadline_us in site.possible_delays_us()
    assert new.hands == old.hands
    assert message.match == resumed.match
    assert len(site.node.sessions) == 2


async def test_two_instances_of_a_token_are_two_sessions(site: LocalServer):
    """Each holds its own seats, and a match names the process it means."""
    first = await site.connect_bot("ann", instance="one")
    second = await site.connect_bot("ann", instance="two")

    match = await site.create_match("ann/one", "ann/two", unrated=True)
    await first.answer_offer()
    await second.answer_offer()
    await asyncio.gather(first.play(play_lowest), second.play(play_lowest))

    assert (await site.wait_for_result(match)).termination == "finished"


async def test_goodbye_leaves_every_seat(site: LocalServer):
    """The match does not wait for a bot that will not return; the stream ends normally."""
    match, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace())
    await ann.wait_for_prompt()

    await ann.send_goodbye()
    refusal = await ann.wait_for_end()
    await bob.wait_for_event("match_ended")
    ended = await site.wait_for_result(match)

    assert refusal.code is grpc.StatusCode.OK
    assert [game.places for game in ended.games] == [bytes((2, 1))]
    assert ended.strikes[0].gone == 1


async def test_goodbye_leaves_both_seats_of_a_session(site: LocalServer):
    """In a practice match one process may hold every seat; its departure ends the match."""
    ann = await site.connect_bot("ann")
    match = await site.create_match("ann", "ann", unrated=True, pace=slow_pace())
    await ann.answer_offer()
    await ann.answer_offer()
    await ann.wait_for_prompt()

    await ann.send_goodbye()

    assert (await ann.wait_for_end()).code is grpc.StatusCode.OK
    assert (await site.wait_for_result(match)).strikes[1].gone == 0
    await site.connect_bot("bob")


async def test_goodbye_withdraws_accepted_offer(site: LocalServer):
    """A bot that accepted and left before the start is a no-show, not a lost connection."""
    ann, bob = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", pace=slow_pace())
    await ann.answer_offer()
    await ann.send_goodbye()
    await ann.wait_for_end()

    await bob.answer_offer()

    assert (await site.wait_for_result(match)).termination == "forfeited"


@pytest.mark.parametrize("is_cut", [False, True], ids=["its-stream-stands", "its-stream-has-ended"])
async def test_arena_says_goodbye_in_the_name_of_a_program_that_has_ended(site: LocalServer, is_cut: bool):
    """It leaves games and offers, also if a process that it forked keeps its connection open."""
    playing, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace())
    offered = await site.create_match("ann", "bob", pace=slow_pace())
    await bob.answer_offer()
    if is_cut:
        await ann.disconnect()
        await site.wait_until_gone("ann")

    await say_goodbye(site.address, site.tokens["ann"], "one", TlsSettings())

    assert (await site.wait_for_result(playing)).strikes[0].gone == 1
    assert (await site.wait_for_result(offered)).termination == "forfeited"
    assert [key[0] for key in site.node.sessions] == ["bob"]


@pytest.mark.replaces_code
async def test_bot_that_says_no_more_gets_the_welcome_that_is_being_written(site: LocalServer, monkeypatch):
    """It has half closed its stream, as the arena does with the goodbye for a program that has ended."""
    write_frames = PlayService._write_frames

    async def write_slowly(service, session, context, *events) -> None:
        async def write(frame: bytes) -> None:
            await asyncio.sleep(0.2)
            await context.write(frame)

        slow: Any = SimpleNamespace(send_initial_metadata=context.send_initial_metadata, write=write)
        await write_frames(service, session, slow, *events)

    monkeypatch.setattr(PlayService, "_write_frames", write_slowly)
    ann = await site.open_stream("ann")
    opening = asyncio.create_task(ann.open_session())
    await asyncio.sleep(0.05)
    await ann.call.done_writing()

    assert (await opening).name == "ann"
    assert (await ann.wait_for_end()).code is grpc.StatusCode.OK


async def test_goodbye_with_an_invalid_token_always_learns_why_it_is_refused(site: LocalServer):
    """Many times, because grpc.aio lost the reason now and then, when the second message was written meanwhile."""
    for _ in range(200):
        with pytest.raises(DeniedError, match="not a token"):
            await say_goodbye(site.address, "cat_wrong", "one", TlsSettings())


async def test_bot_that_does_not_come_back_leaves_games_and_offers(site: LocalServer):
    """As a league gives up a bot that has crashed too often."""
    playing, (_, bob) = await site.seat_bots("ann", "bob", pace=slow_pace())
    offered = await site.create_match("ann", "bob", pace=slow_pace())
    await bob.answer_offer()

    now = site.node.now()
    site.node.registry.leave_all_matches(("ann", "one"), now, now)

    assert (await site.wait_for_result(playing)).strikes[0].gone == 1
    assert (await site.wait_for_result(offered)).termination == "forfeited"


async def test_lost_stream_keeps_its_seats(site: LocalServer):
    """A stream that ends without a goodbye is a lost connection: the same prompt waits, and its deadline moves."""
    match, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace())
    _, prompt = await ann.wait_for_prompt("cheat_turn")

    await ann.call.done_writing()
    await ann.wait_for_end()
    await asyncio.sleep(0.01)  # what one pass of the loop sees has one stamp, and then no time is lost
    again = await site.open_stream("ann")
    await again.open_session()
    resumed = await again.wait_for_message(lambda m: m.HasField("snapshot"))
    message, moved = await again.wait_for_prompt("cheat_turn")
    again.unread.appendleft(message)
    await asyncio.gather(again.play(play_lowest), bob.play(play_lowest))

    assert resumed.snapshot.prompts[0].id == moved.id == prompt.id
    assert moved.deadline_us > prompt.deadline_us
    assert (await site.wait_for_result(match)).strikes[0].missing == 0
    assert {each.kind for each in site.read_journal()} >= {InputKind.LOST, InputKind.BACK}


async def test_missed_messages_are_resent_from_given_sequence(site: LocalServer):
    """A bot that states how far it got receives the rest, without gaps or duplicates."""
    _, (ann, *_) = await site.seat_bots("ann", "bob", "cid", pace=slow_pace())
    await ann.wait_for_event("cheat_dealt")
    seen = ann.messages[-1]
    await ann.disconnect()
    await site.wait_until_gone("ann")

    position = session_pb2.Position(match=seen.match, entrant=0, sequence=seen.sequence - 1)
    again = await site.open_stream("ann")
    await again.open_session(positions=[position], node=site.node.name)
    message, _ = await again.wait_for_prompt()

    assert not message.HasField("snapshot")
    numbers = [each.sequence for each in again.messages]
    assert numbers == [*range(seen.sequence, seen.sequence + len(numbers))]
    assert again.messages[0] == seen


async def test_unknown_sequence_gets_snapshot(site: LocalServer):
    _, (ann, *_) = await site.seat_bots("ann", "bob", pace=slow_pace())
    _, prompt = await ann.wait_for_prompt()

    again = await site.open_stream("ann")
    await again.open_session(positions=[session_pb2.Position(match=1, entrant=0, sequence=10_000)], node=site.node.name)
    message, same = await again.wait_for_prompt()

    assert message.HasField("snapshot")
    assert same == prompt


async def test_previously_accepted_answer_is_in_snapshot(site: LocalServer):
    """A bot that does not know whether its answer counted learns it when it reconnects."""
    _, bots = await site.seat_bots("ann", "bob", "cid", pace=slow_pace())
    ann, bob, _ = bots
    await ann.play(play_lowest, stop=lambda m: m.answers)
    message, prompt = await bob.wait_for_prompt("cheat_window")
    action_id = await bob.decide((message.match, message.entrant), prompt.id, kind=DECLINE)
    await bob.wait_for_answer(action_id)

    again = await site.open_stream("bob")
    await again.open_session()
    resumed = await again.wait_for_message(lambda m: m.HasField("snapshot"))

    assert [*resumed.snapshot.answered] == [prompt.id]
    last = resumed.snapshot.answers[-1]
    assert (last.prompt_id, last.action_id) == (prompt.id, action_id)
    assert last.status == decision_pb2.DECISION_STATUS_ACCEPTED


async def test_programs_with_and_without_joined_acceptances_share_a_table(site: LocalServer):
    """Each gets what it asked for. Both have the same sequence, so either may continue the other's session."""
    bots = [await site.connect_bot(name, takes_joined_acceptances=name == "bob") for name in ("ann", "bob", "cid")]
    ann, bob, cid = bots
    match = await site.create_match("ann", "bob", "cid", pace=slow_pace())
    for bot in bots:
        await bot.answer_offer()
    await ann.play(play_lowest, stop=lambda m: m.answers)
    for bot in (bob, cid):
        message, prompt = await bot.wait_for_prompt("cheat_window")
        action_id = await bot.decide((message.match, message.entrant), prompt.id, kind=DECLINE)

    together, alone = await bob.wait_for_answer(1), await cid.wait_for_answer(action_id)
    joined = next(each for each in bob.messages if each.answers)
    assert together.status == alone.status == decision_pb2.DECISION_STATUS_ACCEPTED
    assert [event.WhichOneof("fact") for event in joined.events] == ["cheat_window_closed"]
    assert joined.joined_count == 1
    assert not any(each.joined_count for bot in (ann, cid) for each in bot.messages)

    again = await site.open_stream("bob")
    position = session_pb2.Position(match=joined.match, entrant=1, sequence=joined.sequence - 2)
    await again.open_session(positions=[position], node=site.node.name)
    await again.wait_for_notice("resumed")
    assert [each.sequence for each in again.messages] == [joined.sequence - 1, joined.sequence]
    assert [len(each.answers) for each in again.messages] == [1, 0]

    again.hands = bob.hands
    await asyncio.gather(*[each.play(play_lowest) for each in (ann, again, cid)])
    assert (await site.wait_for_result(match)).strikes[1].missing == 0


@pytest.mark.parametrize(
    ("seats", "size", "is_cut"), [(0, 9_000, False), (0, 11_000, True), (1, 14_000, False), (1, 16_000, True)]
)
async def test_outbox_size_follows_held_seats(tmp_path, seats, size, is_cut):
    """Neither the capacity it claims nor ended seats count."""
    async with open_server(tmp_path, replace(Limits(), outbox_bytes=10_000, outbox_bytes_a_seat=5_000)) as site:
        ann, bob = await site.connect_bots("ann", "bob")
        for _ in range(2):
            match = await site.create_match("ann", "bob", pace=slow_pace())
            await ann.answer_offer()
            await bob.answer_offer()
            await ann.wait_for_event("cheat_dealt")
            if len(site.node.registry.matches) > seats:
                request = match_pb2.CancelMatchRequest(match_id=match.match_id)
                await site.matches.CancelMatch(request, metadata=site.organizing)
                await ann.wait_for_event("match_ended")
        session = site.node.sessions["ann", "one"]

        session.outbox.stage(bytes(size))
        session.outbox.release()

        assert session.ended.done() is is_cut


async def test_revoked_token_ends_its_streams(site: LocalServer):
    """The server looks each second; other tokens' streams do not end."""
    ann, bob = await site.connect_bots("ann", "bob")
    (handle,) = [row.handle for row in await site.store.tokens.list() if row.name == "ann"]

    await site.store.tokens.revoke(handle)
    async with asyncio.timeout(30):
        refusal = await ann.wait_for_end()

    assert refusal.code is grpc.StatusCode.UNAUTHENTICATED
    assert refusal.reason == "TOKEN_REVOKED"
    assert [key[0] for key in site.node.sessions] == ["bob"]
    await bob.send(play_pb2.BotNotice(pong=session_pb2.Pong()))


async def test_expired_token_ends_its_streams(site: LocalServer):
    """They do not end before; other tokens' streams do not end at all."""
    await site.connect_bot("bob")
    expires_at = time.time() + 1
    site.tokens["ann"] = await site.store.tokens.create("ann", ["play"], timedelta(seconds=1))
    ann = await site.connect_bot("ann")

    async with asyncio.timeout(30):
        refusal = await ann.wait_for_end()

    assert time.time() >= expires_at - 0.1
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED")
    assert [key[0] for key in site.node.sessions] == ["bob"]


# ---- derived instances


async def test_program_that_starts_again_finds_its_seats_by_its_derived_instance(site: LocalServer):
    first = await site.connect_bot("ann", instance="pc", is_instance_derived=True)
    await site.connect_bot("bob")
    await site.create_match("ann", "bob", pace=slow_pace())
    await first.answer_offer()
    first.call.cancel()
    await site.wait_until_gone("ann", "pc")

    again = await (await site.open_stream("ann")).open_session(instance="pc", is_instance_derived=True)

    assert (again.instance, again.seat_count) == ("pc", 1)


async def test_programs_that_derive_the_same_instance_all_stay(site: LocalServer):
    """A number tells them apart. With it, each takes over its own seats as ever."""
    bots = [await site.open_stream("ann") for _ in range(3)]
    given = [(await bot.open_session(instance="pc", is_instance_derived=True)).instance for bot in bots]

    again = await (await site.open_stream("ann")).open_session(instance="pc.2")

    assert given == ["pc", "pc.2", "pc.3"]
    assert again.instance == "pc.2"
    assert (await bots[1].wait_for_end()).reason == "SESSION_REPLACED"
    assert {key[1] for key in site.node.sessions} == {*given}


async def test_free_instance_with_seats_comes_before_one_without(site: LocalServer):
    """So it does not matter which of several programs ended first."""
    first = await site.connect_bot("ann", instance="pc", is_instance_derived=True)
    second = await site.connect_bot("ann", instance="pc", is_instance_derived=True)
    await site.connect_bot("bob")
    await site.create_match("ann/pc.2", "bob", pace=slow_pace())
    await second.answer_offer()
    for bot, instance in ((first, "pc"), (second, "pc.2")):
        bot.call.cancel()
        await site.wait_until_gone("ann", instance)

    again = await (await site.open_stream("ann")).open_session(instance="pc", is_instance_derived=True)

    assert (again.instance, again.seat_count) == ("pc.2", 1)


async def test_derived_instance_is_no_way_around_the_limit_of_a_token(tmp_path):
    async with open_server(tmp_path, Limits(sessions_a_token=2)) as site:
        for _ in range(2):
            await site.connect_bot("ann", instance="x" * 64, is_instance_derived=True)
        third = await site.open_stream("ann")
        with pytest.raises(grpc.aio.AioRpcError, match="'ann' already has 2 sessions"):
            await third.open_session(instance="x" * 64, is_instance_derived=True)
