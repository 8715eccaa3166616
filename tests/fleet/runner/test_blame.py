"""Faults of real programs are explained to their authors: who is to blame, and where the time went."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from arena.bots.launch.programs import find_bot
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.runner import Runner, open_runner
from arena.fleet.runner.runner_node import RunnerNode
from arena.games.catalogue import games, phrasing_of
from arena.match.game import Style
from arena.match.referee.deal import SHARED_DEAL_PREFIX, DealSecret, rules_hash_of_terms
from arena.match.referee.facts import StrikeKind
from arena.match.referee.pace import Pace
from arena.match.referee.ports import MatchId
from arena.match.referee.sealed_results import open_faults
from arena.match.referee.strike_record import Culprit, StrikeRecord, culprit_of, response_times_of
from arena.match.referee.terms import Seating, Terms
from arena.plain_data import from_plain
from arena.replays.narration.blame import explain_strike
from arena.server.node.deals import SharedTable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems keep no account of waiting")

CHEAT = games()["cheat"]
TURN_MS = 300
BOT = """\
import asyncio, os, pathlib, time
from cheatarena import (Bot, Call, Decline, Play, Rank, run)

class Tested(Bot):
    def match_started(self, table):
        pathlib.Path("started").write_text(str(os.getpid()))

    async def turn(self, table, options):
        {turn}
        return options.largest_honest() or options.smallest_lie()

    async def call_window(self, table, claim):
        {window}
        return Decline()

if __name__ == "__main__":
    run(Tested)
"""
GOOD = BOT.format(turn="pass", window="pass").replace('"started"', '"good-started"')


@pytest.fixture
async def runner(tmp_path: Path) -> AsyncIterator[Runner]:
    async with open_runner(tmp_path / "data", 1) as runner:
        yield runner


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the bots lie, and write that they have begun."""
    made = tmp_path / "bots"
    made.mkdir()
    return made


def table(turns: int = 10) -> SharedTable:
    ruleset = CHEAT.build_ruleset("standard", {"max_turns": turns})
    pace = Pace(Style.SEALED, turn_ms=TURN_MS, call_ms=TURN_MS)
    terms = Terms(CHEAT, "standard", ruleset, pace, ("bad", "good"), seating=Seating.FIXED)
    secret = DealSecret(
        f"{SHARED_DEAL_PREFIX}L.1.0", rules_hash_of_terms(terms), bytes([7]) * 32, (bytes(32), bytes([1]) * 32), 0
    )
    return SharedTable(MatchId("0" * 26), terms, secret, 1.0, "one")


async def connect_bots(node: RunnerNode, folder: Path, **programs: str) -> None:
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text)
        program = find_bot(str(folder / f"{name}.py"))
        await node.start_bot(BotEntrant(name, program), "one", "cheat", "standard")


async def faults_of(
    runner: Runner, folder: Path, bad: str, meanwhile: Callable[[], None] = lambda: None
) -> list[StrikeRecord]:
    """Play a game of a bad bot against a good one, and give the faults that are kept."""
    node = runner.nodes[0]
    await connect_bots(node, folder, bad=bad, good=GOOD)
    played = table()
    playing = asyncio.ensure_future(node.play_shared_table(played))
    await asyncio.sleep(0)
    await asyncio.to_thread(meanwhile)
    await playing
    row = await runner.store.results.match(MatchId("0" * 26))
    faults = from_plain(open_faults(row.faults, played.secret.seed), list[StrikeRecord])
    assert all(fault.entrant == 0 for fault in faults), "the good bot is wronged, or the machine is very slow"
    return faults


def first(faults: list[StrikeRecord], kind: StrikeKind) -> StrikeRecord:
    return next(fault for fault in faults if fault.kind is kind)


def narrate_fault(fault: StrikeRecord) -> str:
    return explain_strike(fault, CHEAT, phrasing_of(CHEAT))


