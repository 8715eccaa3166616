"""Matches created concurrently, and organizers that disconnect during creation."""

import asyncio
from collections.abc import Iterator

import pytest

from arena.errors import JournalError, StoreError
from cheatarena.v1 import lobby_pb2, match_pb2, play_pb2
from tests.support.server import LocalServer
from tests.support.wire_bot import expect_refusal, play_lowest

NO_SEED = {"seed": b"", "unrated": True}


class SlowStore:
    """A store whose commits end when the test says so."""

    def __init__(self, deals) -> None:
        self._commit = deals.commit
        self.has_begun = asyncio.Event()
        self.may_end = asyncio.Event()
        self.fault: StoreError | None = None

    async def commit(self, row):
        self.has_begun.set()
        await self.may_end.wait()
        if self.fault is not None:
            raise self.fault
        return await self._commit(row)


@pytest.fixture
def slow(site: LocalServer) -> Iterator[SlowStore]:
    made = SlowStore(site.store.deals)
    object.__setattr__(site.store.deals, "commit", made.commit)
    yield made
    made.may_end.set()  # a test that has failed leaves a commit behind, and the server would wait for it forever


async def test_committed_deal_is_offered_although_organizer_disconnected(site, slow):
    """Otherwise the deal would never be opened."""
    bots = await site.connect_bots("ann", "bob")
    asking = asyncio.ensure_future(site.create_match("ann", "bob", **NO_SEED))
    await slow.has_begun.wait()

    asking.cancel()
    await asyncio.sleep(0.05)
    slow.may_end.set()
    for bot in bots:
        await bot.answer_offer()
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
    await site.server.result_writer.drain()

    (deal,) = await site.store.deals.chain()
    assert deal.revealed is not None


async def test_server_stopping_during_creation_opens_deal(site, slow):
    await site.connect_bots("ann", "bob")
    asking = asyncio.ensure_future(site.create_match("ann", "bob", **NO_SEED))
    await slow.has_begun.wait()

    site.node.registry.close(site.node.now())
    slow.may_end.set()
    match = await asking
    await site.server.result_writer.drain()

    assert (await site.wait_for_result(match)).termination == "interrupted"
    (deal,) = await site.store.deals.chain()
    assert deal.revealed is not None


async def test_concurrent_identical_orders_create_one_match(site: LocalServer, slow: SlowStore):
    await site.connect_bots("ann", "bob")
    asking = [asyncio.ensure_future(site.create_match("ann", "bob", idempotency_key="k")) for _ in range(3)]
    await slow.has_begun.wait()
    await asyncio.sleep(0.05)
    slow.may_end.set()

    made = await asyncio.gather(*asking)

    assert len({match.match_id for match in made}) == 1
    assert len(await site.store.deals.chain()) == 1


async def test_seats_of_matches_being_created_count_against_capacity(site: LocalServer, slow: SlowStore):
    """A bot is never offered more seats than it wants, however many orders arrive at once."""
    await site.connect_bot("ann", capacity=1)
    await site.connect_bot("bob")
    asking = asyncio.ensure_future(site.create_match("ann", "bob"))
    await slow.has_begun.wait()

    refusal = await expect_refusal(site.create_match("ann", "bob"))
    assert "takes at most 1 seat" in refusal.text

    slow.may_end.set()
    await asking


async def test_answer_before_its_offer_changes_nothing(site, slow):
    """A bot that guesses the offer's id must not begin a match whose deal is not in the chain."""
    bots = await site.connect_bots("ann", "bob")
    asking = asyncio.ensure_future(site.create_match("ann", "bob", **NO_SEED))
    await slow.has_begun.wait()

    for entrant, bot in enumerate(bots):
        answer = lobby_pb2.OfferAnswer(offer_id=256 + entrant, accept=True)
        await bot.send(play_pb2.BotNotice(offer_answer=answer))
    await asyncio.sleep(0.05)
    slow.may_end.set()
    match = await asking
    offered = [(await bot.wait_for_notice("offered")).offered for bot in bots]

    assert [each.offer_id for each in offered] == [256, 257]
    assert match.state == match_pb2.MATCH_STATE_OFFERED
    assert site.node.registry.matches[match.match_number].answers == {}


async def test_match_whose_deal_cannot_be_stored_holds_no_seats(site: LocalServer, slow: SlowStore):
    await site.connect_bot("ann", capacity=1)
    await site.connect_bot("bob")
    slow.may_end.set()
    slow.fault = StoreError("disk I/O error")
    await expect_refusal(site.create_match("ann", "bob"))

    slow.fault = None
    match = await site.create_match("ann", "bob")

    assert match.state == match_pb2.MATCH_STATE_OFFERED


async def test_no_match_is_created_while_journal_is_unwritable(site: LocalServer, monkeypatch):
    await site.connect_bot("ann", capacity=1)
    await site.connect_bot("bob")

    def refuse() -> None:
        raise JournalError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(site.node.gate._journal, "flush", refuse)
        refusal = await expect_refusal(site.create_match("ann", "bob"))

    assert "journal cannot be written" in refusal.text
    await asyncio.wait_for(site.node.resumed.wait(), 30)
    assert await site.store.deals.chain() == []
    assert (await site.create_match("ann", "bob")).state == match_pb2.MATCH_STATE_OFFERED


async def test_concurrent_matches_form_one_chain_and_are_all_played(site):
    bots = [await site.connect_bot(name, capacity=100) for name in ("ann", "bob")]

    made = await asyncio.gather(*(site.create_match("ann", "bob", **NO_SEED) for _ in range(6)))

    assert sorted(match.deal.chain_number for match in made) == [*range(1, 7)]
    for bot in bots:
        offered = [(await bot.wait_for_notice("offered")).offered for _ in made]
        assert sorted(each.match for each in offered) == sorted(match.match_number for match in made)
