"""A lab of sixty people behind one address: all join and connect within a minute, with one setting."""

import asyncio
from contextlib import ExitStack
from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.errors import CapacityError
from arena.server.node.admission import AdmissionControl
from arena.server.node.limits import Limits
from arena.web.limits import WebLimits
from cheatarena.v1 import account_pb2 as pb
from cheatarena.v1 import account_pb2_grpc
from tests.support.server import LocalServer, open_server
from tests.support.wire_bot import new_channel

PEOPLE = 60
OWNERS = [f"student-{one}{other}" for one in "abcdefgh" for other in "abcdefgh"][:PEOPLE]
"""Names that nobody takes for each other."""
LAB = "198.51.100.7"


async def join_all(site: LocalServer) -> int:
    """Let everybody redeem an invitation at once, and return how many have joined."""
    codes = [await site.store.invitations.create(None, 1, timedelta(days=1)) for _ in range(PEOPLE)]
    async with new_channel(site.address) as channel:
        accounts: Any = account_pb2_grpc.AccountServiceStub(channel)
        requests = [pb.JoinRequest(code=code, owner=owner) for code, owner in zip(codes, OWNERS, strict=True)]
        answers = await asyncio.gather(*map(as_coroutine, map(accounts.Join, requests)), return_exceptions=True)
    return sum(isinstance(each, pb.JoinResponse) for each in answers)


async def as_coroutine(call: Any) -> Any:
    return await call


@pytest.mark.slow
async def test_sixty_people_behind_one_address_join_and_connect_within_a_minute(tmp_path: Path):
    limits = replace(Limits(), people_an_address=PEOPLE, binds_loopback=True)
    async with open_server(tmp_path, limits) as site:
        assert await join_all(site) == PEOPLE
        bots = await asyncio.gather(*(site.connect_bot(f"bot{number}x") for number in range(PEOPLE)))
        assert len(site.node.sessions) == PEOPLE
        for bot in bots:
            await bot.disconnect()


@pytest.mark.slow
async def test_without_the_setting_an_address_is_taken_for_one_persons(tmp_path: Path):
    async with open_server(tmp_path, replace(Limits(), binds_loopback=True)) as site:
        assert await join_all(site) == Limits().redemptions_a_minute
        await asyncio.gather(*(site.connect_bot(f"bot{number}x") for number in range(32)))
        one_more = await site.open_stream("late")
        assert (await one_more.wait_for_end()).reason == "LIMIT_REACHED"


def test_every_limit_of_an_address_counts_for_each_of_its_people():
    limits = Limits(people_an_address=3, connections_an_address=2, redemptions_a_minute=2, guesses_a_minute=1)
    admission = AdmissionControl(limits, lambda: 0)

    with ExitStack() as open_streams:
        for number in range(6):
            open_streams.enter_context(admission.admit_stream(f"connection {number}", LAB))
            admission.admit_redemption(LAB)
        with pytest.raises(CapacityError, match="already has 6 connections"), admission.admit_stream("one more", LAB):
            pass
    with pytest.raises(CapacityError, match="has tried 6 invitations"):
        admission.admit_redemption(LAB)
    waits = []
    for _ in range(4):
        with admission.delay_refusal(LAB) as wait_s:
            waits.append(wait_s)
    assert waits == [0, 0, 0, 1]


def test_web_limits_of_an_address_count_for_each_of_its_people_but_never_for_all_that_there_is():
    lab = WebLimits().for_people(PEOPLE)

    assert (lab.requests_a_second, lab.burst, lab.logins_a_minute) == (1200, 7200, 600)
    assert (lab.connections_an_address, lab.viewers_an_address) == (384, 3840)
    assert (lab.viewed_matches_an_address, lab.works_an_address) == (48, 24)
    assert WebLimits().for_people(1) == WebLimits()
    grown = {each.name for each in fields(WebLimits) if getattr(lab, each.name) != getattr(WebLimits(), each.name)}
    assert {each.name for each in fields(WebLimits) if each.name.endswith("_an_address")} <= grown
