"""AccountService on a live server: who joins, what an owner may do, and what nobody else learns."""

import asyncio
import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

import grpc
import pytest

from arena.errors import OptionError
from arena.server.node.limits import Limits
from arena.server.rpc.account_service import MAX_BOTS
from arena.server.store.account_values import Scope
from arena.server.store.open_store import open_store
from cheatarena.v1 import account_pb2 as pb
from cheatarena.v1 import account_pb2_grpc
from tests.support.server import LocalServer, open_server
from tests.support.wire_bot import WireBot, bearer, expect_refusal, new_channel


@pytest.fixture
async def accounts(site: LocalServer) -> Any:
    async with new_channel(site.address) as channel:
        yield account_pb2_grpc.AccountServiceStub(channel)


async def invite(site: LocalServer, owner: str | None = None, bots: int = 2) -> str:
    return await site.store.invitations.create(owner, bots, timedelta(days=1))


@pytest.fixture
async def ann(site: LocalServer, accounts: Any) -> pb.JoinResponse:
    """Ann, who has joined with the bot counter."""
    request = pb.JoinRequest(code=await invite(site), owner="ann", contact="ann@example.org", bots=["counter"])
    joined: pb.JoinResponse = await accounts.Join(request)
    return joined


def owning(joined: pb.JoinResponse) -> Any:
    return bearer(joined.owner_token)


async def test_invitation_gives_a_bot_that_plays_and_an_owner_that_does_not(site: LocalServer, ann: pb.JoinResponse):
    assert (ann.owner, [bot.bot for bot in ann.bots]) == ("ann", ["counter"])

    async with WireBot(site.address, ann.bots[0].token) as bot:
        await bot.open_session()
        assert ("counter", "one") in site.node.sessions
    async with WireBot(site.address, ann.owner_token) as owner:
        assert (await owner.wait_for_end()).reason == "SCOPE_MISSING"


async def test_code_works_once_and_no_refusal_tells_why(site: LocalServer, accounts: Any):
    used, revoked = await invite(site), await invite(site)
    await accounts.Join(pb.JoinRequest(code=used, owner="ann"))
    await site.store.invitations.revoke(revoked[:12])

    refusals = [
        await expect_refusal(accounts.Join(pb.JoinRequest(code=code, owner="bob")))
        for code in (used, revoked, "cai_" + "a" * 46, "", "\x1b[31m")
    ]

    refusal = refusals[0]
    assert refusals == [refusal] * 5
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "INVITATION_REFUSED")


@pytest.mark.parametrize("name", ["c0unter", "counter ", "c\u043eunter", "Ann"])
async def test_look_alike_name_is_refused_and_the_code_stays_valid(
    site: LocalServer, accounts: Any, ann: pb.JoinResponse, name: str
):
    code = await invite(site)

    refusal = await expect_refusal(accounts.Join(pb.JoinRequest(code=code, owner="bob", bots=[name])))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT")
    assert list(refusal.fields) == ["bot"]
    assert (await accounts.Join(pb.JoinRequest(code=code, owner="bob", bots=["rusher"]))).owner == "bob"


async def test_owner_lists_bots_with_valid_tokens(accounts: Any, ann: pb.JoinResponse):
    listed = await accounts.ListBots(pb.ListBotsRequest(), metadata=owning(ann))

    (bot,) = listed.bots
    assert (listed.owner, listed.bot_limit, bot.name) == ("ann", 2, "counter")
    assert [token.handle for token in bot.tokens] == [ann.bots[0].token[:12]]
    assert [token.handle for token in listed.owner_tokens] == [ann.owner_token[:12]]
    assert not bot.tokens[0].HasField("expires_at_s")
    assert ann.owner_token not in str(listed)


async def test_owner_creates_bots_up_to_the_limit(site: LocalServer, accounts: Any, ann: pb.JoinResponse):
    made = await accounts.CreateBot(pb.CreateBotRequest(name="rusher"), metadata=owning(ann))
    refusal = await expect_refusal(accounts.CreateBot(pb.CreateBotRequest(name="third"), metadata=owning(ann)))

    assert (await site.store.tokens.check(made.bot.token)).owner == "ann"
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")


