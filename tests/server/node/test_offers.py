"""How seats are offered, accepted, declined and withdrawn."""

import asyncio

import grpc
import pytest

from arena.server.node import lobby
from cheatarena.v1 import error_reason_pb2, lobby_pb2, match_pb2, play_pb2
from tests.support.server import LocalServer, slow_pace
from tests.support.wire_bot import expect_refusal, play_lowest


async def test_offer_describes_the_match(site: LocalServer):
    """It contains the rules with every option, the pace, the opponents, the bot's own number and the expiry."""
    ann = (await site.connect_bots("ann", "bob"))[0]
    await site.create_match("ann", "bob", pace=slow_pace())

    offered = (await ann.wait_for_notice("offered")).offered

    assert offered.terms.entrants == ["ann", "bob"]
    assert offered.terms.ruleset.preset == "standard"
    assert offered.terms.ruleset.cheat.max_turns == 20
    assert offered.terms.pace.turn_ms == 60_000
    assert offered.entrant == 0
    assert offered.answer_by_us > site.node.now()


async def test_anonymous_match_names_no_bots(site: LocalServer):
    ann = (await site.connect_bots("ann", "bob"))[0]
    await site.create_match("ann", "bob", anonymous=True)

    assert (await ann.answer_offer()).terms.entrants == ["", ""]


async def test_declined_seat_is_forfeited(site: LocalServer):
    """The others play; the bot that declined comes last."""
    ann, bob, cid = await site.connect_bots("ann", "bob", "cid")
    match = await site.create_match("ann", "bob", "cid", pace=slow_pace())
    await ann.answer_offer(accept=False)
    await bob.answer_offer()
    await cid.answer_offer()

    await asyncio.gather(bob.play(play_lowest), cid.play(play_lowest))

    ended = await site.wait_for_result(match)
    assert ended.games[0].places[0] == 3
    assert ended.strikes[0].gone == 1
    assert not ann.messages


async def test_unanswered_offer_expires(site: LocalServer, monkeypatch):
    """Silence declines; the bot is notified, and a late acceptance changes nothing."""
    monkeypatch.setattr(lobby, "OFFER_TIMEOUT_US", 100_000)
    ann, bob, cid = await site.connect_bots("ann", "bob", "cid")
    await site.create_match("ann", "bob", "cid", pace=slow_pace())
    await bob.answer_offer()
    await cid.answer_offer()
    offered = (await ann.wait_for_notice("offered")).offered

    closed = (await ann.wait_for_notice("offer_closed")).offer_closed
    answer = lobby_pb2.OfferAnswer(offer_id=offered.offer_id, accept=True)
    await ann.send(play_pb2.BotNotice(offer_answer=answer))
    await asyncio.gather(bob.play(play_lowest), cid.play(play_lowest))

    assert closed.offer_id == offered.offer_id
    assert closed.reason == error_reason_pb2.ERROR_REASON_OFFER_EXPIRED
    assert not ann.messages


async def test_cancelled_offer_is_withdrawn(site: LocalServer):
    """Every bot is notified, no game is played, and the match is kept as cancelled."""
    bots = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob")
    offered = await bots[0].answer_offer()

    request = match_pb2.CancelMatchRequest(match_id=match.match_id)
    ended = (await site.matches.CancelMatch(request, metadata=site.organizing)).match

    assert ended.state == match_pb2.MATCH_STATE_ENDED
    assert ended.termination == "cancelled"
    assert not ended.games
    for bot in bots:
        closed = (await bot.wait_for_notice("offer_closed")).offer_closed
        assert closed.reason == error_reason_pb2.ERROR_REASON_MATCH_CANCELLED
    assert offered.offer_id


async def test_reconnected_bot_is_offered_its_seat_again(site: LocalServer):
    """An offer outlives a connection."""
    ann, bob = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", pace=slow_pace())
    first = (await ann.wait_for_notice("offered")).offered
    await ann.disconnect()
    await site.wait_until_gone("ann")

    again = await site.open_stream("ann")
    welcome = await again.open_session()
    second = await again.answer_offer()
    await bob.answer_offer()
    await asyncio.gather(again.play(play_lowest), bob.play(play_lowest))

    assert welcome.seat_count == 1
    assert second.offer_id == first.offer_id
    assert (await site.wait_for_result(match)).strikes[0].gone == 0


