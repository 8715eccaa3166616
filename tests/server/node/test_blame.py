"""What a node saw of a bot that gave no answer is corrected if the line turns out to have been dead."""

import asyncio

import pytest

from arena.match.referee.facts import StrikeKind
from arena.match.referee.ports import MatchId
from arena.match.referee.strike_record import Conditions, StrikeRecord
from arena.plain_data import from_plain
from cheatarena.v1 import match_pb2, play_pb2, session_pb2
from tests.support.server import LocalServer, slow_pace
from tests.support.wire_bot import WireBot


async def miss_a_turn(site: LocalServer, *, pongs: bool = False) -> tuple[match_pb2.Match, WireBot]:
    """Let Ann miss a turn. Up to its deadline she may answer pings: a stall moves the question past earlier ones."""
    match, (ann, _) = await site.seat_bots("ann", "bob", pace=slow_pace(turn_ms=500, reconnect_grace_ms=0))
    await ann.wait_for_prompt("cheat_turn")
    (hosted,) = site.node.registry.matches.values()
    while not hosted.table.referee.entrant_records[0].strikes[StrikeKind.MISSING]:
        if pongs:
            await pong(site, ann)
        await asyncio.sleep(0.01)
    return match, ann


async def pong(site: LocalServer, bot: WireBot) -> None:
    """Answer a ping of now. Two frames may arrive with the same stamp, so the frames are counted."""
    site.node.sessions["ann", "one"].ping(site.node.now())
    nonce = (await bot.wait_for_notice("ping")).ping.nonce
    count = site.node.frames["in"]
    await bot.send(play_pb2.BotNotice(pong=session_pb2.Pong(nonce=nonce)))
    while site.node.frames["in"] == count:
        await asyncio.sleep(0.01)


async def first_seen(site: LocalServer, match: match_pb2.Match) -> Conditions:
    """Cancel the match, and return what the node saw when Ann gave no answer."""
    await site.matches.CancelMatch(match_pb2.CancelMatchRequest(match_id=match.match_id), metadata=site.organizing)
    row = await site.store.results.match(MatchId(match.match_id))
    strike = next(each for each in from_plain(row.faults, list[StrikeRecord]) if each.kind is StrikeKind.MISSING)
    assert strike.conditions is not None
    return strike.conditions


@pytest.mark.parametrize("pongs", [True, False])
async def test_sign_of_life_while_a_bot_is_asked_is_kept(site: LocalServer, pongs: bool):
    match, _ = await miss_a_turn(site, pongs=pongs)

    seen = await first_seen(site, match)

    assert (seen.alive_us is not None, seen.is_silent) == (pongs, False)


@pytest.mark.parametrize("how", ["silent", "cut", "replaced"])
async def test_stream_that_ends_without_another_sign_of_life_was_silent(site: LocalServer, how: str):
    """Whether the server ends it for its silence, or it is cut, or the bot has dialled again."""
    match, ann = await miss_a_turn(site)

    if how == "silent":
        site.node.sessions["ann", "one"].end("silent", "nothing has come from the bot")
        await ann.wait_for_end()
    elif how == "cut":
        await ann.disconnect()
    else:
        await site.connect_bot("ann")
    await site.wait_until_gone("ann") if how != "replaced" else await ann.wait_for_end()

    assert (await first_seen(site, match)).is_silent


@pytest.mark.parametrize("leaves", [True, False])
async def test_bot_that_was_heard_of_again_was_not_silent(site: LocalServer, leaves: bool):
    match, ann = await miss_a_turn(site)

    await (ann.send_goodbye() if leaves else pong(site, ann))
    await ann.disconnect()
    await site.wait_until_gone("ann")

    assert not (await first_seen(site, match)).is_silent