async def test_token_of_somebody_else_is_refused_like_none(site: LocalServer, accounts: Any, ann: pb.JoinResponse):
    bob = await accounts.Join(pb.JoinRequest(code=await invite(site), owner="bob"))

    for call, request in [(accounts.RotateToken, pb.RotateTokenRequest), (accounts.RevokeToken, pb.RevokeTokenRequest)]:
        foreign = await expect_refusal(call(request(token="counter"), metadata=owning(bob)))
        missing = await expect_refusal(call(request(token="nothing"), metadata=owning(bob)))
        assert (foreign.code, foreign.reason) == (grpc.StatusCode.NOT_FOUND, "UNKNOWN_TOKEN")
        assert replace(foreign, text=foreign.text.replace("counter", "nothing")) == missing
    await site.store.tokens.check(ann.bots[0].token)


async def test_stream_of_a_rotated_token_ends_with_its_overlap(site: LocalServer, accounts: Any, ann: pb.JoinResponse):
    """It goes on during the overlap, and then ends within a second or two of a busy machine."""
    async with WireBot(site.address, ann.bots[0].token) as bot:
        await bot.open_session()

        request = pb.RotateTokenRequest(token="counter", overlap_s=1)
        made = await accounts.RotateToken(request, metadata=owning(ann))
        assert ("counter", "one") in site.node.sessions
        async with asyncio.timeout(30):
            outcome = await bot.wait_for_end()

    assert (made.name, list(made.scopes)) == ("counter", ["play"])
    assert outcome.reason == "TOKEN_EXPIRED"
    assert (await site.store.tokens.check(made.token)).name == "counter"


async def test_stream_of_a_revoked_token_ends(site: LocalServer, accounts: Any, ann: pb.JoinResponse):
    async with WireBot(site.address, ann.bots[0].token) as bot:
        await bot.open_session()

        revoked = await accounts.RevokeToken(pb.RevokeTokenRequest(token="counter"), metadata=owning(ann))
        async with asyncio.timeout(30):
            outcome = await bot.wait_for_end()

    assert list(revoked.handles) == [ann.bots[0].token[:12]]
    assert outcome.reason == "TOKEN_REVOKED"


async def test_last_use_is_recorded_when_the_server_stops(tmp_path):
    async with open_server(tmp_path) as site:
        await site.connect_bot("counter")
        handle = site.tokens["counter"][:12]
        store = site.store
        assert {row.handle: row.last_used_at for row in await store.tokens.list()}[handle] is None

    async with await open_store(tmp_path) as store:
        assert {row.handle: row.last_used_at for row in await store.tokens.list()}[handle] is not None


