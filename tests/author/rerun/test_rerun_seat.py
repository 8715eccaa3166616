"""The messages a bot receives in a recorded seat, on the wire."""

import asyncio
import contextlib

import pytest

from arena.author.rerun.rerun_seat import RecordedMatch, RerunSeat, WaitPolicy
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import EntrantIndex
from cheatarena.v1 import cheat_pb2, decision_pb2
from tests.match.referee.driver import MS
from tests.support.recorded_matches import ManualMatch
from tests.support.server import open_server

ID = MatchId("01K00000000000000000000NEW")
ACE = {"kind": cheat_pb2.CHEAT_ACTION_KIND_PLAY, "cards": bytes([0]), "rank": 0, "count": 1}
SEAT = (9, 0)


@pytest.fixture
async def seated(tmp_path):
    """A wire bot in the place of Ann, who laid the ace of clubs; gives the server too."""
    match = ManualMatch(ID, number=9, turn_ms=700)
    match.answer(0, "1A AC", at=12 * MS)
    match.answer(1, "decline", at=20 * MS)
    match.play_out()
    async with open_server(tmp_path) as site:
        bot = await site.connect_bot("Ann")
        patience = WaitPolicy(lambda: None, lambda prompt_id, waited_s: None)
        place = RerunSeat(RecordedMatch(ID, 9, match.records, None), EntrantIndex(0), site.node, patience)

        async def play():
            await place.offer(site.node.registry.sessions.find("Ann"))
            await place.play()

        task = asyncio.ensure_future(play())
        yield site, bot, place
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_rerun_has_no_deadlines_but_is_otherwise_unchanged(seated):
    _, bot, _ = seated

    offered = await bot.answer_offer()
    message, prompt = await bot.wait_for_prompt("cheat_turn")

    assert (offered.match, offered.entrant) == SEAT
    assert offered.terms.pace.no_deadlines
    assert offered.terms.pace.turn_ms == 700
    assert (prompt.id, prompt.deadline_us, prompt.earliest_us, prompt.lands_us) == (1, 0, 0, 0)
    assert [event.WhichOneof("fact") for event in message.events][:3] == [
        "match_started",
        "entrant_seed",
        "game_started",
    ]


async def test_decision_is_acknowledged_under_its_own_id(seated):
    """The recorded answer to it is not sent, but the recorded move is."""
    _, bot, place = seated
    await bot.answer_offer()
    await bot.wait_for_prompt("cheat_turn")

    action_id = await bot.decide(SEAT, 1, 77, **ACE)

    answer = await bot.wait_for_answer(action_id)
    assert answer.status == decision_pb2.DECISION_STATUS_ACCEPTED
    played = await bot.wait_for_event("cheat_played")
    assert (played.cheat_played.seat, played.cheat_played.count) == (0, 1)
    assert [each.action_id for message in bot.messages for each in message.answers] == [77]
    assert place.responses[1].action is not None


async def test_reconnected_bot_continues_where_it_was(seated):
    """Its stream is lost in the middle of a prompt: a snapshot has the prompt, and no times."""
    site, bot, _ = seated
    await bot.answer_offer()
    await bot.wait_for_prompt("cheat_turn")
    await bot.disconnect()
    await site.wait_until_gone("Ann")

    again = await site.connect_bot("Ann")
    message, prompt = await again.wait_for_prompt("cheat_turn")

    assert message.HasField("snapshot")
    assert (prompt.id, prompt.deadline_us) == (1, 0)
    assert list(message.snapshot.answered) == []
    await again.decide(SEAT, 1, 5, **ACE)
    assert (await again.wait_for_answer(5)).status == decision_pb2.DECISION_STATUS_ACCEPTED
