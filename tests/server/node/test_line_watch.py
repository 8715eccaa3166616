"""A stream on which a bot is silent after a ping ends, and the bot may come back. No acceptance waits for long."""

import asyncio
import math
from typing import Any

import grpc
import pytest

from arena.match.referee.scalars import EntrantIndex
from arena.server.node.bot_line import STEP_S
from arena.server.node.line_watch import SILENCE_S
from cheatarena.v1 import cheat_pb2, decision_pb2, play_pb2, session_pb2
from tests.support.server import LocalServer, slow_pace
from tests.support.wire_bot import WireBot, play_lowest

DECLINE = cheat_pb2.CHEAT_ACTION_KIND_DECLINE

LOOKS = math.ceil(SILENCE_S / STEP_S)
"""How many steps a bot may be silent, after the one in which it was asked."""


async def ping(site: LocalServer, bot: WireBot) -> int:
    """Ping Ann, let her read it, and return the nonce. The look after a ping counts nothing."""
    session = site.node.sessions["ann", "one"]
    session.ping(site.node.now())
    nonce = (await bot.wait_for_notice("ping")).ping.nonce
    while not session.is_waiting_for_bot:
        await asyncio.sleep(0.001)
    look(site)
    return nonce


def look(site: LocalServer, times: int = 1) -> None:
    for _ in range(times):
        site.node.line_watch.look()


def is_ended(site: LocalServer) -> bool:
    return site.node.sessions["ann", "one"].ended.done()


async def test_stream_of_a_silent_bot_ends_and_the_next_one_resumes(site: LocalServer):
    _, (ann, _) = await site.seat_bots("ann", "bob", pace=slow_pace(turn_ms=2_000))
    await ping(site, ann)
    look(site, LOOKS - 1)
    assert not is_ended(site)

    look(site)
    ended = await ann.wait_for_end()

    assert (ended.code, ended.reason) == (grpc.StatusCode.UNAVAILABLE, "SILENT")
    assert "nothing has come from the bot for 25 s after a Ping" in ended.text
    assert ann.notices[-1].farewell.detail == ended.text
    again = await site.open_stream("ann")
    assert (await again.open_session()).seat_count == 1


async def test_every_frame_ends_the_silence(site: LocalServer):
    """A decision does too, although the ping stays without an answer."""
    _, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace(turn_ms=2_000))
    nonce = await ping(site, ann)
    look(site, LOOKS - 1)
    await ann.send(play_pb2.BotNotice(pong=session_pb2.Pong(nonce=nonce)))
    while site.node.sessions["ann", "one"].silence.seconds:
        await bob.decide((0, 0), 1)
        await bob.receive()
    look(site, LOOKS)
    assert not is_ended(site)

    await ping(site, ann)
    look(site, LOOKS - 1)
    await ann.decide((0, 0), 1)
    await ann.wait_for_answer(1)
    look(site, LOOKS)
    assert not is_ended(site)


@pytest.mark.parametrize(("pace", "looks"), [({"turn_ms": 60_000}, 14), ({"no_deadlines": True}, 1_000)])
async def test_bot_that_may_think_for_longer_may_be_silent_for_longer(site: LocalServer, pace: dict[str, Any], looks):
    """A bot with one thread answers no ping while it thinks."""
    _, (ann, _) = await site.seat_bots("ann", "bob", pace=slow_pace(**pace))
    await ann.wait_for_prompt("cheat_turn")
    await ping(site, ann)

    look(site, looks - 1)
    assert not is_ended(site)
    look(site)
    assert is_ended(site) is ("turn_ms" in pace)


@pytest.mark.replaces_code
async def test_server_that_cannot_send_or_does_not_read_blames_nobody(site: LocalServer, monkeypatch):
    """While the journal cannot be written, messages wait. While too much waits to be handled, nothing is read."""
    ann = await site.connect_bot("ann")
    session = site.node.sessions["ann", "one"]
    with monkeypatch.context() as patched:
        patched.setattr(site.node.gate, "release_after_flush", lambda _: None)
        session.confirm_resumption()
        session.ping(site.node.now())
        look(site, 2 * LOOKS)
    await ann.wait_for_notice("ping")

    session.read_pause.add_frame(1 << 20)
    look(site, 2 * LOOKS)

    assert not is_ended(site)


async def test_acceptance_that_waits_for_a_later_message_is_sent_at_the_next_look(site: LocalServer):
    bots = [await site.connect_bot(name, takes_joined_acceptances=name == "bob") for name in ("ann", "bob", "cid")]
    ann, bob, _ = bots
    match = await site.create_match("ann", "bob", "cid", pace=slow_pace())
    for bot in bots:
        await bot.answer_offer()
    await ann.play(play_lowest, stop=lambda m: m.answers)
    message, prompt = await bob.wait_for_prompt("cheat_window")
    action_id = await bob.decide((message.match, message.entrant), prompt.id, kind=DECLINE)

    answered = asyncio.create_task(bob.wait_for_answer(action_id))
    while not answered.done():
        look(site)
        await asyncio.sleep(0.001)

    assert (await answered).status == decision_pb2.DECISION_STATUS_ACCEPTED
    referee = site.node.registry.matches[match.match_number].table.referee
    assert referee.prompts_of(EntrantIndex(2)), "the window is still open"
