"""Bots that do not connect in time: a sample of the arena that cannot either shows that the host is to blame."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from arena.bots.launch.process import BotProcess
from arena.bots.launch.programs import BotProgram, find_bot
from arena.errors import BotStartError, CrowdedHostError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.host import Host
from arena.fleet.runner.match_bots import MatchBots
from arena.fleet.runner.started_bot import StartedBot

START_TIME_S = 10.0
SAMPLE = find_bot("sample:counter")
BOT = BotProgram("ann-bot", ("./bot",), Path())


@dataclass
class FakeProcess:
    """A process that writes nothing."""

    name: str
    exit_code: int | None = None
    is_host_fault: bool = False
    output_path: Path = Path("bot.log")
    start_advice: str = "If it loads for longer, wait"
    waited_for_core_s: float = 0.0

    def tail(self, count: int) -> list[str]:
        return []

    def describe_end(self, *, is_early: bool) -> str:
        return f"exited with {self.exit_code}"


def make_member(name: str, program: Any, age_s: float, **process: Any) -> StartedBot:
    """Return a bot whose process began this many seconds ago and has not connected."""
    join_by = time.monotonic() + START_TIME_S - age_s
    fake = cast("BotProcess", FakeProcess(name, **process))
    return StartedBot(BotEntrant(name, program), fake, join_by, START_TIME_S)


def check(*members: StartedBot) -> None:
    bots = MatchBots(cast("Host", None), members)
    bots.check_missing(bots.names)


def test_host_on_which_a_sample_cannot_start_either_is_to_blame():
    """It started a moment later, so its own time is not over yet."""
    with pytest.raises(CrowdedHostError, match="ann-bot did not connect within 10 s"):
        check(make_member("ann-bot", BOT, 10.1), make_member("counter#1", SAMPLE, 9.0))
    with pytest.raises(CrowdedHostError, match=r"counter#1 did not connect within 10 s"):
        check(make_member("counter#1", SAMPLE, 10.1))


@pytest.mark.parametrize(
    "others",
    [
        [],
        [("other-bot", BOT, 10.1, None)],
        [("counter#1", SAMPLE, 1.0, None)],
        [("counter#1", SAMPLE, 9.0, 1)],
    ],
    ids=["samples are connected", "another bot is silent too", "a sample has just begun", "a sample has ended"],
)
def test_bot_is_to_blame_otherwise(others):
    said = "ann-bot did not connect within 10 s; its output is in bot.log. If it loads for longer, wait"
    with pytest.raises(BotStartError, match=said):
        check(
            make_member("ann-bot", BOT, 10.1),
            *(make_member(name, program, age_s, exit_code=code) for name, program, age_s, code in others),
        )


@pytest.mark.parametrize(
    ("waited_s", "age_s", "is_absent"),
    [(3.0, 12.9, False), (3.0, 13.1, True), (60.0, 19.9, False), (60.0, 20.1, True)],
    ids=["what it waited is given back", "and no more", "much is given back", "but at most its time again"],
)
def test_time_for_which_a_bot_waited_for_a_core_is_given_back(waited_s: float, age_s: float, is_absent: bool):
    assert (make_member("ann-bot", BOT, age_s, waited_for_core_s=waited_s).why_absent() is not None) is is_absent
