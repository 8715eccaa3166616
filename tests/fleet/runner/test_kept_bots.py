"""Bots are kept running until they are dropped, and nothing of them is left afterwards."""

import asyncio
import errno
import os
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from structlog.testing import capture_logs

from arena.bots.launch.launcher import Launcher
from arena.bots.launch.programs import BotProgram
from arena.errors import DeniedError
from arena.fleet.runner import keep_running, kept_bots, started_bot
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.kept_bots import KeptBot, KeptBots
from arena.fleet.runner.started_bot import Access
from cheatarena.tls_settings import TlsSettings

POLITE = """
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(print("goodbye")))
print("ready", flush=True)
signal.pause()
"""


def make_bot(name: str, folder: Path, script: str, tokens: list[str]) -> KeptBot:
    program = BotProgram(name, (sys.executable, "-c", script), folder)

    async def make_token() -> str:
        tokens.append(f"token-{len(tokens)}")
        return tokens[-1]

    return KeptBot(BotEntrant(name, program), "127.0.0.1:1", "kept", make_token)


async def wait_for(condition) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)


def test_dropped_bot_ends_and_others_go_on(tmp_path):
    async def play() -> None:
        async with KeptBots(Launcher(tmp_path / "out")) as bots:
            one, two, nobody = (make_bot(name, tmp_path, "import time; time.sleep(600)", []) for name in "123")
            for bot in (one, two):
                bots.keep(bot)
            await wait_for(lambda: len(bots.launcher.running) == 2)
            pids = {each.name: each.pid for each in bots.launcher.running}

            await bots.drop(one)
            await bots.drop(nobody)

            assert not psutil.pid_exists(pids["1"])
            assert psutil.pid_exists(pids["2"])
        assert not psutil.pid_exists(pids["2"])

    asyncio.run(play())


def test_bot_that_is_dropped_while_it_starts_leaves_no_process(tmp_path):
    async def play() -> None:
        launcher = Launcher(tmp_path / "out")
        async with KeptBots(launcher) as bots:
            brief = make_bot("brief", tmp_path, "import time; time.sleep(600)", [])
            bots.keep(brief)
            await wait_for(lambda: launcher.running)
            pid = launcher.running[0].pid
            await bots.drop(brief)
            assert not psutil.pid_exists(pid)

    for _ in range(5):
        asyncio.run(play())


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize(("keeps_seats", "said"), [(True, "ready\n"), (False, "ready\ngoodbye\n")])
def test_bot_that_keeps_its_seats_cannot_say_goodbye(tmp_path, keeps_seats: bool, said: str):
    """The server gives up the seats of a bot that does."""

    async def play() -> None:
        async with KeptBots(Launcher(tmp_path / "out")) as bots:
            polite = make_bot("polite", tmp_path, POLITE, [])
            bots.keep(polite)
            await wait_for(lambda: output.is_file() and output.read_text())
            await bots.drop(polite, keeps_seats=keeps_seats)

    output = tmp_path / "out" / "polite.log"
    asyncio.run(play())

    assert output.read_text() == said


@pytest.mark.parametrize("wait_s", [1.0, kept_bots.LONG_WAIT_S], ids=["soon-back", "away-for-long"])
def test_bot_that_is_away_for_long_gives_up_its_seats(tmp_path, monkeypatch, wait_s: float):
    """Its games would wait for as long as their reconnect allowance, and then for its clocks."""
    left: list[Access] = []

    async def note(access: Access, _: object) -> None:
        left.append(access)

    async def play() -> None:
        async with KeptBots(Launcher(tmp_path / "out")) as bots:
            bots.keep(make_bot("brief", tmp_path, "raise SystemExit(3)", []))
            await wait_for(lambda: left or len(ends) == 2)

    monkeypatch.setattr(kept_bots, "leave_seats", note)
    monkeypatch.setattr(keep_running, "FIRST_WAIT_S", wait_s)
    with capture_logs() as ends:
        asyncio.run(play())

    assert left == ([Access("127.0.0.1:1", "token-0", "kept")] if wait_s > 1 else [])


def test_dropped_bot_leaves_its_seats_even_if_it_was_killed(tmp_path, monkeypatch):
    left: list[Access] = []

    async def note(access: Access, _: object) -> None:
        left.append(access)

    async def play() -> None:
        async with KeptBots(Launcher(tmp_path / "out")) as bots:
            one, two = (make_bot(name, tmp_path, "import time; time.sleep(600)", []) for name in "12")
            for bot in (one, two):
                bots.keep(bot)
            await wait_for(lambda: len(bots.launcher.running) == 2)
            await bots.drop(one)
            await bots.drop(two, keeps_seats=True)

    monkeypatch.setattr(kept_bots, "leave_seats", note)
    asyncio.run(play())

    assert left == [Access("127.0.0.1:1", "token-0", "kept")]


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_bots_keep_their_seats_when_their_keeper_ends(tmp_path):
    """Another server continues their games."""

    async def play() -> None:
        async with KeptBots(Launcher(tmp_path / "out")) as bots:
            bots.keep(make_bot("polite", tmp_path, POLITE, []))
            await wait_for(lambda: output.is_file() and output.read_text())

    output = tmp_path / "out" / "polite.log"
    asyncio.run(play())

    assert output.read_text() == "ready\n"


