"""Leagues over gRPC: who may ask for them, and what a server without leagues answers."""

import pytest

from arena.errors import DeniedError, RequestError
from arena.server.rpc.league_service import MAX_FILE_BYTES, LeagueClient, LeagueOrder, LeagueState, LeagueStatus
from tests.support.server import LocalServer, open_server

ORDER = LeagueOrder("autumn", 'name = "autumn"')


class OneLeague:
    """Implements `LeagueHost`: it plays whatever it is given."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    async def run(self, order: LeagueOrder) -> LeagueStatus:
        self.asked.append(order)
        return LeagueStatus(order.name, "seal", LeagueState.PLAYING, 3, None, ("ann",), "", ("ann", "bob@2"))

    async def stop(self, name: str) -> LeagueStatus:
        self.asked.append(name)
        return LeagueStatus(name, "seal", LeagueState.STOPPED, 3, 9, (), "the disk is full", ())

    async def show(self, name: str, *, has_standings: bool) -> LeagueStatus:
        self.asked.append((name, has_standings))
        return LeagueStatus(name, "seal", LeagueState.OVER, 9, 9, (), "", ())


async def client_of(server: LocalServer, scope: str = "organize") -> LeagueClient:
    return LeagueClient(server.address, await server.create_token("me", scope))


async def test_values_arrive_as_they_were(tmp_path):
    host = OneLeague()
    async with open_server(tmp_path / "data", leagues=host) as server, await client_of(server) as client:
        running = await client.run(LeagueOrder("autumn", "text", is_sealed=True, finishes_rounds=True))
        stopped, over = await client.stop("autumn"), await client.show("autumn", has_standings=True)

    assert running == LeagueStatus("autumn", "seal", LeagueState.PLAYING, 3, None, ("ann",), "", ("ann", "bob@2"))
    assert (stopped.state, stopped.planned_count, stopped.fault) == (LeagueState.STOPPED, 9, "the disk is full")
    assert over.state is LeagueState.OVER
    assert host.asked == [LeagueOrder("autumn", "text", True, True), "autumn", ("autumn", True)]


async def test_only_organizers_may_ask_and_only_for_files_of_a_sane_size(tmp_path):
    host = OneLeague()
    async with open_server(tmp_path / "data", leagues=host) as server:
        async with await client_of(server, "play") as client:
            with pytest.raises(DeniedError, match="organize"):
                await client.run(ORDER)
        async with await client_of(server) as client:
            with pytest.raises(RequestError, match="at most"):
                await client.run(LeagueOrder("autumn", "#" * (MAX_FILE_BYTES + 1)))

    assert host.asked == []


async def test_server_without_leagues_says_so(tmp_path):
    async with open_server(tmp_path / "data") as server, await client_of(server) as client:
        with pytest.raises(RequestError, match="does not offer this: it is older, or its settings leave it out"):
            await client.run(ORDER)
