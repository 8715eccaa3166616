"""A bot on the wire enters pools with its Hello, hears how many seats it gets, and is offered matches."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import pytest

from arena.bots.submissions.submission import SubmissionState
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.competition.pools.pool_settings import PoolSettings
from arena.errors import BannedError, RequestError
from arena.server.rpc.listeners import make_socket_path
from cheatarena.v1 import play_pb2, pool_pb2, watch_pb2
from tests.support.server import LocalServer, open_server
from tests.support.submitted import submit
from tests.support.wire_bot import WireBot, bearer, expect_refusal, play_lowest

PAIR = PoolSettings(name="pair", seats=2, rules={"max_turns": 4}, pace_settings={"turn_ms": 60_000, "call_ms": 50})
CHEATER = PoolSettings(name="dice", game="cheater", seats=3)


@pytest.fixture
async def arena(tmp_path) -> AsyncIterator[LocalServer]:
    """Return a server with two pools."""
    async with open_server(tmp_path / "data", pools=(PAIR, CHEATER)) as opened:
        yield opened


async def hear(bot: WireBot) -> pool_pb2.PoolNotice:
    return (await bot.wait_for_notice("pool_notice")).pool_notice


async def test_notice_comes_once_for_each_pool_after_resumed(arena: LocalServer):
    bot = await arena.connect_bot("ann", pools={"pair": 3, "dice": 1, "other": 1})
    notices = [await hear(bot) for _ in range(3)]

    resumed = [index for index, raw in enumerate(bot.raw_frames) if b"resumed" in _kinds(raw)]
    told = [index for index, raw in enumerate(bot.raw_frames) if b"pool_notice" in _kinds(raw)]
    assert resumed[0] <= told[0]
    assert [(each.pool, each.seats, each.reason) for each in notices] == [
        ("pair", 3, pool_pb2.POOL_REASON_ENTERED),
        ("dice", 0, pool_pb2.POOL_REASON_OTHER_GAME),
        ("other", 0, pool_pb2.POOL_REASON_UNKNOWN_POOL),
    ]
    assert notices[2].detail == "the pools of this server are: pair, dice"


def _kinds(raw: bytes) -> list[bytes]:
    notices = play_pb2.PlayResponse.FromString(raw).notices
    return [str(each.WhichOneof("notice")).encode() for each in notices]


async def test_bot_without_pools_hears_nothing_of_them(arena: LocalServer):
    ann, _ = await arena.connect_bots("ann", "bob")
    await asyncio.sleep(0.5)
    assert not any(each.HasField("pool_notice") or each.HasField("offered") for each in ann.notices)


async def test_two_bots_play_match_after_match(arena: LocalServer):
    bots = [await arena.connect_bot(name, pools={"pair": 1}) for name in ("ann", "bob")]
    for _ in range(2):
        await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
    seatings = await arena.store.pools.seatings("pair", 10)
    assert len(seatings) >= 2
    assert {frozenset(each.bot for each in row.seated) for row in seatings} == {frozenset({"ann", "bob"})}
    first = await arena.store.results.match(seatings[-1].match_id)
    assert set(first.entrants) == {"ann", "bob"}
    assert first.rated


async def test_two_processes_of_one_bot_never_sit_together(arena: LocalServer):
    token = await arena.create_token("ann")
    arena.tokens["ann"] = token
    await arena.connect_bot("ann", instance="one", pools={"pair": 1})
    await arena.connect_bot("ann", instance="two", pools={"pair": 1})
    await asyncio.sleep(1.5)
    assert await arena.store.pools.seatings("pair", 10) == []


async def test_stream_that_was_replaced_keeps_nobody_from_playing(arena: LocalServer):
    await arena.connect_bot("ann", pools={"pair": 9})
    again = await arena.connect_bot("ann")
    await again.disconnect()
    await arena.wait_until_gone("ann")

    bots = [await arena.connect_bot(name, pools={"pair": 1}) for name in ("bob", "cid")]
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))

    assert {each.bot for row in await arena.store.pools.seatings("pair", 10) for each in row.seated} == {
        "bob",
        "cid",
    }


async def test_match_is_withdrawn_if_a_bot_declines_and_counts_for_nobody(arena: LocalServer):
    ann, bob = [await arena.connect_bot(name, pools={"pair": 1}) for name in ("ann", "bob")]
    await ann.answer_offer()
    await bob.answer_offer(accept=False)
    closed = (await ann.wait_for_notice("offer_closed")).offer_closed
    assert closed.offer_id
    (seating, *_) = await arena.store.pools.seatings("pair", 10)
    await arena.server.result_writer.wait_until_stored(seating.match_id)
    row = await arena.store.results.match(seating.match_id)
    assert (row.state, row.termination) == ("ended", "withdrawn")
    assert await arena.store.results.games(seating.match_id) == []
    assert await arena.store.pools.played_games("pair", 1) == []
    deal = await arena.store.deals.deal(seating.match_id)
    assert deal is not None
    assert deal.revealed is not None, "the cards of a match that was not played are revealed too"


async def test_third_decline_costs_the_seat(arena: LocalServer):
    ann, bob = [await arena.connect_bot(name, pools={"pair": 1}) for name in ("ann", "bob")]
    await hear(bob)
    for _ in range(3):
        await asyncio.gather(ann.answer_offer(), bob.answer_offer(accept=False))
    notice = await hear(bob)
    assert (notice.seats, notice.reason) == (0, pool_pb2.POOL_REASON_DECLINED)
    assert 20_000 < notice.retry_after_ms <= 30_000


async def test_any_token_may_watch_a_match_of_a_pool_without_its_commitment(arena: LocalServer):
    ann, bob = [await arena.connect_bot(name, pools={"pair": 1}) for name in ("ann", "bob")]
    await asyncio.gather(ann.answer_offer(), bob.answer_offer())
    await ann.wait_for_event("cheat_hand")
    (seating,) = await arena.store.pools.seatings("pair", 10)
    request = watch_pb2.WatchMatchRequest(match_id=seating.match_id)
    watching = {
        scope: arena.watch.WatchMatch(request, metadata=bearer(await arena.create_token(f"someone-{scope}", scope)))
        for scope in ("play", "spectate")
    }
    frames = {scope: await call.read() for scope, call in watching.items()}
    assert frames["play"].messages
    assert frames["play"].deal_commitment == b""
    assert len(frames["spectate"].deal_commitment) == 32
    for call in watching.values():
        call.cancel()


async def test_token_to_play_may_not_watch_other_matches(arena: LocalServer):
    ann, bob = await arena.connect_bots("ann", "bob")
    match = await arena.create_match("ann", "bob")
    await asyncio.gather(ann.answer_offer(), bob.answer_offer())
    token = await arena.create_token("someone", "play")
    request = watch_pb2.WatchMatchRequest(match_id=match.match_id)
    refusal = await expect_refusal(_read(arena.watch.WatchMatch(request, metadata=bearer(token))))
    assert refusal.reason == "SCOPE_MISSING"


async def _read(call: Any) -> Any:
    return await call.read()


# ---- versions of submitted bots


@pytest.fixture
def box_address() -> Iterator[str]:
    """Return the address at which boxes reach a server."""
    if os.name != "posix":
        pytest.skip("there are no Unix sockets")
    with make_socket_path() as path:
        yield f"unix:{path}"


@pytest.fixture
async def taking(tmp_path, box_address) -> AsyncIterator[LocalServer]:
    """Return a server that takes submissions. Version 1.2 of ann's bot was submitted and plays."""
    settings = SubmissionSettings(enabled=True)
    async with open_server(tmp_path / "data", pools=(PAIR,), submissions=settings, listen=(box_address,)) as opened:
        opened.address = box_address
        await opened.store.owners.add("ann", "", 5)
        await submit(opened.store, "1.2", SubmissionState.ACTIVE)
        yield opened


