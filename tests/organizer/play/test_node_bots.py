"""The bots at a node: room is made for bots that are needed, and no block waits for ever."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.bots.launch.programs import BotProgram, RemoteBot
from arena.errors import BotStartError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.games.catalogue import games
from arena.match.referee.pace import Pace
from arena.match.referee.terms import Terms
from arena.organizer.play.node_bots import BotLease, NodeBots

CHEAT = games()["cheat"]
TERMS = Terms(CHEAT, "standard", CHEAT.build_ruleset("standard", {}), Pace.sealed_defaults(), ("a", "b"))


class FakeNode:
    """A node whose bots are names."""

    is_up = True

    def __init__(self) -> None:
        self.here: set[str] = set()
        self.most_here = 0
        self.broken: set[str] = set()
        self.changed: set[str] = set()
        self.slow: dict[str, float] = {}
        self.calls = self

    async def start_bot(self, player: BotEntrant, *_: str) -> None:
        await asyncio.sleep(self.slow.get(player.name, 0))
        if player.name in self.broken:
            raise BotStartError(f"{player.name} ended before it connected")
        assert player.name not in self.here
        self.here.add(player.name)
        self.most_here = max(self.most_here, len(self.here))

    async def stop_bot(self, name: str) -> None:
        self.here.remove(name)


@pytest.fixture
def node() -> FakeNode:
    return FakeNode()


def bench_of(node: FakeNode, most: int, remotes: str = "") -> NodeBots:
    async def crashed(name: str, fault: BotStartError) -> bool:
        return False

    async def check(name: str) -> None:
        if name in node.changed:
            raise BotStartError(f"{name} has changed")

    players = {name: BotEntrant(name, BotProgram(name, (), Path())) for name in "abcdefghijkl"}
    players |= {name: BotEntrant(name, RemoteBot(name)) for name in remotes}
    return NodeBots(node, players, TERMS, most, crashed, check)  # type: ignore[arg-type]  # a node on paper


async def plays(bench: NodeBots, names: str, seen: list[str]) -> None:
    """A block of a few moments."""
    with BotLease(bench, [names], (), lambda: None) as stay:
        await stay.acquire()
        assert set(names) <= bench.process.here  # type: ignore[attr-defined]  # a node on paper
        await asyncio.sleep(0.002)
        seen.append(names)


async def run_blocks(bench: NodeBots, blocks: Sequence[str]) -> list[str]:
    seen: list[str] = []
    async with asyncio.timeout(5):
        await asyncio.gather(*(plays(bench, names, seen) for names in blocks))
    return seen


async def test_running_bots_never_exceed_capacity(node: FakeNode):
    seen = await run_blocks(bench_of(node, 4), ["abcd", "efgh", "abef", "cdgh", "ijkl", "abcd"])

    assert sorted(seen) == sorted(["abcd", "efgh", "abef", "cdgh", "ijkl", "abcd"])
    assert node.most_here == 4


async def test_block_larger_than_capacity_still_gets_its_bots(node: FakeNode):
    assert await run_blocks(bench_of(node, 4), ["abcdef", "ab", "ghijkl"]) != []
    assert node.most_here == 6


async def test_waiting_blocks_do_not_keep_bots_from_earlier_ones(node: FakeNode):
    """Every idle bot is wanted by a later block: the first block in line may end them."""
    bench = bench_of(node, 8)
    await run_blocks(bench, ["abcd", "efgh"])

    assert len(await run_blocks(bench, ["ijkl", "abcd", "efgh"])) == 3


async def test_slow_starter_delays_only_those_who_need_it(node: FakeNode):
    node.slow = {"a": 0.2}

    assert await run_blocks(bench_of(node, 8), ["abcd", "bcd", "ad", "efgh"]) == ["bcd", "efgh", "abcd", "ad"]


async def test_remote_bot_is_not_started(node: FakeNode):
    """It is awaited before its block begins."""
    bench = bench_of(node, 4, remotes="ac")

    with BotLease(bench, ["abcd"], (), lambda: None) as stay:
        await stay.acquire()
        assert node.here == {"b", "d"}


async def test_bot_with_changed_files_is_not_started(node: FakeNode):
    node.changed = {"c"}
    with BotLease(bench_of(node, 4), ["abcd"], (), lambda: None) as stay:
        await stay.acquire()
        assert node.here == set("abd")


async def test_bot_that_cannot_start_keeps_no_block_waiting(node: FakeNode):
    node.broken = {"b"}
    bench = bench_of(node, 4)

    with BotLease(bench, ["abcd"], (), lambda: None) as stay:
        async with asyncio.timeout(5):
            await stay.acquire()
        assert node.here == {"a", "c", "d"}


async def test_cancelled_waiter_keeps_no_seat(node: FakeNode):
    bench = bench_of(node, 4)
    with BotLease(bench, ["abcd"], (), lambda: None) as stay:
        await stay.acquire()
        waiting = asyncio.ensure_future(plays(bench, "efgh", []))
        await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    assert not +bench.seats
    assert bench.tables == 0
    assert await run_blocks(bench, ["ijkl"]) == ["ijkl"]


async def test_finished_table_frees_room_before_its_block_ends(node: FakeNode):
    bench, left = bench_of(node, 8), list[int]()
    with BotLease(bench, ["abcd", "efgh"], "h", lambda: left.append(bench.tables)) as stay:
        await stay.acquire()
        assert node.here == set("abcdefg")
        stay.release_table("abcd")
        assert await run_blocks(bench, ["ijkl"]) == ["ijkl"]
        assert node.here >= set("efgijkl")

    assert left == [1, 0]


async def test_bot_still_starting_when_play_ends_is_not_blamed(node):
    """Its node stops at that moment and the start fails: no error may be reported for that."""
    blamed: list[str] = []

    async def crashed(name: str, fault: BotStartError) -> bool:
        blamed.append(name)
        return False

    async def check(name: str) -> None:
        pass

    players = {name: BotEntrant(name, BotProgram(name, (), Path())) for name in "ab"}
    bench = NodeBots(node, players, TERMS, 2, crashed, check)
    node.slow["a"], node.broken = 0.01, {"a"}
    waiting = asyncio.ensure_future(bench.acquire(["a", "b"]))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    await bench.shut_down()
    await asyncio.sleep(0.03)

    assert blamed == []
