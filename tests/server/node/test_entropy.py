"""Bots contribute entropy: promised with the seat, revealed when all seats are known, and never a way to stall."""

import asyncio
import hashlib

import pytest

from arena.games.cheat.rules.cards import sorted_deck
from arena.match.deal.commitment import Contribution, transcript
from arena.match.deal.stream import SeededChance
from arena.match.game import ChanceRequest
from arena.server.node import lobby
from cheatarena.v1 import event_pb2, lobby_pb2, play_pb2
from tests.support.server import LocalServer, slow_pace
from tests.support.wire_bot import play_lowest

OWN = {name: bytes([number]) * 32 for number, name in enumerate(("ann", "bob", "cid"), start=1)}
PROMISES = {name: hashlib.sha256(entropy).digest() for name, entropy in OWN.items()}
SLOW = slow_pace()
QUICK = slow_pace(turn_ms=150, call_ms=150)
NO_SEED = {"seed": b"", "pace": SLOW}


async def finish_match(*bots):
    """Let the match be played, and return the fact that opens its deal."""
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
    return opened_deal(bots[0])


def opened_deal(bot):
    return next(e.deal_revealed for m in bot.messages for e in m.events if e.HasField("deal_revealed"))


def faults(bot):
    return [(e.fault.kind, e.fault.reason) for m in bot.messages for e in m.events if e.HasField("fault")]


async def test_entropy_is_requested_once_and_determines_cards(site):
    """Two of three bots contribute; the first hand follows from seed and contributions."""
    ann, bob, cid = await site.connect_bots("ann", "bob", "cid")
    match = await site.create_match("ann", "bob", "cid", **NO_SEED)
    offers = {
        "ann": await ann.answer_offer(promise=PROMISES["ann"]),
        "bob": await bob.answer_offer(),
        "cid": await cid.answer_offer(promise=PROMISES["cid"]),
    }
    for name, bot in (("ann", ann), ("cid", cid)):
        asked = (await bot.wait_for_notice("entropy_asked")).entropy_asked
        assert asked.offer_id == offers[name].offer_id
        assert asked.answer_by_us > site.node.now()
        assert not bot.messages, "no card before all is told"
        await bot.send_entropy(asked.offer_id, OWN[name])
    deal = await finish_match(ann, bob, cid)

    told = [(each.entrant, each.promise, each.entropy) for each in deal.contributions]
    assert told == [(0, PROMISES["ann"], OWN["ann"]), (2, PROMISES["cid"], OWN["cid"])]
    contributed = transcript([Contribution(*each) for each in told])
    order = SeededChance(deal.seed, match.match_id, contributed).draw(0, ChanceRequest("deck", 0, 0, 54))
    hand = next(e.cheat_hand for m in bob.messages for e in m.events if e.HasField("cheat_hand"))
    assert hand.cards.cards == bytes(sorted(sorted_deck(1, 2)[card] for card in order[1::3]))
    assert not [notice for notice in bob.notices if notice.HasField("entropy_asked")]
    assert not faults(ann)


async def test_no_entropy_is_requested_without_promises(site: LocalServer):
    """There is no additional exchange."""
    match, bots = await site.seat_bots("ann", "bob", **NO_SEED)

    deal = await finish_match(*bots)

    assert not deal.contributions
    assert not any(notice.HasField("entropy_asked") for bot in bots for notice in bot.notices)
    assert deal.deal_id == match.match_id


async def test_missing_entropy_contributes_nothing_and_earns_strike(site: LocalServer):
    """The match begins without it one turn later."""
    ann, bob = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", seed=b"", pace=QUICK)
    await ann.answer_offer(promise=PROMISES["ann"])
    await bob.answer_offer()

    await ann.wait_for_notice("entropy_asked")
    await ann.wait_for_event("match_started")
    assert faults(ann) == [(event_pb2.FAULT_KIND_MISSING, 0)]
    deal = await finish_match(ann, bob)

    assert [(each.promise, each.entropy) for each in deal.contributions] == [(PROMISES["ann"], b"")]
    assert (await site.wait_for_result(match)).strikes[0].missing >= 1


async def test_entropy_other_than_promised_contributes_nothing_and_earns_strike(site):
    """The first answer counts: the right one arrives too late."""
    ann, bob = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", **NO_SEED)
    offer = await ann.answer_offer(promise=PROMISES["ann"])
    await bob.answer_offer(promise=PROMISES["bob"])
    asked = (await bob.wait_for_notice("entropy_asked")).entropy_asked
    await ann.wait_for_notice("entropy_asked")
    await ann.send_entropy(offer.offer_id, OWN["bob"])
    await ann.send_entropy(offer.offer_id, OWN["ann"])
    await ann.wait_for_answer(await ann.decide((9, 9), 1))
    await bob.send_entropy(asked.offer_id, OWN["bob"])

    deal = await finish_match(ann, bob)

    assert [each.entropy for each in deal.contributions] == [b"", OWN["bob"]]
    assert [fault[0] for fault in faults(ann)] == [event_pb2.FAULT_KIND_ILLEGAL]
    assert [strikes.illegal for strikes in (await site.wait_for_result(match)).strikes] == [1, 0]


