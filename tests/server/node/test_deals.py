"""Deals over the wire: committed before seats are offered, receipts before cards, all the rest at the end."""

import asyncio
import hashlib
import threading

import grpc
import pytest

from arena.match.deal.commitment import GENESIS_LINK, commitment_hash, next_link, promise_hash
from arena.match.deal.receipt import receipt_digest
from arena.match.referee.deal import prepare_deal
from arena.match.referee.inputs import InputKind
from arena.server.node import lobby
from arena.server.store.receipt_key import is_valid_signature
from cheatarena.v1 import match_pb2, watch_pb2
from tests.support.server import LocalServer, slow_pace
from tests.support.wire_bot import expect_refusal, play_lowest

NO_SEED = {"seed": b"", "pace": slow_pace()}


def facts(bot, kind):
    return [getattr(e, kind) for m in bot.messages for e in m.events if e.HasField(kind)]


def is_second_game(message) -> bool:
    return any(event.HasField("game_started") and event.game_started.game == 1 for event in message.events)


def sent_bytes(bot) -> bytes:
    """Return every byte sent to a bot."""
    return b"".join(bot.raw_frames)


@pytest.mark.replaces_code
async def test_deal_is_in_journal_and_chain_before_seats_are_offered(site):
    """The commitment that organizers see from the first moment is the one opened at the end."""
    seen = []
    commit, offer = site.store.deals.commit, site.node.registry.offer_seats

    def offering(*given):
        seen.append("offered")
        offer(*given)

    site.node.registry.offer_seats = offering

    async def committing(row):
        assert [entry.kind for entry in site.read_journal()] == [InputKind.DEAL]
        seen.append("committed")
        return await commit(row)

    object.__setattr__(site.store.deals, "commit", committing)
    match, bots = await site.seat_bots("ann", "bob", **NO_SEED)
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
    ended = await site.wait_for_result(match)

    assert seen == ["committed", "offered"]
    assert match.deal.commitment == ended.deal.commitment
    assert match.deal.chain_link == next_link(GENESIS_LINK, match.deal.commitment)
    assert not match.deal.HasField("revealed")
    deal = ended.deal.revealed
    assert deal == facts(bots[0], "deal_revealed")[0]
    assert match.deal.commitment == commitment_hash(match.match_id, deal.rules_hash, deal.seed) == deal.commitment


async def test_receipts_precede_cards_and_match_opened_deal(site: LocalServer):
    """Each seat gets a different signed receipt, derived only from values that are opened at the end."""
    _, bots = await site.seat_bots("ann", "bob", "cid", **NO_SEED)
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))

    kinds = [event.WhichOneof("fact") for event in bots[0].messages[0].events]
    assert kinds[:4] == ["match_started", "entrant_seed", "deal_receipt", "game_started"]
    last = [event.WhichOneof("fact") for event in bots[0].messages[-1].events]
    assert last[-2:] == ["deal_revealed", "match_ended"]
    deal = facts(bots[0], "deal_revealed")[0]
    for entrant, bot in enumerate(bots):
        (receipt,) = facts(bot, "deal_receipt")
        salt = deal.receipt_salts[entrant]
        bound = (deal.commitment, deal.root, b"", bytes([0, 1, 2]), salt, deal.terms_hash)
        assert receipt.digest == receipt_digest(*bound)
        assert is_valid_signature(receipt.public_key, receipt.signature, receipt.digest)
    assert len(deal.terms_hash) == 32
    assert len({facts(bot, "deal_receipt")[0].digest for bot in bots}) == 3


async def test_tables_with_same_cards_have_unrelated_receipts(site: LocalServer):
    """Receipts of a given seed differ from table to table, so no bot can recognise a deal it meets elsewhere."""
    _, first = await site.seat_bots("ann", "bob", pace=slow_pace())
    await site.create_match("ann", "bob", pace=slow_pace())
    for bot in first:
        await bot.answer_offer()
    for bot in first:
        await bot.wait_for_message(lambda m: m.match == 2)

    receipts = [receipt.digest for bot in first for receipt in facts(bot, "deal_receipt")]

    assert len(set(receipts)) == 4


async def test_no_secret_reaches_bots_before_the_end(site):
    """Search every byte sent to every bot for seed, commitment, root, deal id, contributions and salts."""
    entropy = bytes(range(32))
    ann, bob, cid = await site.connect_bots("ann", "bob", "cid")
    match = await site.create_match("ann", "bob", "cid", **NO_SEED, game_count=2)
    offered = await ann.answer_offer(promise=promise_hash(entropy))
    await bob.answer_offer()
    await cid.answer_offer()
    await ann.wait_for_notice("entropy_asked")
    await ann.send_entropy(offered.offer_id, entropy)
    bots = (ann, bob, cid)
    await asyncio.gather(*(bot.play(play_lowest, stop=is_second_game) for bot in bots))
    await ann.disconnect()
    await site.wait_until_gone("ann")
    again = await site.connect_bot("ann")
    await again.wait_for_message(lambda m: m.HasField("snapshot"))
    deal = site.node.registry.matches[1].deal
    secret = deal.secret
    searched = [
        secret.seed, secret.commitment, deal.prepared.root, match.match_id.encode(),
        entropy, hashlib.sha256(entropy).digest(),
        *secret.salts, match.deal.chain_link, deal.prepared.source._key,
    ]  # fmt: skip

    for bot in (*bots, again):
        for each in searched:
            assert each not in sent_bytes(bot)
            assert each.hex().encode() not in sent_bytes(bot)

    await asyncio.gather(*(bot.play(play_lowest) for bot in (again, bob, cid)))
    assert secret.seed in sent_bytes(bob), "the search can find it"
    assert again.messages[0].snapshot.events, "the snapshot was searched too"


