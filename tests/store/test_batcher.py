"""What is asked for at the same time is done in one batch, and nobody pays for another's fault."""

import asyncio

import pytest

from arena.store.batcher import Batcher


class Work:
    """Squares numbers, and cannot stand 13."""

    def __init__(self) -> None:
        self.begun: list[list[int]] = []
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def __call__(self, numbers):
        self.begun.append([*numbers])
        await self.may_end.wait()
        if 13 in numbers:
            raise ValueError("unlucky")
        return [number**2 for number in numbers]


@pytest.fixture
def work() -> Work:
    return Work()


async def test_those_who_ask_at_once_share_a_batch(work: Work):
    batches = Batcher(work)

    assert await asyncio.gather(*map(batches.submit, (1, 2, 3))) == [1, 4, 9]

    assert work.begun == [[1, 2, 3]]


async def test_who_asks_while_a_batch_is_under_way_waits_for_the_next(work: Work):
    """The one before may have looked already at what has changed since."""
    batches = Batcher(work)
    work.may_end.clear()
    first = asyncio.ensure_future(batches.submit(1))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    later = [asyncio.ensure_future(batches.submit(number)) for number in (2, 3)]
    await asyncio.sleep(0)
    assert work.begun == [[1]]
    work.may_end.set()

    assert await asyncio.gather(first, *later) == [1, 4, 9]
    assert work.begun == [[1], [2, 3]]


async def test_a_fault_is_told_to_its_own_asker_alone(work: Work):
    batches = Batcher(work)

    answers = await asyncio.gather(*map(batches.submit, (1, 13, 3)), return_exceptions=True)

    assert answers[0] == 1
    assert isinstance(answers[1], ValueError)
    assert answers[2] == 9
    assert await batches.submit(4) == 16


async def test_whoever_is_cancelled_costs_the_others_nothing(work: Work):
    batches = Batcher(work)
    work.may_end.clear()
    gone, there = (asyncio.ensure_future(batches.submit(number)) for number in (1, 2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    gone.cancel()
    work.may_end.set()

    assert await there == 4
