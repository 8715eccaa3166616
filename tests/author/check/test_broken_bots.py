"""Bots that are broken in one way each fail at the step that looks for it, and the sound bot passes there."""

import asyncio
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.author.check.findings import Rule
from arena.author.check.lab import CheckLab, open_lab
from arena.author.check.step import StepResult, Verdict
from arena.author.check.steps import STEPS
from arena.bots.launch.programs import BotProgram, find_bot
from arena.fleet.assembly.node import run_node_loop
from arena.fleet.runner.host import open_local_host
from arena.server.config.server_config import ServerConfig

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

BROKEN = Path(__file__).with_name("broken_bot.py")
RAW = Path(__file__).parents[2] / "e2e" / "raw_bot.py"

FAULTS = [
    ("decline_offers", "two-seats", Rule.OFFER),
    ("ignore_windows", "two-seats", Rule.ANSWER),
    ("answer_twice", "two-seats", Rule.ONCE),
    ("claim_illegal_ranks", "two-seats", Rule.LEGAL),
    ("open_second_stream", "two-seats", Rule.ONE_STREAM),
    ("forget_refusals", "refused", Rule.RETRY),
    ("repeat_refused_id", "refused", Rule.RETRY),
    ("refuse_unknown_facts", "unknown", Rule.ALIVE),
    ("read_only_single_cards", "big-hands", Rule.LEGAL),
    ("speak_version_2", "two-seats", Rule.HELLO),
    ("leave_seats", "two-seats", Rule.STAY),
    ("read_withdrawn_first", "closed-at-once", Rule.CLOSED),
    ("ignore_gaps", "missing-message", Rule.SEQUENCE),
    ("end_at_withdrawn_offer", "withdrawn-offer", Rule.ALIVE),
    ("break_promise", "entropy", Rule.ENTROPY),
    ("forget_ticket", "other-node", Rule.NODE),
    ("never_ready", "breaks", Rule.READY),
    ("never_ready", "lost-in-break", Rule.READY),
    ("never_pong", "pings", Rule.PONG),
    ("change_instance", "lost-question", Rule.INSTANCE),
    ("give_up_when_lost", "lost-question", Rule.ALIVE),
    ("come_back_when_replaced", "replaced", Rule.STOP),
    ("hurry_back", "shutdown", Rule.PAUSES),
    ("use_own_clock", "clock", Rule.ANSWER),
    ("answer_each_in_a_frame", "joined-frames", Rule.ONE_FRAME),
    ("answer_unnumbered", "unnumbered", Rule.SEATS),
    ("stay_on_dead_line", "dead-line", Rule.DEAD_LINE),
    ("leave_at_first_interrupt", "finish", Rule.FINISH),
    ("leave_without_goodbye", "stop", Rule.GOODBYE),
    ("keep_silent_about_token", "wrong-token", Rule.STOP),
    ("end_with_code_1", "wrong-token", Rule.EXIT_CODE),
    ("end_with_code_1", "replaced", Rule.EXIT_CODE),
    ("end_with_code_1", "other-version", Rule.EXIT_CODE),
]
"""The fault, the step that finds it, and the rule that the step names."""


HARMLESS = [("repeat_ready", "lost-in-break")]
"""What a bot may do, though the sound bot does not do it, and the step in which it does."""

OF_THE_SDK = {"entropy", "other-node", "finish"}
"""Steps that are skipped for the bot without the SDK, which leaves these out; a bot of the SDK passes them."""


def program_of(fault: str, step: str) -> BotProgram:
    """Return the broken bot, or a sound one for this step if there is no fault."""
    command = shlex.join([sys.executable, *map(str, [BROKEN, fault] if fault else [RAW])])
    program = find_bot("sample:counter" if not fault and step in OF_THE_SDK else command)
    assert isinstance(program, BotProgram)
    return program


def run_steps(folder: Path) -> dict[tuple[str, str], StepResult]:
    """Return the result of each fault at its step, and of a sound bot at the same steps; all in one lab."""
    found = dict[tuple[str, str], StepResult]()
    steps = {step.name: step for step in STEPS}

    async def run_all(lab: CheckLab) -> None:
        limit = asyncio.Semaphore(3)

        async def run(fault: str, name: str) -> None:
            async with limit:
                found[fault, name] = await lab.run(program_of(fault, name), steps[name])

        wanted: Sequence[tuple[str, str]] = [*((fault, step) for fault, step, _ in FAULTS), *HARMLESS]
        wanted = [*wanted, *sorted({("", step) for _, step in wanted})]
        async with asyncio.TaskGroup() as group:
            for fault, name in wanted:
                group.create_task(run(fault, name))

    async def main(clock, selector) -> int:
        async with (
            open_local_host(ServerConfig(folder / "data", grace_s=0), clock, selector) as host,
            open_lab(host, program_of("", ""), folder / "bots") as lab,
        ):
            await run_all(lab)
        return 0

    run_node_loop(main)
    return found


def test_each_broken_bot_fails_at_its_step_and_a_sound_bot_passes_it(tmp_path, subtests):
    """One test, so that the lab, which is busy for half a minute, is opened once however many workers there are."""
    results = run_steps(tmp_path)

    for fault, step, rule in FAULTS:
        with subtests.test(fault=fault, step=step):
            result = results[fault, step]
            assert result.verdict is Verdict.FAILED
            assert rule in {finding.rule for finding in result.findings}
    for habit, step in [*HARMLESS, *(("", step) for step in sorted({step for _, step, _ in FAULTS}))]:
        with subtests.test(habit=habit, step=step):
            result = results[habit, step]
            assert (result.verdict, list(result.findings)) == (Verdict.PASSED, [])
