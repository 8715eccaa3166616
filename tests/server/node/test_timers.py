"""When the node is woken: some time before a deadline, to prepare, and a read margin after it, to act."""

import asyncio

from arena.match.referee.scalars import Instant
from arena.server.node.timers import READ_MARGIN_US, DeadlineTimer
from tests.support.stamping import loop_parts


async def test_timer_prepares_before_a_deadline_and_acts_after_it():
    clock, _ = loop_parts()
    prepared: list[int] = []
    acted: asyncio.Future[Instant] = asyncio.get_running_loop().create_future()
    due = Instant(clock.now() + 80_000)
    timer = DeadlineTimer(
        clock.now, lambda: acted.set_result(clock.now()), (25_000, 5_000), lambda: prepared.append(clock.now())
    )

    timer.set(due)
    timer.set(Instant(due + 1_000))
    acted_at = await acted

    assert acted_at >= due + READ_MARGIN_US
    assert prepared[0] >= due - 25_000
    assert prepared[-1] >= due, "it prepares for the next deadline too"
    assert len(prepared) <= 3


async def test_near_deadline_needs_no_lead():
    clock, _ = loop_parts()
    acted: asyncio.Future[Instant] = asyncio.get_running_loop().create_future()
    timer = DeadlineTimer(clock.now, lambda: acted.set_result(clock.now()), (25_000, 5_000))
    due = clock.now()

    timer.set(due)

    assert await acted >= due + READ_MARGIN_US
