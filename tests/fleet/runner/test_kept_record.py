"""The owner of a bot that is kept running sees what it writes, and whether it ends again and again."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.launch.launcher import Launcher
from arena.bots.launch.programs import BotProgram
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.kept_bots import KeptBot, KeptBots, KeptRecord
from tests.support.wall_clock import WallClock


@pytest.fixture(autouse=True)
def _quick_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.fleet.runner.keep_running.FIRST_WAIT_S", 0.01)
    monkeypatch.setattr("arena.fleet.runner.keep_running.LONGEST_WAIT_S", 0.01)
    monkeypatch.setattr("arena.fleet.runner.kept_bots.WATCH_INTERVAL_S", 0.01)


def keep_until(folder: Path, script: str, is_done: Callable[[KeptBot], bool], command: str = sys.executable) -> KeptBot:
    """Keep a bot running until something is true of it, and return it."""

    async def make_token() -> str:
        return "token"

    program = BotProgram("brief", (command, "-u", "-c", script), folder)
    bot = KeptBot(BotEntrant("brief", program), "127.0.0.1:1", "kept", make_token)

    async def play() -> None:
        async with KeptBots(Launcher(folder / "out")) as bots:
            bots.keep(bot)
            async with asyncio.timeout(60):
                while not is_done(bot):
                    await asyncio.sleep(0.02)

    asyncio.run(play())
    return bot


def test_last_lines_of_a_running_bot_are_safe_for_a_terminal(tmp_path):
    script = "import time; print('\\x1b[2J' + 'two\\tcards left'); time.sleep(600)"
    bot = keep_until(tmp_path, script, lambda bot: "cards" in bot.record.read_log())

    started, line, ended = bot.record.read_log().splitlines()
    assert line == "two cards left"
    assert started.endswith(" UTC started")
    assert ended.endswith(" UTC was ended by the arena")


def test_bot_that_writes_without_end_has_a_bounded_log_with_its_last_lines(tmp_path):
    script = "import time; print('x' * 9_999 + '\\n' * 400_000 + 'the last line'); time.sleep(600)"
    bot = keep_until(tmp_path, script, lambda bot: bot.record.read_log().endswith("the last line"))
    assert len(bot.record.read_log()) < 20_000


def test_bot_that_ends_again_and_again_is_said_to_be_in_trouble(tmp_path):
    """The log has the last processes, with the reason of each end."""
    script = "import os; print('process', os.getpid()); raise SystemExit(3)"
    logs = list[str]()

    def is_in_trouble(bot: KeptBot) -> bool:
        logs.append(bot.record.read_log())  # the arena ends one more process later, which may have written nothing
        return bot.record.describe_trouble().startswith("it does not keep running")

    bot = keep_until(tmp_path, script, is_in_trouble)

    assert "in a row, and last it " in bot.record.describe_trouble()
    assert logs[-1].count("process ") >= 3
    assert logs[-1].count("ended with exit code 3") == 3


def test_bot_that_cannot_be_started_says_why(tmp_path):
    bot = keep_until(tmp_path, "", lambda bot: bool(bot.record.describe_trouble()), command="no-such-program")
    assert "did not start: " in bot.record.describe()
    assert "no-such-program" in bot.record.read_log()


def test_trouble_is_over_when_a_process_keeps_running(tmp_path):
    clock = WallClock()
    record = KeptRecord(clock)
    for _ in range(3):
        record.note_failure("it needs more memory than there is")
    with Launcher(tmp_path / "out") as launcher:
        program = BotProgram("steady", (sys.executable, "-c", "import time; time.sleep(600)"), tmp_path)
        record.note_start(launcher.start(program, address="127.0.0.1:1", token="t", instance="kept"))
        before = record.state
        assert record.describe_trouble()
        clock.now += 61

        assert not record.describe_trouble()
        assert record.state != before, "so the owner hears of it"