@pytest.mark.slow
async def test_bot_that_sleeps_too_long_is_late_by_its_own_fault(runner: Runner, folder: Path):
    faults = await faults_of(runner, folder, BOT.format(turn="time.sleep(0.4)", window="pass"))

    missing, late = first(faults, StrikeKind.MISSING), first(faults, StrikeKind.LATE)
    assert (missing.prompt, missing.allowed_us, missing.came_us) == ("turn", TURN_MS * 1000, None)
    assert missing.automatic
    assert (late.prompt_id, late.prompt, late.allowed_us) == (missing.prompt_id, "turn", TURN_MS * 1000)
    assert late.came_us is not None
    assert TURN_MS * 1000 < late.came_us < 1_000_000
    assert "too late" in narrate_fault(late)
    if (response_times_of(late).core_wait_us or 0) < TURN_MS * 100:  # else the host is rightly to blame
        assert culprit_of(late) is Culprit.BOT, narrate_fault(late)
        assert "its process mostly waited for something" in narrate_fault(late)
    bot_us = response_times_of(late).bot_us
    assert bot_us is not None
    assert 300_000 <= bot_us <= late.came_us


@pytest.mark.slow
async def test_bot_that_computes_too_long_was_busy(runner: Runner, folder: Path):
    spin = "end = time.monotonic() + 0.5\n        while time.monotonic() < end: pass"
    faults = await faults_of(runner, folder, BOT.format(turn=spin, window="pass"))

    missing = first(faults, StrikeKind.MISSING)
    assert missing.conditions is not None
    process = missing.conditions.process
    assert process is not None
    assert process.ran_us + process.waited_us > 100_000
    assert process.waited_us <= process.span_us <= 1_500_000 + TURN_MS * 1000


@pytest.mark.slow
async def test_silent_bot_is_missing_and_then_gone(runner: Runner, folder: Path):
    for_ever = "await asyncio.sleep(3600)"
    faults = await faults_of(runner, folder, BOT.format(turn=for_ever, window=for_ever))

    assert {fault.kind for fault in faults} == {StrikeKind.MISSING, StrikeKind.GONE}
    missing = first(faults, StrikeKind.MISSING)
    assert "gave no answer" in narrate_fault(missing)
    assert "nothing else came from it meanwhile" in narrate_fault(missing)
    assert missing.conditions is not None
    assert missing.conditions.is_connected
    assert narrate_fault(first(faults, StrikeKind.GONE)) == "is gone for the rest of the match"


async def test_illegal_answer_is_blamed_on_the_bot_and_quoted(runner: Runner, folder: Path):
    lays_much = "return Play(tuple(sorted(table.hand))[:7], Rank.ACE)"
    faults = await faults_of(runner, folder, BOT.format(turn=lays_much, window="pass"))

    illegal = first(faults, StrikeKind.ILLEGAL)
    assert (illegal.prompt, illegal.reason) == ("turn", "illegal_count")
    assert illegal.came_us is not None
    assert illegal.came_us < TURN_MS * 1000
    assert "it claims 7 x A" in narrate_fault(illegal)
    assert culprit_of(illegal) is Culprit.BOT


@pytest.mark.slow
async def test_bot_stopped_from_outside_is_recognised(runner: Runner, folder: Path):
    started = folder / "started"

    def stop() -> None:
        while not (started.is_file() and started.read_text()):
            time.sleep(0.01)
        os.kill(int(started.read_text()), signal.SIGSTOP)

    bad = BOT.format(turn="await asyncio.sleep(0.1)", window="await asyncio.sleep(0.1)")
    faults = await faults_of(runner, folder, bad, stop)

    missing = first(faults, StrikeKind.MISSING)
    assert missing.conditions is not None
    assert missing.conditions.process is not None
    assert missing.conditions.process.state == "T"
    assert "its process was stopped, by a signal from outside" in narrate_fault(missing)
    assert culprit_of(missing) is Culprit.BOT
