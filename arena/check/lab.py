"""Runs the steps of a check: each with a relay, a new process of the checked bot, and its matches."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.check.bot_starter import BotStarter
from arena.check.conduct import Conduct
from arena.check.exit_check import (
    NOT_SECURE,
    REFUSED,
    TOKEN_REFUSED,
    check_own_end,
    check_refused,
    check_stop,
    check_unreachable,
    describe_end,
)
from arena.check.findings import Rule
from arena.check.interference import Interference, InterferingTap
from arena.check.interferences.other_node import MoveTable
from arena.check.step import ExitStep, ServerFault, Step, StepResult, Verdict
from arena.check.step_matches import SETTLE_S, StepMatches, choose_table
from arena.check.verdicts import judge
from arena.launch.process import BotProcess
from arena.launch.programs import BotProgram
from arena.rpc.local_authority import LocalAuthority
from arena.rpc.play_relay import PlayRelay
from arena.runner.host import Host

_POLL_S: Final = 0.05
TRIES: Final = 3
"""How often a step runs that is not reached."""
_UNKNOWN_TOKEN: Final = "cat_" + "0" * 40


class CheckLab:
    """Runs steps with programs, on one server and with house bots that stay for all steps."""

    def __init__(self, host: Host, starter: BotStarter) -> None:
        self._host = host
        self._starter = starter

    async def run(self, program: BotProgram, step: Step | ExitStep) -> StepResult:
        """Run a step with a new process of a program. Raises BotStartError if the program cannot be started.

        Whether a step is reached depends on the cards, so a step that is not reached runs again, `TRIES` times in all.
        """
        started = time.monotonic()
        if isinstance(step, ExitStep):
            result = await self._run_exit_step(program, step)
        else:
            for _ in range(TRIES):
                result = await self._run_step(program, step)
                if result.verdict is not Verdict.NOT_REACHED or result.is_silent:
                    break
        return replace(result, seconds=time.monotonic() - started)

    # ---- steps in which the bot plays

    async def _run_step(self, program: BotProgram, step: Step) -> StepResult:
        conduct = Conduct()
        interference = step.make_interference(conduct)
        async with AsyncExitStack() as stack:
            tap = InterferingTap(conduct, interference)
            relay = await stack.enter_async_context(PlayRelay(self._host.address, tap))
            if isinstance(interference, MoveTable):
                node = await stack.enter_async_context(PlayRelay(None, interference.node))
                interference.node_address = node.address
            process, name = await self._starter.start(program, relay.address, environment=step.environment)
            try:
                await _await_hello(conduct, process)
                table, note = choose_table(step.table, conduct)
                if table is not None:
                    matches = StepMatches(self._host.organizer, self._starter, conduct, process)
                    await matches.play(step, table, name)
            finally:
                await asyncio.to_thread(process.end)
        return replace(judge(step, conduct, interference, note), output=process.output_path)

    # ---- steps in which it cannot play

    async def _run_exit_step(self, program: BotProgram, step: ExitStep) -> StepResult:
        conduct, fault = Conduct(), step.fault
        interference = _RefuseVersion(conduct) if fault is ServerFault.VERSION else Interference(conduct)
        async with PlayRelay(self._host.address, InterferingTap(conduct, interference)) as relay:
            address = _unused_address() if fault is ServerFault.ADDRESS else relay.address
            token = _UNKNOWN_TOKEN if fault is ServerFault.UNAUTHENTICATED else ""
            environment = self._use_tls() if fault is ServerFault.PLAINTEXT else {}
            process, _ = await self._starter.start(program, address, token, environment)
            try:
                if fault is ServerFault.NONE:
                    await _await_hello(conduct, process)
                    if not conduct.findings:
                        await asyncio.sleep(SETTLE_S)
                        await check_stop(conduct, process)
                elif fault is ServerFault.ADDRESS:
                    await check_unreachable(conduct, process)
                elif fault is ServerFault.PLAINTEXT:
                    await check_own_end(conduct, process, NOT_SECURE)
                else:
                    is_token = fault is ServerFault.UNAUTHENTICATED
                    await check_refused(conduct, process, TOKEN_REFUSED if is_token else REFUSED)
            finally:
                await asyncio.to_thread(process.end)
        return replace(judge(step, conduct, interference), output=process.output_path)

    def _use_tls(self) -> dict[str, str]:
        """Return the variables with which a bot uses TLS, even on this machine."""
        return {"CHEATARENA_CA": str(LocalAuthority(self._host.data / "check-tls").certificate)}


class _RefuseVersion(Interference):
    """Refuses every stream because the server speaks another version of the protocol."""

    def on_opened(self) -> None:
        """Refuse the stream."""
        text = "this server speaks version 2 of the protocol, not version 1"
        self.stream.refuse("unsupported_version", text)


@asynccontextmanager
async def open_lab(host: Host, program: BotProgram, outputs: Path) -> AsyncIterator[CheckLab]:
    """Build a program if it has a build step, and open a lab on a host. On exit, end all bots.

    `outputs` gets the output of the bots. Raises BotStartError if the build fails.
    """
    async with host.open_launcher(outputs) as launcher:
        await asyncio.to_thread(launcher.build, program)
        yield CheckLab(host, BotStarter(host, launcher))


async def _await_hello(conduct: Conduct, process: BotProcess) -> None:
    """Wait for the bot's Hello. Report a bot that ends before it, or takes too long."""
    deadline = time.monotonic() + process.start_time_s
    while not conduct.hellos and not conduct.findings:
        if process.exit_code is not None:
            conduct.report(Rule.HELLO, f"the bot {describe_end(process, 'before it sent Hello')}")
        elif time.monotonic() > deadline:
            conduct.report(Rule.HELLO, f"the bot sent no frame within {process.start_time_s:g} s of its start")
        await asyncio.sleep(_POLL_S)


def _unused_address() -> str:
    """Return an address on this machine at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"
