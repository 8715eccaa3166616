"""Concurrent requests share one batch, and no request fails because of another's error."""

import asyncio

import pytest

from arena.server.store.batcher import Batcher


class Work:
    """Squares numbers, and cannot stand 13."""

    def __init__(self) -> None:
        self.begun: list[list[int]] = []
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def transact(self, do):
        results = do(None)
        await self.may_end.wait()
        return results

    def __call__(self, connection, numbers):
        self.begun.append([*numbers])
        if 13 in numbers:
            raise ValueError("unlucky")
        return [number**2 for number in numbers]


@pytest.fixture
def work() -> Work:
    return Work()


async def test_concurrent_requests_share_a_batch(work: Work):
    batches = Batcher(work.transact, work)

    assert await asyncio.gather(*map(batches.submit, (1, 2, 3))) == [1, 4, 9]

    assert work.begun == [[1, 2, 3]]


async def test_request_during_a_batch_waits_for_the_next(work: Work):
    """The running batch may have read the state before the latest change."""
    batches = Batcher(work.transact, work)
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


async def test_error_is_raised_only_for_its_own_request(work: Work):
    batches = Batcher(work.transact, work)

    answers = await asyncio.gather(*map(batches.submit, (1, 13, 3)), return_exceptions=True)

    assert answers[0] == 1
    assert isinstance(answers[1], ValueError)
    assert answers[2] == 9
    assert await batches.submit(4) == 16


async def test_cancelled_request_costs_the_others_nothing(work: Work):
    batches = Batcher(work.transact, work)
    work.may_end.clear()
    gone, there = (asyncio.ensure_future(batches.submit(number)) for number in (1, 2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    gone.cancel()
    work.may_end.set()

    assert await there == 4