async def test_address_may_try_only_a_few_codes_a_minute(tmp_path):
    """Bad codes and good ones count alike."""
    limits = replace(Limits(), redemptions_a_minute=2, binds_loopback=True)
    async with open_server(tmp_path, limits) as site, new_channel(site.address) as channel:
        accounts: Any = account_pb2_grpc.AccountServiceStub(channel)
        code = await invite(site)
        refusals = [await expect_refusal(accounts.Join(pb.JoinRequest(code="x", owner="a"))) for _ in range(2)]
        limited = await expect_refusal(accounts.Join(pb.JoinRequest(code=code, owner="ann")))

    assert {each.reason for each in refusals} == {"INVITATION_REFUSED"}
    assert (limited.code, limited.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")


@pytest.mark.parametrize("method", ["Join", "ListBots", "CreateBot", "RotateToken", "RevokeToken"])
async def test_bytes_that_are_no_message_are_refused(site: LocalServer, ann: pb.JoinResponse, method: str):
    async with new_channel(site.address) as channel:
        call: Any = channel.unary_unary(f"/cheatarena.v1.AccountService/{method}")
        refusal = await expect_refusal(call(b"\xff\xff\xff", metadata=owning(ann)))

    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.text.startswith("the request cannot be read as a ")


async def test_control_characters_of_a_name_do_not_come_back(accounts: Any, ann: pb.JoinResponse):
    for call, request in [
        (accounts.CreateBot, pb.CreateBotRequest(name="\x1b[31mred")),
        (accounts.RotateToken, pb.RotateTokenRequest(token="\x1b[31mred")),
        (accounts.RevokeToken, pb.RevokeTokenRequest(token="\x1b[31mred")),
    ]:
        refusal = await expect_refusal(call(request, metadata=owning(ann)))
        assert "red" in refusal.text
        assert refusal.text.isprintable()


async def test_long_message_of_a_stranger_is_not_read(accounts: Any):
    refusal = await expect_refusal(accounts.Join(pb.JoinRequest(bots=[""] * 100_000)))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")


async def test_owner_makes_only_a_few_changes_a_minute(tmp_path):
    limits = replace(Limits(), account_changes_a_minute=1)
    async with open_server(tmp_path, limits) as site, new_channel(site.address) as channel:
        accounts: Any = account_pb2_grpc.AccountServiceStub(channel)
        ann = await accounts.Join(pb.JoinRequest(code=await invite(site), owner="ann"))
        await accounts.CreateBot(pb.CreateBotRequest(name="counter"), metadata=owning(ann))
        rotation = accounts.RotateToken(pb.RotateTokenRequest(token="counter"), metadata=owning(ann))
        limited = await expect_refusal(rotation)

    assert limited.reason == "LIMIT_REACHED"
    assert limited.text == "owner 'ann' has asked for 1 change within a minute, the most allowed: wait a minute"


async def test_too_many_bots_are_refused_and_the_code_stays_valid(site: LocalServer, accounts: Any):
    code = await invite(site, bots=1000)

    refusal = await expect_refusal(accounts.Join(pb.JoinRequest(code=code, owner="ann", bots=["b"] * (MAX_BOTS + 1))))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT")
    assert f"bots must be at most {MAX_BOTS} names" in refusal.text
    assert (await accounts.Join(pb.JoinRequest(code=code, owner="ann"))).owner == "ann"


async def test_login_code_works_once_for_its_owner(tmp_path: Any):
    async with (
        open_server(tmp_path / "data", web_url="https://arena.example") as site,
        new_channel(site.address) as channel,
    ):
        accounts: Any = account_pb2_grpc.AccountServiceStub(channel)
        joined = await accounts.Join(pb.JoinRequest(code=await invite(site), owner="ann", bots=["counter"]))

        made = await accounts.CreateLoginCode(pb.CreateLoginCodeRequest(), metadata=owning(joined))

        session = await site.store.logins.redeem_code(made.code)
        assert await site.store.logins.check_session(session) == "ann"
        assert made.web_url == "https://arena.example"
        assert 590 < made.expires_at_s - time.time() <= 600


async def test_sixth_unused_login_code_is_refused(accounts: Any, ann: pb.JoinResponse):
    made = [await accounts.CreateLoginCode(pb.CreateLoginCodeRequest(), metadata=owning(ann)) for _ in range(5)]

    refusal = await expect_refusal(accounts.CreateLoginCode(pb.CreateLoginCodeRequest(), metadata=owning(ann)))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    assert len({each.code for each in made}) == 5
    assert {each.web_url for each in made} == {""}


async def test_address_of_the_web_page_has_to_be_one(tmp_path: Any):
    with pytest.raises(OptionError, match=r"web_url must be a URL.*https://arena\.example"):
        async with open_server(tmp_path / "data", web_url="arena.example"):
            pass


async def test_token_to_submit_is_the_owners_and_manages_nothing(
    site: LocalServer, accounts: Any, ann: pb.JoinResponse
):
    made = await accounts.CreateSubmitToken(pb.CreateSubmitTokenRequest(days=7), metadata=owning(ann))

    identity = await site.store.tokens.check(made.token)
    assert (identity.name, identity.owner, identity.scopes) == ("ann", "ann", frozenset({Scope.SUBMIT}))
    assert identity.expires_at == pytest.approx(time.time() + 7 * 86_400, abs=60)
    listed = await accounts.ListBots(pb.ListBotsRequest(), metadata=owning(ann))
    assert sorted(list(token.scopes) for token in listed.owner_tokens) == [["own"], ["submit"]]
    refused = await expect_refusal(accounts.ListBots(pb.ListBotsRequest(), metadata=bearer(made.token)))
    assert refused.reason == "SCOPE_MISSING"
    too_long = accounts.CreateSubmitToken(pb.CreateSubmitTokenRequest(days=367), metadata=owning(ann))
    assert (await expect_refusal(too_long)).fields == {"days": "expected at most 366"}


async def test_owner_describes_a_bot_and_nobody_elses(site: LocalServer, accounts: Any, ann: pb.JoinResponse):
    profile = pb.BotProfile(text="Lies when cornered.", language="Rust", link="https://example.org/counter")
    bob = await accounts.Join(pb.JoinRequest(code=await invite(site), owner="bob"))

    await accounts.DescribeBot(pb.DescribeBotRequest(bot="counter", profile=profile), metadata=owning(ann))
    request = pb.DescribeBotRequest(bot="counter")
    foreign = await expect_refusal(accounts.DescribeBot(request, metadata=owning(bob)))
    [bot] = (await accounts.ListBots(pb.ListBotsRequest(), metadata=owning(ann))).bots

    assert bot.profile == profile
    assert foreign.code == grpc.StatusCode.NOT_FOUND
