"""PoolService on a live server: pools and their standings for everybody, and challenges for bots."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import grpc
import pytest

from arena.competition.pools.pool_settings import PoolSettings
from arena.competition.pools.ports import RATED_GAMES, FitRow, RatingRow
from arena.match.referee.ports import MatchId
from cheatarena.v1 import lobby_pb2, match_pb2, play_pb2, pool_pb2, pool_pb2_grpc, ruleset_pb2
from tests.support.server import SHORT_GAME, LocalServer, open_server
from tests.support.wire_bot import bearer, expect_refusal, new_channel, play_lowest

EVERYBODY, NOBODY = pool_pb2.CHALLENGE_POLICY_EVERYBODY, pool_pb2.CHALLENGE_POLICY_NOBODY
POOLS = (
    PoolSettings(name="open", seats=2, preset="folk", season_days=7, pace_settings={"turn_ms": 500}),
    PoolSettings(name="three", seats=3, game="cheater"),
)


@pytest.fixture
async def pooled(tmp_path) -> AsyncIterator[LocalServer]:
    """A server with two pools."""
    async with open_server(tmp_path / "data", pools=POOLS) as opened:
        yield opened


@pytest.fixture
async def stub(site: LocalServer) -> AsyncIterator[Any]:
    async with new_channel(site.address) as channel:
        yield pool_pb2_grpc.PoolServiceStub(channel)


@pytest.fixture
async def pooled_stub(pooled: LocalServer) -> AsyncIterator[Any]:
    async with new_channel(pooled.address) as channel:
        yield pool_pb2_grpc.PoolServiceStub(channel)


def row(bot: str, rating: float, games: int = 50, version: str = "") -> RatingRow:
    return RatingRow(bot, version, rating, 20.0, games, MatchId("0" * 26), rating - 40, rating + 40)


# ---- pools


async def test_server_without_pools_lists_none(site: LocalServer, stub: Any):
    assert list((await stub.ListPools(pool_pb2.ListPoolsRequest(), metadata=site.watching)).pools) == []

    refusal = await expect_refusal(stub.GetPool(pool_pb2.GetPoolRequest(name="open"), metadata=site.watching))
    assert (refusal.code, refusal.text) == (grpc.StatusCode.NOT_FOUND, "unknown pool 'open'")


async def test_pools_are_listed_with_what_is_played_and_who_waits(pooled: LocalServer, pooled_stub: Any):
    for name in ("ann", "bob"):
        await pooled.connect_bot(name, pools={"three": 1}, games=("cheater",))

    first, second = (await pooled_stub.ListPools(pool_pb2.ListPoolsRequest(), metadata=pooled.watching)).pools

    assert (first.name, first.terms.ruleset.WhichOneof("game"), first.terms.ruleset.preset) == ("open", "cheat", "folk")
    assert (first.seat_count, first.terms.pace.turn_ms, list(first.terms.entrants)) == (2, 500, [])
    assert (first.season, first.HasField("season_ends_s"), first.is_closed) == (1, True, False)
    assert (second.name, second.bot_count, second.waiting_count) == ("three", 2, 2)
    assert not second.HasField("season_ends_s")


async def test_running_matches_of_a_pool_are_named(pooled: LocalServer, pooled_stub: Any):
    for name in ("ann", "bob"):
        bot = await pooled.connect_bot(name, pools={"open": 1})
    await bot.wait_for_notice("offered")

    found = await pooled_stub.GetPool(pool_pb2.GetPoolRequest(name="open"), metadata=pooled.watching)

    (match_id,) = found.pool.running_match_ids
    assert await pooled.store.pools.seating(match_id) is not None


async def test_standings_are_those_of_the_newest_fit(pooled: LocalServer, pooled_stub: Any):
    ratings = (row("ann", 1450), row("bob", 1550, version="2"), row("new", 1800, games=3))
    await pooled.store.pools.add_fit(FitRow("open", 1, 2.0, 0, (), 60, ratings))

    standings = (await pooled_stub.GetPool(pool_pb2.GetPoolRequest(name="open"), metadata=pooled.watching)).standings

    assert [(each.bot, each.is_provisional) for each in standings] == [("bob", False), ("ann", False), ("new", True)]
    best = standings[0]
    assert (best.version, best.rating, best.low, best.high, best.game_count) == ("2", 1550, 1510, 1590, 50)


async def test_standings_say_how_many_games_count_and_what_an_owner_has_tried(pooled: LocalServer, pooled_stub: Any):
    code = await pooled.store.invitations.create("Ann", 2, timedelta(days=1))
    await pooled.store.invitations.redeem(code, "Ann", "", ("annie", "second"))
    ratings = (row("annie", 1450, version="1"), row("annie", 1440, version="2"), row("second", 1400), row("bob", 1500))
    met_often = replace(ratings[3], figures={RATED_GAMES: 31.5})
    await pooled.store.pools.add_fit(FitRow("open", 1, 2.0, 0, (), 60, (*ratings[:3], met_often)))

    standings = (await pooled_stub.GetPool(pool_pb2.GetPoolRequest(name="open"), metadata=pooled.watching)).standings

    tried = {each.bot: (each.rated_game_count, each.version_count, each.owner_bot_count) for each in standings}
    assert tried == {"bob": (31.5, 1, 1), "annie": (50, 2, 2), "second": (50, 1, 2)}


@pytest.mark.slow
async def test_unknown_pool_is_refused_in_one_sentence_with_the_known_ones(pooled: LocalServer, pooled_stub: Any):
    refusal = await expect_refusal(pooled_stub.GetPool(pool_pb2.GetPoolRequest(name="opne"), metadata=pooled.watching))

    assert refusal.code is grpc.StatusCode.NOT_FOUND
    assert refusal.text == "unknown pool 'opne'; known: open, three; did you mean open?"


# ---- challenges


async def challenge(site: LocalServer, stub: Any, *opponents: str, by: str = "ann", **request: Any) -> str:
    asked: dict[str, Any] = {"opponents": opponents, "options": SHORT_GAME} | request
    made = await stub.Challenge(pool_pb2.ChallengeRequest(**asked), metadata=bearer(site.tokens[by]))
    match_id: str = made.match_id
    return match_id


async def read_match(site: LocalServer, match_id: str) -> match_pb2.Match:
    request = match_pb2.WaitForResultRequest(match_id=match_id)
    found: match_pb2.Match = (await site.matches.WaitForResult(request, metadata=site.organizing, timeout=20)).match
    return found


async def test_bots_play_an_unrated_match(site: LocalServer, stub: Any):
    ann, bob = await site.connect_bot("ann", challenges=NOBODY), await site.connect_bot("bob", challenges=EVERYBODY)

    match_id = await challenge(site, stub, "bob", game_count=2, pace_options=[option("turn_ms", "30000")])
    await asyncio.gather(ann.play(play_lowest), bob.play(play_lowest))
    match = await read_match(site, match_id)

    assert list(match.terms.entrants) == ["ann", "bob"]
    assert (match.terms.rated, match.terms.game_count, match.terms.pace.turn_ms) == (False, 2, 30_000)
    assert match.terms.pace.style == ruleset_pb2.PACE_STYLE_SEALED
    assert len(match.games) == 2


def option(name: str, value: str) -> match_pb2.OptionSetting:
    return match_pb2.OptionSetting(name=name, value=value)


async def test_bot_that_accepts_nobody_is_named_and_gets_no_offer(site: LocalServer, stub: Any):
    await site.connect_bot("ann")
    bob = await site.connect_bot("bob", challenges=NOBODY)

    refusal = await expect_refusal(challenge(site, stub, "bob"))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "CHALLENGE_REFUSED")
    assert refusal.text == "bot 'bob' does not accept this challenge: it accepts challenges of nobody"
    assert not any(each.HasField("offered") for each in bob.notices)


async def test_default_policy_accepts_the_bots_of_the_same_owner(site: LocalServer, stub: Any):
    for name, owner in (("ann", "anna"), ("amy", "anna"), ("bob", "bill")):
        site.tokens[name] = await site.store.tokens.create(name, ["play"], owner=owner)
        await site.connect_bot(name)

    assert await challenge(site, stub, "amy")
    refusal = await expect_refusal(challenge(site, stub, "bob"))
    assert "'bob'" in refusal.text
    assert "of its own owner" in refusal.text


@pytest.mark.parametrize("who", ["ann", "bob"])
async def test_match_is_withdrawn_if_one_declines(site: LocalServer, stub: Any, who: str):
    bots = {name: await site.connect_bot(name, challenges=EVERYBODY) for name in ("ann", "bob")}

    match_id = await challenge(site, stub, "bob")
    for name, bot in bots.items():
        await bot.answer_offer(accept=name != who)
    match = await read_match(site, match_id)

    assert (match.termination, len(match.games)) == ("withdrawn", 0)
    other = bots["bob" if who == "ann" else "ann"]
    await other.wait_for_notice("offer_closed")


async def test_own_two_versions_play_each_other(site: LocalServer, stub: Any):
    one = await site.connect_bot("ann", instance="v1")
    two = await site.connect_bot("ann", instance="v2")

    await challenge(site, stub, "ann/v2", instance="v1")

    assert list((await one.answer_offer()).terms.entrants) == ["ann/v1", "ann/v2"]
    assert list((await two.answer_offer()).terms.entrants) == ["ann/v1", "ann/v2"]


async def test_everybody_named_has_to_be_connected(site: LocalServer, stub: Any):
    await site.connect_bot("ann")
    refusal = await expect_refusal(challenge(site, stub, "zoe"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "BOT_NOT_CONNECTED")

    site.tokens["bob"] = await site.create_token("bob")
    refusal = await expect_refusal(challenge(site, stub, "ann", by="bob"))
    assert refusal.text == "not connected: bob"


async def test_full_bot_is_named(site: LocalServer, stub: Any):
    await site.connect_bot("ann")
    await site.connect_bot("bob", capacity=1, challenges=EVERYBODY)
    await challenge(site, stub, "bob")

    refusal = await expect_refusal(challenge(site, stub, "bob"))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    assert "'bob'" in refusal.text


async def test_fifth_open_challenge_is_refused(site: LocalServer, stub: Any):
    await site.connect_bot("ann")
    await site.connect_bot("bob", challenges=EVERYBODY)
    for _ in range(4):
        await challenge(site, stub, "bob")

    refusal = await expect_refusal(challenge(site, stub, "bob"))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    assert "'ann'" in refusal.text


@pytest.mark.parametrize(
    ("request_fields", "field"),
    [
        ({"game_count": 101}, "game_count"),
        ({"options": [option("nonsense", "1")]}, "nonsense"),
        ({"pace_options": [option("no_deadlines", "true")]}, "no_deadlines"),
        ({"opponents": []}, "opponents"),
        ({"pace": 77}, "pace"),
    ],
)
async def test_bad_request_is_refused_with_its_field(
    site: LocalServer, stub: Any, request_fields: dict[str, Any], field: str
):
    await site.connect_bot("ann")
    await site.connect_bot("bob", challenges=EVERYBODY)

    refusal = await expect_refusal(challenge(site, stub, "bob", **request_fields))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT")
    assert list(refusal.fields) == [field]


async def test_game_follows_from_the_preset(site: LocalServer, stub: Any):
    bots = [
        await site.connect_bot(name, games=("cheat", "cheater"), challenges=EVERYBODY) for name in ("ann", "bob", "cid")
    ]

    await challenge(site, stub, "bob", "cid", preset="cheater", options=[])

    offered = (await bots[0].wait_for_notice("offered")).offered
    assert offered.terms.ruleset.WhichOneof("game") == "cheater"
    await bots[0].send(play_pb2.BotNotice(offer_answer=lobby_pb2.OfferAnswer(offer_id=offered.offer_id, accept=False)))
