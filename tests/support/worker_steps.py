"""Does to the store of a running server what the worker of submissions does, without builds and boxes."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from arena.bots.submissions.submission import STEPS, SubmissionState
from arena.server.store.open_store import Store, open_store

S = SubmissionState
T = TypeVar("T")


def with_store(data: Path, act: Callable[[Store], Awaitable[T]]) -> T:
    """Act on the store of a running server."""

    async def work() -> T:
        async with await open_store(data) as store:
            return await act(store)

    return asyncio.run(work())


async def find_pending(store: Store, owner: str, bot: str) -> str:
    """Return the id of a bot's only pending submission."""
    (row,) = [row for row in await store.submissions.list_owned(owner, bot) if row.is_pending]
    return row.submission_id


async def try_version(store: Store, owner: str, bot: str) -> None:
    """Take a bot's pending submission through all steps."""
    submission_id = await find_pending(store, owner, bot)
    for state, following in zip((S.QUEUED, *STEPS), (*STEPS, S.ACTIVE), strict=True):
        await store.submissions.move(submission_id, state, following)


async def refuse_build(store: Store, owner: str, bot: str, log: str) -> None:
    """Let the build of a bot's pending submission fail."""
    submission_id, sentence = await find_pending(store, owner, bot), "the build ended with 2"
    await store.submissions.move(submission_id, S.QUEUED, S.BUILDING)
    await store.submissions.start_step(submission_id, S.BUILDING)
    await store.submissions.end_step(submission_id, S.BUILDING, is_passed=False, sentence=sentence, log=log)
    await store.submissions.move(submission_id, S.BUILDING, S.REFUSED, sentence=sentence)