async def test_late_or_unrequested_entropy_changes_nothing(site):
    """It comes from a bot that promised nothing, before the request, for another seat, and after the deal."""
    ann, bob = await site.connect_bots("ann", "bob")
    await site.create_match("ann", "bob", **NO_SEED)
    first = (await ann.wait_for_notice("offered")).offered
    await ann.send_entropy(first.offer_id, OWN["ann"])
    await bob.answer_offer(promise=PROMISES["bob"])
    accepting = lobby_pb2.OfferAnswer(offer_id=first.offer_id, accept=True)
    await ann.send(play_pb2.BotNotice(offer_answer=accepting))
    asked = (await bob.wait_for_notice("entropy_asked")).entropy_asked
    await ann.send_entropy(first.offer_id, OWN["ann"])
    await ann.send_entropy(asked.offer_id, OWN["ann"])
    await ann.wait_for_answer(await ann.decide((9, 9), 1))
    await bob.send_entropy(asked.offer_id, OWN["bob"])
    await bob.play(play_lowest, stop=lambda message: message.sequence == 1)
    await bob.send_entropy(asked.offer_id, OWN["cid"])

    deal = await finish_match(ann, bob)

    assert [(each.entrant, each.entropy) for each in deal.contributions] == [(1, OWN["bob"])]
    assert not faults(ann) + faults(bob)


async def test_entropy_is_requested_again_after_reconnect(site):
    ann, bob = await site.connect_bots("ann", "bob")
    await site.create_match("ann", "bob", **NO_SEED)
    await ann.answer_offer(promise=PROMISES["ann"])
    await bob.answer_offer()
    await ann.wait_for_notice("entropy_asked")
    await ann.disconnect()
    await site.wait_until_gone("ann")

    again = await site.connect_bot("ann")
    asked = (await again.wait_for_notice("entropy_asked")).entropy_asked
    await again.send_entropy(asked.offer_id, OWN["ann"])

    assert [each.entropy for each in (await finish_match(again, bob)).contributions] == [OWN["ann"]]


async def test_goodbye_during_entropy_request_forfeits(site: LocalServer):
    """The others wait no longer than a turn, and play."""
    ann, bob, cid = await site.connect_bots("ann", "bob", "cid")
    match = await site.create_match("ann", "bob", "cid", seed=b"", pace=QUICK)
    await ann.answer_offer(promise=PROMISES["ann"])
    await bob.answer_offer()
    await cid.answer_offer()
    await ann.wait_for_notice("entropy_asked")
    await ann.send_goodbye()

    await finish_match(bob, cid)

    ended = await site.wait_for_result(match)
    assert (ended.strikes[0].gone, ended.strikes[0].missing) == (1, 1)
    assert not ann.messages


async def test_match_cancelled_during_entropy_request_ends(site):
    """Bots receive nothing beyond the cancellation, and the deal is still opened."""
    ann, bob = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", **NO_SEED)
    await ann.answer_offer(promise=PROMISES["ann"])
    await bob.answer_offer()
    await ann.wait_for_notice("entropy_asked")

    site.node.registry.cancel(1, site.node.now(), site.node.now())
    ended = await site.wait_for_result(match)

    assert ended.termination == "cancelled"
    assert ended.deal.revealed.deal_id == match.match_id
    await ann.wait_for_notice("offer_closed")


async def test_no_entropy_is_requested_when_cards_are_given(site: LocalServer):
    """The same seed yields the same cards whatever the bots promise."""
    ann, bob = await site.connect_bots("ann", "bob")
    await site.create_match("ann", "bob", pace=SLOW)
    await ann.answer_offer(promise=PROMISES["ann"])
    await bob.answer_offer()

    deal = await finish_match(ann, bob)

    assert (deal.deal_id, len(deal.contributions)) == ("given", 0)


@pytest.mark.parametrize("size", [1, 31, 33])
async def test_promise_of_wrong_length_makes_answer_unreadable(site, size, monkeypatch):
    """The server does not guess: the offer stays open and expires."""
    monkeypatch.setattr(lobby, "OFFER_TIMEOUT_US", 200_000)
    ann, bob, cid = await site.connect_bots("ann", "bob", "cid")
    await site.create_match("ann", "bob", "cid", **NO_SEED)
    await ann.answer_offer(promise=bytes(size))
    await bob.answer_offer()
    await cid.answer_offer()

    await ann.wait_for_notice("offer_closed")
    await finish_match(bob, cid)

    assert not ann.messages
