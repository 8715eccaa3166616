"""Reconnecting refills nothing: allowance, dropped and invalid messages belong to the session."""

import asyncio
from dataclasses import replace

from arena.server.node.limits import Limits
from arena.server.node.rate_limiter import RateLimiter, RateLimiterCache
from cheatarena.v1 import decision_pb2
from tests.support.server import LocalServer, open_server, slow_pace

ANN = ("ann", "one")


def test_standing_is_kept_for_its_retention_time():
    standings, standing = RateLimiterCache(most=2, kept_us=100), RateLimiter(Limits(), 0)

    standings.keep(ANN, standing, 0)
    assert standings.take(ANN, 100) is standing
    assert standings.take(ANN, 100) is None
    standings.keep(ANN, standing, 0)
    assert standings.take(ANN, 101) is None


def test_standings_are_bounded_and_oldest_is_evicted_first():
    standings = RateLimiterCache(most=2, kept_us=100)
    for number in range(3):
        standings.keep(("ann", str(number)), RateLimiter(Limits(), 0), number)

    assert standings.take(("ann", "0"), 3) is None
    assert standings.take(("ann", "1"), 3) is not None
    assert standings.take(("ann", "2"), 3) is not None


async def come_back(site: LocalServer, old):
    await old.disconnect()
    await site.wait_until_gone("ann")
    return await site.connect_bot("ann")


async def test_reconnecting_does_not_refill_allowance(tmp_path):
    """Repeated offers and prompts do not refill it either; dropped messages stay counted."""
    flood = [decision_pb2.Decision(match=9, prompt_id=9, action_id=number) for number in range(1, 101)]
    async with open_server(tmp_path, replace(Limits(), messages_a_second=1)) as site:
        ann, bob = await site.connect_bots("ann", "bob")
        await site.create_match("ann", "bob", pace=slow_pace())
        await ann.answer_offer()
        await bob.answer_offer()
        await ann.wait_for_prompt("cheat_turn")
        await ann.send(decisions=flood)
        await ann.wait_for_answer(1)
        before = site.node.sessions[ANN].dropped_count
        assert 96 <= before < 100, "two for the prompt, two for the offer, less one answer, and one besides"

        for number in range(1, 4):
            ann = await come_back(site, ann)
            await ann.wait_for_prompt("cheat_turn")
            await ann.send(decisions=flood)
            async with asyncio.timeout(30):
                while site.node.sessions[ANN].dropped_count < before + 100 * number - 3:
                    await asyncio.sleep(0.001)


async def test_invalid_messages_of_earlier_streams_count(tmp_path):
    async with open_server(tmp_path, replace(Limits(), invalid_messages=3)) as site:
        ann = await site.connect_bot("ann")
        for _ in range(2):
            await ann.send_raw(b"\xff")
            await ann.wait_for_answer(await ann.decide((9, 9), 1))
            ann = await come_back(site, ann)
        assert not site.node.sessions[ANN].ended.done()

        await ann.send_raw(b"\xff")

        assert (await ann.wait_for_end()).reason == "TOO_MANY_INVALID"
