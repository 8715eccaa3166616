"""Tables of a league on a server: they outlive the league's process, and remote bots play where they are connected."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from arena.errors import UnknownNameError
from arena.fleet.leagues.table_keeper import TableKeeper
from arena.fleet.runner.host import Host, TemporaryTokens
from arena.fleet.runner.node_services import SharedTableMessage
from arena.fleet.runner.organizer import LocalOrganizer
from arena.fleet.runner.started_bot import BotExit
from arena.match.referee.match_order import MatchReport
from arena.match.referee.ports import MatchId
from arena.server.node.identity import LEAGUE_INSTANCE_PREFIX
from arena.server.node.limits import Limits
from tests.fleet.runner.test_shared_tables import table_order
from tests.support.server import LocalServer, open_server
from tests.support.wire_bot import Message, WireBot, play_lowest

NAMES = ("ann", "bob", "cid")


class NoNews:
    """Implements `RunnerEvents`: nobody listens."""

    def on_match_started(self, key: str, match_id: MatchId) -> None: ...

    def on_progress(self, reports: tuple[MatchReport, ...]) -> None: ...

    def on_bot_exit(self, loss: BotExit) -> None: ...


@pytest.fixture
async def server(tmp_path) -> AsyncIterator[LocalServer]:
    async with open_server(tmp_path / "data") as server:
        yield server


@pytest.fixture
async def keeper(server: LocalServer, tmp_path) -> AsyncIterator[TableKeeper]:
    async with open_keeper(server, tmp_path) as keeper:
        yield keeper


@asynccontextmanager
async def open_keeper(server: LocalServer, folder: Path) -> AsyncIterator[TableKeeper]:
    running = server.server
    organizer, keys = LocalOrganizer(running.matches), TemporaryTokens(server.store.tokens)
    keeper = TableKeeper(NoNews(), running, Host(running.address, organizer, keys, folder / "data", running))
    yield keeper
    await keeper.aclose()


async def commit(server: LocalServer, number: int) -> SharedTableMessage:
    return SharedTableMessage.of(table_order(number, NAMES))


async def wait_until_open(server: LocalServer) -> None:
    while not server.node.registry.matches:
        await asyncio.sleep(0.01)


def play_all(bots: list[WireBot]) -> "list[asyncio.Task[Message]]":
    return [asyncio.create_task(bot.play(play_lowest)) for bot in bots]


async def test_table_goes_on_without_its_process_and_the_next_one_waits_for_its_end(
    server: LocalServer, keeper: TableKeeper
):
    bots, table = await server.connect_bots(*NAMES), await commit(server, 0)
    first = asyncio.create_task(keeper.play_shared_table(table))
    await wait_until_open(server)
    keeper.leave_alone()
    first.cancel()
    keeper.welcome_process()

    assert await keeper.open_tables((table.match_id, MatchId("other"))) == (table.match_id,)
    again = asyncio.create_task(keeper.play_shared_table(table))
    playing = play_all(bots)
    await again
    await keeper.play_shared_table(table)

    assert await keeper.open_tables((table.match_id,)) == ()
    assert not keeper.has_tables
    assert (await server.store.results.match(table.match_id)).state == "ended"
    assert len(await server.store.results.games(table.match_id)) == 1, "it was played once"
    await asyncio.gather(*playing)


async def test_table_that_waits_for_seats_is_forgotten_with_its_process_and_pools_leave_it_seats(
    server: LocalServer, keeper: TableKeeper
):
    for name in NAMES:
        await server.connect_bot(name, capacity=1)
    first, second = await commit(server, 0), await commit(server, 1)
    playing = [asyncio.create_task(keeper.play_shared_table(each)) for each in (first, second)]
    sessions, matches = server.node.registry.sessions, server.server.matches
    while not sessions.awaited["ann", "one"]:
        await asyncio.sleep(0.01)
    counted, held = matches.count_seats(("ann", "one")), sessions.count_seats(("ann", "one"))

    keeper.leave_alone()
    await asyncio.wait(playing, return_when=asyncio.FIRST_COMPLETED)

    assert (counted, held) == (2, 1)
    assert matches.count_seats(("ann", "one")) == 1
    assert await keeper.open_tables((first.match_id, second.match_id)) == (first.match_id,)
    for task in playing:
        task.cancel()


async def test_remote_bot_plays_with_one_of_its_sessions_and_never_with_a_program_of_the_arena(
    server: LocalServer, keeper: TableKeeper
):
    await server.connect_bots("bob", "cid")
    own = await server.connect_bot("ann", instance=f"{LEAGUE_INSTANCE_PREFIX}1")
    assert set(await keeper.connected_bots("league", "cheat", "standard")) == {"bob", "cid"}
    with pytest.raises(UnknownNameError):
        server.node.registry.sessions.find("ann")

    await server.connect_bot("ann", instance="two")
    playing = asyncio.create_task(keeper.play_shared_table(await commit(server, 0)))
    await wait_until_open(server)

    (hosted,) = server.node.registry.matches.values()
    assert hosted.keys == (("ann", "two"), ("bob", "one"), ("cid", "one"))
    assert not own.messages
    playing.cancel()


async def test_table_waits_while_the_server_is_full(tmp_path):
    async with open_server(tmp_path / "data", Limits(matches=1)) as server, open_keeper(server, tmp_path) as keeper:
        bots, orders = await server.connect_bots(*NAMES), [await commit(server, number) for number in range(2)]
        tables = [asyncio.create_task(keeper.play_shared_table(each)) for each in orders]
        await wait_until_open(server)
        opened = [match.match_id for match in server.node.registry.matches.values()]
        for table in tables:
            playing = play_all(bots)
            await table
            await asyncio.gather(*playing)

        assert opened == [orders[0].match_id]
        assert [(await server.store.results.match(each.match_id)).state for each in orders] == ["ended", "ended"]


async def test_table_goes_on_without_a_bot_that_is_banned_meanwhile(server: LocalServer, keeper: TableKeeper):
    await server.store.owners.add("eve", "", 4)
    server.tokens["ann"] = await server.store.tokens.create("ann", ("play",), owner="eve")
    (ann, *others), table = await server.connect_bots(*NAMES), await commit(server, 0)
    played = asyncio.create_task(keeper.play_shared_table(table))
    await wait_until_open(server)
    await ann.answer_offer()
    playing = play_all(others)
    await server.store.bans.ban("eve", "two accounts")
    await played

    row = await server.store.results.match(table.match_id)
    assert row.state == "ended"
    assert sum(row.strikes[0].values()) > 0
    await asyncio.gather(*playing)
