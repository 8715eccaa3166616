"""Concurrent tasks: all complete, or all are ended, each with time to clean up."""

import asyncio

import pytest

from arena.fleet.runner.runner import run_all


async def test_all_tasks_complete():
    done: list[int] = []

    async def work(number: int) -> None:
        await asyncio.sleep(0)
        done.append(number)

    await run_all(work(number) for number in range(3))

    assert sorted(done) == [0, 1, 2]


@pytest.mark.parametrize("end", ["cancelled", "failed"])
async def test_each_task_cleans_up_in_its_own_time(end):
    """A task that finishes early does not cut another one short, and none continues."""
    tidied: list[int] = []
    is_up = asyncio.Event()

    async def work(number: int) -> None:
        try:
            is_up.set()
            await asyncio.Event().wait()
        finally:
            for _ in range(5 * number):
                await asyncio.sleep(0)
            tidied.append(number)

    async def fail() -> None:
        await is_up.wait()
        if end == "failed":
            raise ValueError(end)

    task = asyncio.ensure_future(run_all([*(work(number) for number in range(3)), fail()]))
    await is_up.wait()
    if end == "cancelled":
        task.cancel()

    with pytest.raises(asyncio.CancelledError if end == "cancelled" else ValueError):
        await task
    assert tidied == [0, 1, 2]