async def test_seed_is_only_in_journal_until_the_end(site, capfd):
    """Neither the store nor any log contains the seed before the end; afterwards the store does."""
    match, bots = await site.seat_bots("ann", "bob", **NO_SEED)
    await asyncio.gather(*(bot.play(play_lowest, stop=lambda m: m.sequence > 6) for bot in bots))
    secret = site.node.registry.matches[1].deal.secret
    found = [
        path.suffix
        for path in site.store.folder.rglob("*")
        if path.is_file() and any(each in path.read_bytes() for each in (secret.seed, secret.seed.hex().encode()))
    ]
    said = capfd.readouterr()
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
    await site.wait_for_result(match)

    row = await site.store.deals.deal(match.match_id)
    assert found == [".journal"]
    assert secret.seed.hex() not in said.out + said.err
    assert repr(secret.seed) not in said.out + said.err
    assert row.revealed["seed"] == secret.seed.hex()


async def test_spectators_see_commitment_first_and_seed_last(site):
    """The commitment arrives while seats are still on offer, separately from the facts that bots receive too."""
    await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", **NO_SEED)
    stream = site.watch.WatchMatch(watch_pb2.WatchMatchRequest(match_id=match.match_id), metadata=site.watching)
    first = await stream.read()
    request = match_pb2.CancelMatchRequest(match_id=match.match_id)
    await site.matches.CancelMatch(request, metadata=site.organizing)
    rest = []
    while (frame := await stream.read()) is not grpc.aio.EOF:
        rest.append(frame)

    assert first.deal_commitment == match.deal.commitment
    assert not first.messages
    kinds = [e.WhichOneof("fact") for frame in rest for m in frame.messages for e in m.events]
    assert kinds[-2:] == ["deal_revealed", "match_ended"]
    assert not any(frame.deal_commitment for frame in rest)


async def test_snapshot_repeats_receipt(site: LocalServer):
    """A newly started process needs it again."""
    _, (ann, bob) = await site.seat_bots("ann", "bob", **NO_SEED)
    await ann.wait_for_message(lambda m: m.sequence == 1)
    await ann.disconnect()
    await site.wait_until_gone("ann")

    again = await site.connect_bot("ann")
    snapshot = (await again.wait_for_message(lambda m: m.HasField("snapshot"))).snapshot

    receipts = [event.deal_receipt for event in snapshot.events if event.HasField("deal_receipt")]
    assert receipts == facts(ann, "deal_receipt")
    assert not facts(bob, "deal_revealed")


async def test_rated_match_with_given_cards_is_refused(site: LocalServer):
    await site.connect_bots("ann", "bob")

    refusal = await expect_refusal(site.create_match("ann", "bob", unrated=False))

    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.reason == "SEED_NEEDS_UNRATED"
    assert list(refusal.fields) == ["seed"]
    assert not site.node.registry.matches
    assert not site.read_journal(), "nothing was committed"


async def test_concurrent_use_of_one_key_creates_one_match(site):
    """Committing takes a moment, during which the same call may arrive again."""
    await site.connect_bots("ann", "bob")

    first, second = await asyncio.gather(
        *(site.create_match("ann", "bob", **NO_SEED, idempotency_key="k") for _ in range(2))
    )

    assert first == second
    assert len(await site.store.deals.chain()) == 1


@pytest.mark.parametrize(("decks", "is_beside"), [("1", False), ("251", True)])
async def test_long_deck_is_shuffled_off_the_event_loop(site: LocalServer, monkeypatch, decks, is_beside):
    """A single pack is shuffled on the loop: it is ready before another thread would have started."""
    threads = []

    def noting(*given):
        threads.append(threading.current_thread())
        return prepare_deal(*given)

    monkeypatch.setattr(lobby, "prepare_deal", noting)
    match, bots = await site.seat_bots(
        "ann", "bob", **NO_SEED, game_count=2, options=[match_pb2.OptionSetting(name="decks", value=decks)]
    )
    dealt = await bots[0].wait_for_event("cheat_dealt")
    request = match_pb2.CancelMatchRequest(match_id=match.match_id)
    await site.matches.CancelMatch(request, metadata=site.organizing)
    ended = await site.wait_for_result(match)

    assert sum(dealt.cheat_dealt.hand_sizes) == int(decks) * 54
    assert len(ended.deal.revealed.root) == 32
    assert [thread is not threading.main_thread() for thread in threads] == [is_beside]
