"""Authors' calls share one worker: an account that calls often does not make others wait or be refused."""

import asyncio

import pytest

from arena.errors import CapacityError
from arena.replays.archive.fair_line import FairLine


async def call(line: FairLine, account: str, answered: list[str]) -> None:
    """Make a call that takes one turn."""
    async with line.take_turn(account):
        await asyncio.sleep(0)
        answered.append(account)


async def test_accounts_take_turns():
    """Mal has asked four times before Vic asks once."""
    line, answered = FairLine(8, 4), list[str]()

    await asyncio.gather(*(call(line, account, answered) for account in ["mal"] * 4 + ["vic"]))

    assert answered == ["mal", "mal", "vic", "mal", "mal"]


async def test_only_an_account_with_too_many_calls_is_refused():
    line, answered = FairLine(8, 4), list[str]()

    results = await asyncio.gather(
        *(call(line, account, answered) for account in ["mal"] * 80 + ["vic"]), return_exceptions=True
    )

    assert sum(isinstance(each, CapacityError) for each in results) == 76
    assert answered.count("vic") == 1


async def test_number_of_calls_in_line_is_limited():
    line, answered = FairLine(2, 1), list[str]()

    results = await asyncio.gather(*(call(line, each, answered) for each in "abc"), return_exceptions=True)

    assert answered == ["a", "b"]
    assert isinstance(results[2], CapacityError)


@pytest.mark.parametrize("gone", [1, 2])
async def test_cancelled_call_passes_its_turn_on(gone):
    """Whether it is cancelled while it waits or at the moment when its turn comes."""
    line, answered = FairLine(8, 4), list[str]()
    calls = [asyncio.create_task(call(line, each, answered)) for each in "abc"]
    for _ in range(gone):
        await asyncio.sleep(0)
    calls[1].cancel()
    await asyncio.wait(calls, timeout=5)
    await call(line, "d", answered)

    assert answered == ["a", "c", "d"]