async def test_submitted_bot_cannot_choose_its_version(taking: LocalServer):
    """It could escape a bad rating, or spoil that of another version."""
    taking.tokens["ann-bot"] = await taking.store.tokens.create("ann-bot", ["play"], owner="ann", version="1.2")
    bots = [
        await taking.connect_bot("ann-bot", pools={"pair": 1}, bot_version="9.9"),
        await taking.connect_bot("bob", pools={"pair": 1}, bot_version="9.9"),
    ]
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
    (seating, *_) = await taking.store.pools.seatings("pair", 10)
    assert {each.bot: each.version for each in seating.seated} == {"ann-bot": "1.2", "bob": "9.9"}


async def test_submitted_bot_that_names_no_pools_plays_in_those_of_its_manifest(taking: LocalServer):
    """A program that does not read CHEATARENA_POOLS would be active and never play."""
    await submit(taking.store, "1.3", SubmissionState.ACTIVE, pools=("pair",))
    taking.tokens["ann-bot"] = await taking.store.tokens.create("ann-bot", ["play"], owner="ann", version="1.3")
    bots = [await taking.connect_bot("ann-bot"), await taking.connect_bot("bob", pools={"pair": 1})]
    notice = await hear(bots[0])
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))

    assert (notice.pool, notice.seats, notice.reason) == ("pair", 1, pool_pb2.POOL_REASON_ENTERED)
    (seating, *_) = await taking.store.pools.seatings("pair", 10)
    assert {each.bot: each.version for each in seating.seated} == {"ann-bot": "1.3", "bob": ""}


