"""Programs of real bots that are killed in mid match and started again, without a setting that names them."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.server import LocalServer, slow_pace
from tests.support.wire_bot import play_lowest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are otherwise killed")

BOT = """
from cheatarena import Bot, run

class Mine(Bot):
    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()

run(Mine)
"""


@pytest.fixture
async def ann(site: LocalServer, tmp_path: Path) -> dict[str, str]:
    """Return the environment of ann's programs."""
    (tmp_path / "bot.py").write_text(BOT)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CHEATARENA_")}
    return kept | {"CHEATARENA_ADDRESS": site.address, "CHEATARENA_TOKEN": await site.create_token("ann")}


@contextmanager
def running(folder: Path, environment: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    program = subprocess.Popen([sys.executable, folder / "bot.py"], env=environment, stderr=subprocess.DEVNULL)
    try:
        yield program
    finally:
        program.kill()
        program.wait(10)


async def wait_for_sessions(site: LocalServer, name: str, count: int) -> None:
    async with asyncio.timeout(60):
        while sum(key[0] == name for key in site.node.sessions) != count:
            await asyncio.sleep(0.01)


async def test_killed_program_plays_its_match_to_the_end_when_it_is_started_again(site: LocalServer, ann, tmp_path):
    pace = slow_pace(reconnect_grace_ms=60_000)
    bob = await site.connect_bot("bob")
    with running(tmp_path, ann):
        await wait_for_sessions(site, "ann", 1)
        match = await site.create_match("ann", "bob", pace=pace, game_count=2)
        await bob.play(play_lowest, stop=lambda _: len(bob.accepted) >= 5)
    await wait_for_sessions(site, "ann", 0)

    with running(tmp_path, ann):
        await bob.play(play_lowest)
        ended = await site.wait_for_result(match)

    assert (ended.termination, len(ended.games)) == ("finished", 2)
    assert not any(strikes.missing for strikes in ended.strikes)


async def test_two_programs_of_one_token_that_start_together_both_play(site: LocalServer, ann, tmp_path):
    with running(tmp_path, ann), running(tmp_path, ann):
        await wait_for_sessions(site, "ann", 2)
        first, second = (f"ann/{key[1]}" for key in site.node.sessions)
        match = await site.create_match(first, second, pace=slow_pace(), unrated=True)
        ended = await site.wait_for_result(match)

    assert ended.termination == "finished"
