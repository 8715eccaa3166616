"""Which blocks begin, and when."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from arena.hosting.play.block_dispatcher import BlockDispatcher
from arena.hosting.play.concurrency_limiter import ConcurrencyLimiter
from arena.league.model import Block

TABLE = ("a", "b")


@dataclass
class FakeBench:
    """A node whose bots are all there."""

    node: str = "node"
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

    async def shut_down(self) -> None:
        self.rests = True

    def count_running(self, names: Any) -> int:
        return len(names)


class Games:
    """What is played: block 1 lasts until it is ended, every other one a pass of the loop."""

    def __init__(self, blocks: int) -> None:
        self.left = [Block(number, 1, (TABLE,)) for number in range(1, blocks + 1)]
        self.begun: list[int] = []
        self.done: set[int] = set()
        self.first_may_end = asyncio.Event()
        self.acts: list[Any] = []

    def take(self, most: int) -> list[Block]:
        taken, self.left = self.left[:most], self.left[most:]
        return taken

    async def play(self, row: Any, *_: Any) -> None:
        self.begun.append(row.number)
        if row.number == 1:
            await self.first_may_end.wait()
        self.done.add(row.number)

    def is_done(self, number: int) -> bool:
        return number in self.done

    def unfinished_attempt(self, number: int) -> Any:
        return SimpleNamespace(number=number)


def conductor(games: Games, most_ahead: float) -> BlockDispatcher:
    made = BlockDispatcher(games, games, games, str, ConcurrencyLimiter(2, 2), most_tables=2, most_ahead=most_ahead)  # type: ignore[arg-type]
    made.benches = [FakeBench()]  # type: ignore[list-item]
    return made


async def run_until_idle() -> None:
    for _ in range(200):
        await asyncio.sleep(0)


@pytest.mark.parametrize("is_cancelled", [True, False])
async def test_when_the_play_is_over_or_stopped_every_bench_rests(is_cancelled):
    games = Games(3)
    made = conductor(games, inf)
    made.benches = benches = [FakeBench(), FakeBench()]  # type: ignore[assignment]
    playing = asyncio.ensure_future(made.play())
    await run_until_idle()
    assert not any(bench.rests for bench in benches)

    playing.cancel() if is_cancelled else games.first_may_end.set()
    await asyncio.gather(playing, return_exceptions=True)

    assert all(bench.rests for bench in benches)


@pytest.mark.parametrize(("most_ahead", "begun"), [(4, 4), (1, 1), (inf, 12)])
def test_no_block_begins_far_ahead_of_the_first_that_is_not_over(most_ahead, begun):
    async def played() -> None:
        games = Games(12)
        playing = asyncio.ensure_future(conductor(games, most_ahead).play())
        await run_until_idle()
        assert games.begun == list(range(1, begun + 1))
        games.first_may_end.set()
        await playing
        assert games.begun == list(range(1, 13)), "as soon as it is over, all others follow"

    asyncio.run(played())


@pytest.mark.parametrize(("most_ahead", "meanwhile"), [(2, [3]), (inf, [3, 4, 5, 6])])
def test_a_block_that_is_void_holds_up_those_ahead_of_it_until_it_is_over(most_ahead, meanwhile):
    class Voided(Games):
        """Block 2 lasts long, and does so twice, for the first time was void."""

        async def play(self, row: Any, *_: Any) -> None:
            is_void = row.number == 2 and 2 not in self.begun
            self.begun.append(row.number)
            for _pass in range(50 if row.number == 2 else 1):
                await asyncio.sleep(0)
            if not is_void:
                self.done.add(row.number)
                self.begun.append(-row.number)

    games = Voided(6)
    asyncio.run(conductor(games, most_ahead).play())

    assert sorted(each for each in games.begun if each > 0) == [1, 2, 2, 3, 4, 5, 6]
    assert [each for each in games.begun[: games.begun.index(-2)] if each > 2] == meanwhile