async def test_token_of_a_submitted_version_is_worth_nothing_outside_of_boxes(taking: LocalServer):
    """A bot can print its token, and its owner reads that: another program must not play its games."""
    secret = await taking.store.tokens.create("ann-bot", ["play"], owner="ann", version="1.2")
    taking.tokens["ann-bot"] = secret
    await taking.connect_bot("ann-bot")

    taking.address = taking.server.address
    outside = await taking.open_stream("ann-bot")
    refused = await expect_refusal(outside.open_session())

    assert refused.code is grpc.StatusCode.UNAUTHENTICATED
    assert "valid only there" in refused.text
    assert taking.node.sessions["ann-bot", "submitted:1.2"].handle in secret


async def test_no_other_program_counts_as_a_version_that_was_submitted(taking: LocalServer):
    taking.tokens["ann-bot"] = await taking.store.tokens.create("ann-bot", ["play"], owner="ann")
    refused = await taking.open_stream("ann-bot")
    outcome = await expect_refusal(refused.open_session(bot_version="1.2"))
    assert outcome.reason == "HELLO_EXPECTED"
    assert "give yours another one" in outcome.text
    await taking.connect_bot("ann-bot", bot_version="1.3")


async def test_program_elsewhere_cannot_go_on_as_a_version_that_is_submitted_later(taking: LocalServer):
    """The version would have two programs, one of them in no box."""
    taking.tokens["ann-bot"] = await taking.store.tokens.create("ann-bot", ["play"], owner="ann")
    early = await taking.connect_bot("ann-bot", bot_version="2.0")

    await submit(taking.store, "2.0")

    ended = await early.wait_for_end()
    assert ended.reason == "SESSION_REPLACED"
    assert "give yours another one" in ended.text


async def test_version_under_which_another_program_has_played_cannot_be_submitted(taking: LocalServer):
    """What that program has won would count for the version."""
    taking.tokens["ann-bot"] = await taking.store.tokens.create("ann-bot", ["play"], owner="ann")
    names = {"ann-bot": "2.0", "bob": ""}
    bots = [await taking.connect_bot(name, pools={"pair": 1}, bot_version=names[name]) for name in names]
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))

    with pytest.raises(RequestError, match=r"ann-bot@2\.0 has already played in a pool"):
        await submit(taking.store, "2.0")
    await submit(taking.store, "2.1")


async def test_replaced_version_ends_its_match_and_the_new_one_gets_the_next(taking: LocalServer):
    """No match is played by two programs, and nobody waits for a match to end."""
    tokens = taking.store.tokens
    names = {"old": "1.2", "new": "1.3"}
    secrets = {name: await tokens.create("ann-bot", ["play"], owner="ann", version=names[name]) for name in names}
    taking.tokens["ann-bot"] = secrets["old"]
    old = await taking.connect_bot("ann-bot", instance="old", pools={"pair": 1})
    bob = await taking.connect_bot("bob", pools={"pair": 1})
    await asyncio.gather(old.answer_offer(), bob.answer_offer())

    handle = (await tokens.check(secrets["old"])).handle
    await tokens.retire(handle, time.time() + 600)
    async with asyncio.timeout(30):
        while not taking.node.sessions["ann-bot", "submitted:1.2"].is_retiring:
            await asyncio.sleep(0.02)
    taking.tokens["ann-bot"] = secrets["new"]
    new = await taking.connect_bot("ann-bot", instance="new", pools={"pair": 1})
    carl = await taking.connect_bot("carl", pools={"pair": 1})
    await asyncio.gather(*(bot.play(play_lowest) for bot in (new, carl)))
    assert handle in {token.handle for token in await tokens.list_version_tokens()}, "its match is not over"

    await asyncio.gather(*(bot.play(play_lowest) for bot in (old, bob)))
    assert (await old.wait_for_end()).reason == "TOKEN_REVOKED"
    seatings = await taking.store.pools.seatings("pair", 10)
    played = {frozenset((each.bot, each.version) for each in row.seated) for row in seatings}
    first, second = frozenset({("ann-bot", "1.2"), ("bob", "")}), frozenset({("ann-bot", "1.3"), ("carl", "")})
    assert {first, second} <= played
    assert sum(("ann-bot", "1.2") in each for each in played) == 1, "it gets no seat after it was replaced"


async def test_replaced_version_without_a_match_ends_at_once_and_may_not_come_back(taking: LocalServer):
    tokens = taking.store.tokens
    taking.tokens["ann-bot"] = await tokens.create("ann-bot", ["play"], owner="ann", version="1.2")
    bot = await taking.connect_bot("ann-bot", pools={"pair": 1})
    (token,) = await tokens.list_version_tokens()

    await tokens.retire(token.handle, time.time() + 600)

    assert (await bot.wait_for_end()).reason == "TOKEN_REVOKED"
    again = await taking.open_stream("ann-bot")
    assert (await expect_refusal(again.open_session())).code is grpc.StatusCode.UNAUTHENTICATED


