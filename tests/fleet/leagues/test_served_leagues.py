"""Organizers who ask a server for leagues at once."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from arena.errors import CapacityError, EnvironmentFaultError, RequestError
from arena.fleet.leagues import served_leagues
from arena.fleet.leagues.served_leagues import ServedLeagues
from arena.server.rpc.league_service import LeagueOrder
from tests.support.server import open_server

ENDS_AT_ONCE = "arena.fleet.leagues"
"""A module in place of a league's process, which the server starts again and again."""


@pytest.fixture
async def leagues(tmp_path) -> AsyncIterator[ServedLeagues]:
    async with open_server(tmp_path / "data") as server:
        leagues = ServedLeagues(tmp_path / "data", ENDS_AT_ONCE, None, [])
        async with leagues.serve(server.server):
            yield leagues


async def ask(leagues: ServedLeagues, order: LeagueOrder) -> "asyncio.Task[object]":
    """Ask for a league, and return once it is being played."""
    asking = asyncio.create_task(leagues.run(order))
    await asyncio.sleep(0)
    return asking


async def test_two_organizers_who_ask_for_a_league_at_once_follow_the_same_one(leagues: ServedLeagues):
    """Unless their files differ: then the second one is told."""
    first = await ask(leagues, LeagueOrder("autumn", "one text"))
    same = await ask(leagues, LeagueOrder("autumn", "one text"))

    with pytest.raises(RequestError, match="'autumn' is being played, and its file was another one: stop it first"):
        await leagues.run(LeagueOrder("autumn", "another text"))
    assert not first.done()
    assert not same.done()


async def test_server_that_plays_enough_leagues_takes_no_other(leagues: ServedLeagues, monkeypatch):
    monkeypatch.setattr(served_leagues, "MOST_LEAGUES", 1)
    await ask(leagues, LeagueOrder("autumn", ""))

    with pytest.raises(CapacityError, match="already plays 1 league, the most allowed: stop one first"):
        await leagues.run(LeagueOrder("winter", ""))


async def test_server_that_starts_or_stops_takes_no_league(tmp_path):
    with pytest.raises(EnvironmentFaultError, match="starting or stopping"):
        await ServedLeagues(tmp_path, ENDS_AT_ONCE, None, []).run(LeagueOrder("autumn", ""))