def test_bot_that_has_done_its_work_ends_without_a_warning(tmp_path):
    """As a version does that another one has replaced, when the server ends its token."""
    tokens: list[str] = []

    async def is_over() -> bool:
        return True

    async def play() -> None:
        async with KeptBots(Launcher(tmp_path / "out")) as bots:
            done = replace(make_bot("done", tmp_path, "raise SystemExit(77)", tokens), is_over=is_over)
            bots.keep(done)
            await wait_for(lambda: "exit code 77" in done.record.describe())
            await asyncio.sleep(0.1)
            assert len(tokens) == 1
            await bots.drop(done, keeps_seats=True)

    with capture_logs() as logs:
        asyncio.run(play())

    assert [each for each in logs if each["log_level"] == "warning"] == []


async def test_seats_of_a_revoked_token_need_no_goodbye(monkeypatch):
    async def refuse(*_: object) -> None:
        raise DeniedError("the token of 'x' was revoked")

    monkeypatch.setattr(started_bot, "say_goodbye", refuse)
    with capture_logs() as logs:
        await started_bot.leave_seats(Access("127.0.0.1:1", "cat_x", "kept"), TlsSettings())

    assert [each["log_level"] for each in logs] == ["info"]


def test_bot_is_started_again_after_a_fault_of_this_machine(tmp_path, monkeypatch):
    """Otherwise nobody would hear of it, and the bot would be gone for ever."""
    real, faults = os.pipe, [OSError(errno.EMFILE, "Too many open files")]

    def open_pipe() -> tuple[int, int]:
        if faults:
            raise faults.pop()
        return real()

    async def play() -> None:
        async with KeptBots(Launcher(tmp_path / "out")) as bots:
            monkeypatch.setattr(os, "pipe", open_pipe)
            bots.keep(make_bot("brief", tmp_path, "import time; time.sleep(600)", []))
            await wait_for(lambda: bots.launcher.running)

    with capture_logs() as logs:
        asyncio.run(play())

    assert [each["reason"] for each in logs] == ["brief cannot be started: Too many open files"]


@pytest.mark.slow
def test_each_process_gets_a_new_token_and_each_end_is_logged(tmp_path):
    tokens: list[str] = []

    async def play() -> None:
        async with KeptBots(Launcher(tmp_path / "out")) as bots:
            bots.keep(make_bot("brief", tmp_path, "import sys; print('no cards left'); sys.exit(3)", tokens))
            await wait_for(lambda: len(ends) == 2)

    with capture_logs() as ends:
        asyncio.run(play())

    assert tokens[:2] == ["token-0", "token-1"]
    assert {end["process"] for end in ends} == {"brief"}
    assert all("ended with exit code 3" in end["reason"] and "no cards left" in end["reason"] for end in ends)


def test_bot_whose_build_fails_is_logged_and_gets_no_token(tmp_path):
    tokens: list[str] = []

    async def play() -> None:
        bot = make_bot("broken", tmp_path, "", tokens)
        program = BotProgram("broken", (sys.executable,), tmp_path, build=(sys.executable, "-c", "import nothing_here"))
        broken = KeptBot(BotEntrant("broken", program), bot.address, bot.instance, bot.make_token)
        async with KeptBots(Launcher(tmp_path / "out")) as bots:
            bots.keep(broken)
            await wait_for(lambda: ends)

    with capture_logs() as ends:
        asyncio.run(play())

    assert "the build of broken ended with exit code 1" in ends[0]["reason"]
    assert not tokens


def test_bot_that_ends_again_and_again_does_not_fill_the_disk(tmp_path, monkeypatch):
    """Each process has an output of its own, and only the newest are kept."""
    monkeypatch.setattr("arena.fleet.runner.keep_running.FIRST_WAIT_S", 0.01)
    monkeypatch.setattr("arena.fleet.runner.keep_running.LONGEST_WAIT_S", 0.01)
    monkeypatch.setattr("arena.fleet.runner.kept_bots.WATCH_INTERVAL_S", 0.01)
    monkeypatch.setattr("arena.fleet.runner.kept_bots.KEPT_OUTPUTS", 2)

    async def play() -> None:
        async with KeptBots(Launcher(tmp_path / "out")) as bots:
            bots.keep(make_bot("brief", tmp_path, "import os; print('process', os.getpid())", []))
            await wait_for(lambda: len(ends) >= 6)

    with capture_logs() as ends:
        asyncio.run(play())

    outputs = [path.read_text() for path in (tmp_path / "out").iterdir()]
    assert len(outputs) <= 3, "the kept ones, and that of a process that was still running"
    assert any(text.strip() in ends[-1]["reason"] for text in outputs if text)
