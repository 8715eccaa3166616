"""Which blocks begin, and when."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from arena.competition.league.model import Block
from arena.errors import EnvironmentFaultError
from arena.fleet.runner.connection import LineCutError
from arena.fleet.runner.started_bot import BotExit
from arena.match.referee.ports import MatchId
from arena.organizer.play.attendance import Attendance, LeagueClock
from arena.organizer.play.block_dispatcher import BlockDispatcher, PlayPolicy
from arena.organizer.play.concurrency_limiter import ConcurrencyLimiter
from arena.organizer.play.node_bots import BotRestarts

TABLE = ("a", "b")


@dataclass
class FakeNodeBots:
    """A node whose bots are all available."""

    process: str = "node"
    is_up: bool = True
    tables: int = 0
    seats: Counter[str] = field(default_factory=Counter)
    rests: bool = False

    def reserve_table(self, names: Any) -> None:
        self.tables += 1

    async def acquire(self, names: Any) -> None:
        pass

    def release_table(self, names: Any, was_brought: bool) -> None:
        self.tables -= 1

    async def next_lost_bot(self) -> BotExit:
        await asyncio.Event().wait()
        raise AssertionError

    async def shut_down(self) -> None:
        self.rests = True

    def count_running(self, names: Any) -> int:
        return len(names)


class Games:
    """Plays blocks: block 1 lasts until it is ended, every other one takes a pass of the loop."""

    def __init__(self, blocks: int) -> None:
        self.left = [Block(number, 1, (TABLE,)) for number in range(1, blocks + 1)]
        self.begun: list[int] = []
        self.done: set[int] = set()
        self.first_may_end = asyncio.Event()
        self.acts: list[Any] = []
        self.rows: list[Any] = []

    def take(self, most: int) -> list[Block]:
        taken, self.left = self.left[:most], self.left[most:]
        return taken

    async def play(self, row: Any, *_: Any, **__: Any) -> None:
        self.begun.append(row.number)
        if row.number == 1:
            await self.first_may_end.wait()
        self.done.add(row.number)

    def is_done(self, number: int) -> bool:
        return number in self.done

    def unfinished_attempt(self, number: int) -> Any:
        return SimpleNamespace(number=number)


async def expect_no_node() -> None: ...


def dispatcher_of(
    games: Games, max_ahead: float, *nodes: FakeNodeBots, next_node: Any = expect_no_node
) -> BlockDispatcher:
    policy, limiter = PlayPolicy(max_tables=2, max_ahead=max_ahead), ConcurrencyLimiter(2, 2)
    ledger: Any = games  # has only those methods of ledger, schedule and player that a dispatcher calls
    fakes: Any = [*nodes] or [FakeNodeBots()]
    restarts = BotRestarts(ledger, lambda _: fakes, next_node)
    attendance = Attendance((), (), (), ledger, LeagueClock())
    return BlockDispatcher(ledger, ledger, ledger, limiter, lambda: MatchId(""), restarts, policy, attendance)


async def run_until_idle() -> None:
    for _ in range(200):
        await asyncio.sleep(0)


@pytest.mark.parametrize("is_cancelled", [True, False])
async def test_every_node_rests_when_play_ends_or_is_stopped(is_cancelled):
    games, nodes = Games(3), [FakeNodeBots(), FakeNodeBots()]
    playing = asyncio.create_task(dispatcher_of(games, inf, *nodes).play())
    await run_until_idle()
    assert not any(node.rests for node in nodes)

    playing.cancel() if is_cancelled else games.first_may_end.set()
    await asyncio.gather(playing, return_exceptions=True)

    assert all(node.rests for node in nodes)


async def test_league_without_a_node_waits_for_one_that_is_asked_for_and_ends_if_none_will_come():
    games, joined = Games(3), asyncio.Queue[FakeNodeBots | None]()
    playing = asyncio.create_task(dispatcher_of(games, inf, FakeNodeBots(is_up=False), next_node=joined.get).play())
    await run_until_idle()
    assert not games.begun

    another = FakeNodeBots()
    joined.put_nowait(another)
    await run_until_idle()
    assert games.begun == [1, 2, 3]

    another.is_up = False
    games.left.append(Block(4, 1, (TABLE,)))
    joined.put_nowait(None)
    games.first_may_end.set()
    with pytest.raises(EnvironmentFaultError, match="no node is left to play"):
        await playing


@pytest.mark.parametrize(("max_ahead", "begun"), [(4, 4), (1, 1), (inf, 12)])
def test_no_block_begins_far_ahead_of_first_unfinished_one(max_ahead, begun):
    async def played() -> None:
        games = Games(12)
        playing = asyncio.create_task(dispatcher_of(games, max_ahead).play())
        await run_until_idle()
        assert games.begun == list(range(1, begun + 1))
        games.first_may_end.set()
        await playing
        assert games.begun == list(range(1, 13)), "as soon as it is over, all others follow"

    asyncio.run(played())


def test_limit_holds_up_new_blocks_and_is_never_above_the_policy():
    """A comparison whose time is short finishes the first block before others take the cores."""

    async def played() -> None:
        games = Games(12)
        dispatcher = dispatcher_of(games, 4)
        dispatcher.limit_ahead(1)
        playing = asyncio.create_task(dispatcher.play())
        await run_until_idle()
        assert games.begun == [1]
        dispatcher.limit_ahead(3)
        await run_until_idle()
        assert games.begun == [1, 2, 3], "as soon as there is time for them"
        dispatcher.limit_ahead(100)
        await run_until_idle()
        assert games.begun == [1, 2, 3, 4]
        games.first_may_end.set()
        await playing

    asyncio.run(played())


@pytest.mark.parametrize(("max_ahead", "meanwhile"), [(2, [3]), (inf, [3, 4, 5, 6])])
def test_void_block_delays_later_blocks_until_it_finishes(max_ahead, meanwhile):
    class Voided(Games):
        """Block 2 takes long, and is played twice, because the first attempt was void."""

        async def play(self, row: Any, *_: Any, **__: Any) -> None:
            is_void = row.number == 2 and 2 not in self.begun
            self.begun.append(row.number)
            for _pass in range(50 if row.number == 2 else 1):
                await asyncio.sleep(0)
            if not is_void:
                self.done.add(row.number)
                self.begun.append(-row.number)

    games = Voided(6)
    asyncio.run(dispatcher_of(games, max_ahead).play())

    assert sorted(each for each in games.begun if each > 0) == [1, 2, 2, 3, 4, 5, 6]
    assert [each for each in games.begun[: games.begun.index(-2)] if each > 2] == meanwhile


class Failing(Games):
    """Block 2 fails; block 1 lasts."""

    def __init__(self, failure: BaseException) -> None:
        super().__init__(3)
        self.failure = failure
        self.stopped: list[int] = []

    async def play(self, row: Any, *_: Any, **__: Any) -> None:
        if row.number == 2 and 2 not in self.begun:
            self.begun.append(2)
            raise self.failure
        try:
            await super().play(row)
        except asyncio.CancelledError:
            self.stopped.append(row.number)
            raise


async def test_error_in_a_block_ends_play_unchanged_and_stops_other_blocks():
    games, node = Failing(EnvironmentFaultError("lost")), FakeNodeBots()

    with pytest.raises(EnvironmentFaultError, match="lost"):
        await dispatcher_of(games, inf, node).play()

    assert games.stopped == [1]
    assert node.rests


async def test_error_while_watching_bots_ends_play_unchanged():
    class Broken(FakeNodeBots):
        async def next_lost_bot(self) -> BotExit:
            raise EnvironmentFaultError("the ledger is lost")

    with pytest.raises(EnvironmentFaultError, match="the ledger is lost"):
        await dispatcher_of(Games(3), inf, Broken()).play()


async def test_block_whose_node_ended_is_played_again():
    games = Failing(LineCutError("cut"))
    games.first_may_end.set()

    await dispatcher_of(games, inf).play()

    assert games.done == {1, 2, 3}


async def test_missing_node_is_reported():
    with pytest.raises(EnvironmentFaultError, match="no node is left"):
        await dispatcher_of(Games(1), inf, FakeNodeBots(is_up=False)).play()
