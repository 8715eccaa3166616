"""Deals prepared ahead: committed like any other, dealt in order, and opened if no match uses them."""

import asyncio

from arena.match.deal.commitment import GENESIS_LINK, commitment_hash, next_link, promise_hash
from arena.server.node.deal_committer import DealCommitter
from arena.server.node.deals import MIN_RUN
from cheatarena.v1 import match_pb2
from tests.support.server import LocalServer, open_server
from tests.support.wire_bot import play_lowest

NO_SEED = {"seed": b"", "unrated": True}
OWN = bytes([7]) * 32
"""What bots add to the luck."""


async def play_match(site, bots):
    """Play a match from its offers to its end."""
    match = await site.create_match("ann", "bob", **NO_SEED)
    for bot in bots:
        await bot.answer_offer()
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
    await site.wait_for_result(match)
    return match


async def a_run(site: LocalServer):
    """Play enough matches in a row that deals are prepared ahead."""
    bots = await site.connect_bots("ann", "bob")
    for _ in range(MIN_RUN):
        await play_match(site, bots)
    async with asyncio.timeout(30):
        while site.node.registry.deal_factory.ready_deals.shortfall:
            await asyncio.sleep(0.01)
    return bots


async def test_next_match_takes_oldest_ready_deal(site: LocalServer):
    bots = await a_run(site)
    before = await site.store.deals.chain()

    match = await play_match(site, bots)

    row = before[MIN_RUN]
    assert (match.match_id, match.deal.commitment) == (row.match_id, row.commitment)
    assert row.revealed is None
    revealed = (await site.wait_for_result(match)).deal.revealed
    assert revealed.root
    assert row.commitment == commitment_hash(match.match_id, revealed.rules_hash, revealed.seed)


async def test_chain_contains_ready_deals(site: LocalServer):
    """The links follow the order of the match numbers."""
    await a_run(site)

    chain = await site.store.deals.chain()

    links = [GENESIS_LINK]
    for row in chain:
        links.append(next_link(links[-1], row.commitment))
    assert [row.link for row in chain] == links[1:]
    assert [row.match_number for row in chain] == sorted(row.match_number for row in chain)


async def test_match_on_other_rules_opens_ready_deals(site):
    """Each is opened without cards, because none were dealt from it."""
    await a_run(site)
    unused = {row.match_id for row in await site.store.deals.unrevealed_deals()}

    other = (match_pb2.OptionSetting(name="max_turns", value="21"),)
    match = await site.create_match("ann", "bob", options=other, **NO_SEED)

    async with asyncio.timeout(30):
        while {row.match_id for row in await site.store.deals.unrevealed_deals()} != {match.match_id}:
            await asyncio.sleep(0.01)
    opened = [row.revealed for row in await site.store.deals.chain() if row.match_id in unused]
    assert unused
    assert all(each is not None and each["seed"] and not each["root"] for each in opened)


async def test_match_whose_bots_contribute_entropy_deals_their_cards(site):
    """The deal was shuffled ahead without contributions; contributions still change the cards."""
    bots = await a_run(site)
    laid = site.node.registry.deal_factory.ready_deals.ready[0]
    assert laid.prepared is not None

    match = await site.create_match("ann", "bob", **NO_SEED)
    offers = [await bot.answer_offer(promise=promise_hash(OWN)) for bot in bots]
    for bot, offered in zip(bots, offers, strict=True):
        await bot.send_entropy(offered.offer_id, OWN)
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))

    revealed = (await site.wait_for_result(match)).deal.revealed
    assert len(revealed.contributions) == len(bots)
    assert revealed.root != laid.prepared.root


async def test_stopping_server_opens_ready_deals(tmp_path):
    async with open_server(tmp_path / "data") as site:
        await a_run(site)

    async with open_server(tmp_path / "data") as site:
        chain = await site.store.deals.chain()
        assert len(chain) > MIN_RUN
        assert all(row.revealed is not None for row in chain)


async def test_ready_deals_of_killed_server_are_opened_by_next_server(tmp_path, monkeypatch):
    async def die(dealer):
        """End before anything is opened."""

    with monkeypatch.context() as patched:
        patched.setattr(DealCommitter, "close", die)
        async with open_server(tmp_path / "data") as site:
            await a_run(site)
            assert await site.store.deals.unrevealed_deals()

    async with open_server(tmp_path / "data") as site:
        assert await site.store.deals.unrevealed_deals() == []
        assert all(row.revealed and row.revealed["seed"] for row in await site.store.deals.chain())
