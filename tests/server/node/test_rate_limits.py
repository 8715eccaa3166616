"""Something may happen only so often for each key. Reconnecting refills nothing: limits belong to the session."""

import asyncio
from dataclasses import replace

from arena.server.node.limits import Limits
from arena.server.node.rate_limits import PeriodLimit, RateLimiter, RateLimiterCache
from cheatarena.v1 import decision_pb2
from tests.support.server import LocalServer, open_server, slow_pace

MINUTE_US = 60_000_000


def test_each_key_has_its_own_limit_within_any_minute():
    limit = PeriodLimit(2)

    assert [limit.admit("ann", at) for at in (0, 10, 20)] == [True, True, False]
    assert limit.admit("bob", 20)
    assert not limit.admit("ann", MINUTE_US - 1)
    assert limit.admit("ann", MINUTE_US)
    assert not limit.admit("ann", MINUTE_US + 9)
    assert limit.admit("ann", MINUTE_US + 10)


def test_refused_attempts_do_not_prolong_the_wait():
    limit = PeriodLimit(1)
    limit.admit("ann", 0)

    for at in range(0, MINUTE_US, MINUTE_US // 10):
        assert not limit.admit("ann", at)

    assert limit.admit("ann", MINUTE_US)


def test_keys_are_forgotten_after_a_minute():
    """A caller with many addresses takes no memory for long."""
    limit = PeriodLimit(3)
    for number in range(1000):
        limit.admit(f"address {number}", number)

    limit.admit("last", MINUTE_US + 2000)

    assert len(limit._events) == 1


def test_period_may_be_longer():
    limit = PeriodLimit(1, 60 * MINUTE_US)
    limit.admit("ann", 0)

    assert not limit.admit("ann", 60 * MINUTE_US - 1)
    assert limit.admit("ann", 60 * MINUTE_US)


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