async def test_bot_cannot_answer_another_bots_offer(site: LocalServer):
    ann, bob = await site.connect_bots("ann", "bob")
    await site.create_match("ann", "bob", pace=slow_pace())
    offered = (await ann.wait_for_notice("offered")).offered

    await bob.send(play_pb2.BotNotice(offer_answer=lobby_pb2.OfferAnswer(offer_id=offered.offer_id, accept=False)))
    await bob.send(play_pb2.BotNotice(offer_answer=lobby_pb2.OfferAnswer(offer_id=2**32 - 1, accept=True)))
    await bob.wait_for_answer(await bob.decide((9, 9), 1))

    assert site.node.registry.matches[1].answers == {}


@pytest.mark.parametrize(
    ("names", "request_fields", "code", "reason"),
    [
        pytest.param(
            ("ann", "ann"), {"seed": b""}, "INVALID_ARGUMENT", "INVALID_ARGUMENT", id="two-seats-in-a-rated-match"
        ),
        pytest.param(("ann", "eve"), {}, "NOT_FOUND", "BOT_NOT_CONNECTED", id="not-connected"),
        pytest.param(("ann", "bob/two"), {}, "NOT_FOUND", "BOT_NOT_CONNECTED", id="no-such-instance"),
        pytest.param(("ann", "full"), {}, "RESOURCE_EXHAUSTED", "LIMIT_REACHED", id="as-many-seats-as-it-wants"),
    ],
)
async def test_match_that_cannot_be_filled_is_refused(site: LocalServer, names, request_fields, code, reason):
    """No seat is offered."""
    await site.connect_bots("ann", "bob", "cid")
    await site.connect_bot("full", capacity=1)
    await site.create_match("full", "cid")

    refusal = await expect_refusal(site.create_match(*names, **request_fields))

    assert refusal.code is grpc.StatusCode[code]
    assert refusal.reason == reason
    assert len(site.node.registry.matches) == 1


@pytest.mark.parametrize(("capacity", "is_offered"), [(3, True), (2, False)])
async def test_session_seats_stay_within_capacity(site: LocalServer, capacity, is_offered):
    """Each offered or held seat counts, also when a match has several seats of one session."""
    ann = await site.connect_bot("ann", capacity=capacity)
    await site.connect_bots("bob")
    await site.create_match("ann", "bob")
    await ann.answer_offer()

    making = site.create_match("ann", "ann", unrated=True)

    if is_offered:
        await making
        await ann.answer_offer()
        await ann.answer_offer()
    else:
        assert (await expect_refusal(making)).reason == "LIMIT_REACHED"
    assert len(site.node.registry.sessions.seats_of(("ann", "one"))) == (3 if is_offered else 1)


async def test_ended_seat_makes_room_for_another(site: LocalServer):
    ann, _ = await site.connect_bot("ann", capacity=1), await site.connect_bot("bob")
    first = await site.create_match("ann", "bob")
    await ann.answer_offer()

    await site.matches.CancelMatch(match_pb2.CancelMatchRequest(match_id=first.match_id), metadata=site.organizing)
    await site.create_match("ann", "bob")

    assert len(site.node.registry.sessions.seats_of(("ann", "one"))) == 1


async def test_bot_is_not_offered_games_it_does_not_know(site: LocalServer):
    await site.connect_bot("ann")
    await site.connect_bot("bob", games=["other"])

    refusal = await expect_refusal(site.create_match("ann", "bob"))

    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert "'bob'" in refusal.text


async def test_two_processes_of_one_bot_share_a_table_only_in_practice(site: LocalServer):
    """In a rated match each bot has one seat, however many processes it has."""
    await site.connect_bot("ann", instance="one")
    await site.connect_bot("ann", instance="two")

    refusal = await expect_refusal(site.create_match("ann/one", "ann/two", seed=b""))

    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