async def test_ban_ends_all_bots_of_an_owner_within_a_second_and_none_comes_back(taking: LocalServer):
    """The one that the arena runs, in the middle of a match, and one that the owner runs."""
    tokens = taking.store.tokens
    await taking.store.owners.register_bot("ann", "ann-two")
    taking.tokens["ann-bot"] = await tokens.create("ann-bot", ["play"], owner="ann", version="1.2")
    taking.tokens["ann-two"] = await tokens.create("ann-two", ["play"], owner="ann")
    submitted = await taking.connect_bot("ann-bot", pools={"pair": 1})
    bob = await taking.connect_bot("bob", pools={"pair": 1})
    await asyncio.gather(submitted.answer_offer(), bob.answer_offer())
    own = await taking.connect_bot("ann-two", pools={"pair": 1})

    await taking.store.bans.ban("ann", "two accounts")

    for bot in (submitted, own):
        ending = await bot.wait_for_end()
        assert (ending.reason, ending.text) == ("TOKEN_REVOKED", "'ann' is banned from this server: two accounts")
    for name in ("ann-bot", "ann-two"):
        refused = await expect_refusal((await taking.open_stream(name)).open_session())
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")
        assert refused.text == "'ann' is banned from this server: two accounts"
    with pytest.raises(BannedError):
        await tokens.create("ann-bot", ["play"], owner="ann", version="1.2")
    await bob.wait_for_event("match_ended")  # nobody waits for a bot that will not come back
    await taking.store.bans.lift("ann")
    await taking.connect_bot("ann-two", pools={"pair": 1})


async def test_nobody_takes_over_the_seats_of_a_submitted_version(taking: LocalServer):
    """Not another program of its owner, and not another version, whatever instance they name."""
    tokens = taking.store.tokens
    taking.tokens["ann-bot"] = await tokens.create("ann-bot", ["play"], owner="ann", version="1.2")
    first = await taking.connect_bot("ann-bot", instance="one")

    taking.tokens["ann-bot"] = await tokens.create("ann-bot", ["play"], owner="ann", version="1.3")
    await taking.connect_bot("ann-bot", instance="submitted:1.2")
    taking.tokens["ann-bot"] = await tokens.create("ann-bot", ["play"], owner="ann")
    await taking.connect_bot("ann-bot", instance="one")
    forger = await taking.open_stream("ann-bot")
    outcome = await expect_refusal(forger.open_session(instance="submitted:1.2"))

    assert outcome.reason == "HELLO_EXPECTED"
    assert {key[1] for key in taking.node.sessions} == {"submitted:1.2", "submitted:1.3", "one"}
    taking.tokens["ann-bot"] = await tokens.create("ann-bot", ["play"], owner="ann", version="1.2")
    await taking.connect_bot("ann-bot", instance="another")
    assert (await first.wait_for_end()).reason == "SESSION_REPLACED"


async def test_replaced_version_plays_its_match_to_the_end_after_a_restart_of_the_server(tmp_path, box_address):
    """It is known from the store alone, and gets no other seat meanwhile."""
    settings: dict[str, Any] = {
        "pools": (PAIR,),
        "submissions": SubmissionSettings(enabled=True),
        "resumes": True,
        "listen": (box_address,),
    }
    async with open_server(tmp_path / "data", **settings) as arena:
        arena.address = box_address
        tokens = arena.store.tokens
        secrets = {
            "ann-bot": await tokens.create("ann-bot", ["play"], owner="ann", version="1.2"),
            "bob": await tokens.create("bob", ["play"]),
        }
        arena.tokens |= secrets
        bots = [await arena.connect_bot(name, pools={"pair": 1}) for name in secrets]
        await asyncio.gather(*(bot.answer_offer() for bot in bots))
        while not any(hosted.is_running for hosted in arena.node.registry.matches.values()):
            await asyncio.sleep(0.01)
        (token,) = await tokens.list_version_tokens()
        await tokens.retire(token.handle, time.time() + 600)

    async with open_server(tmp_path / "data", **settings) as arena:
        arena.address = box_address
        arena.tokens |= secrets
        bots = [await arena.connect_bot(name, pools={"pair": 1}) for name in secrets]
        await arena.connect_bot("carl", pools={"pair": 1})
        await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
        assert (await bots[0].wait_for_end()).reason == "TOKEN_REVOKED"
        seatings = await arena.store.pools.seatings("pair", 10)
        assert sum("ann-bot" in {each.bot for each in row.seated} for row in seatings) == 1
