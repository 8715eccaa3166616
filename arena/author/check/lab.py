"""Runs the steps of a check: each with a relay, a new process of the checked bot, and its matches."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.author.check.conduct import Conduct
from arena.author.check.exit_check import await_hello
from arena.author.check.interference import InterferingTap
from arena.author.check.interferences.other_node import MoveTable
from arena.author.check.step import ExitStep, Step, StepResult, Verdict, judge
from arena.author.check.step_matches import BotStarter, StepMatches, choose_table
from arena.bots.launch.programs import BotProgram
from arena.fleet.runner.host import Host
from arena.server.rpc.listeners import make_socket_path
from arena.server.rpc.local_authority import LocalAuthority
from arena.server.rpc.play_relay import PlayRelay
from cheatarena.addresses import UNIX_PREFIX

_ONE_SERVER: Final = "a bot in a box reaches one server only, without TLS"
TRIES: Final = 3
"""How often a step runs that is not reached."""


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
        if program.is_boxed and isinstance(interference, MoveTable):
            return StepResult(step, Verdict.SKIPPED, note=_ONE_SERVER)
        async with AsyncExitStack() as stack:
            tap = InterferingTap(conduct, interference)
            socket = stack.enter_context(make_socket_path()) if program.is_boxed else None
            relay = await stack.enter_async_context(PlayRelay(self._host.address, tap, socket))
            if isinstance(interference, MoveTable):
                node = await stack.enter_async_context(PlayRelay(None, interference.node))
                interference.node_address = node.address
            process, name = await self._starter.start(program, relay.address, environment=step.environment)
            try:
                await await_hello(conduct, process)
                table, note = choose_table(step.table, conduct)
                if table is not None:
                    matches = StepMatches(self._host.organizer, self._starter, conduct, process)
                    await matches.play(step, table, name)
            finally:
                await asyncio.to_thread(process.end)
        return replace(judge(step, conduct, interference, note), output=process.output_path)

    # ---- steps in which it has to stop

    async def _run_exit_step(self, program: BotProgram, step: ExitStep) -> StepResult:
        conduct = Conduct()
        if program.is_boxed and step.uses_tls:
            return StepResult(step, Verdict.SKIPPED, note=_ONE_SERVER)
        interference = step.make_interference(conduct)
        async with AsyncExitStack() as stack:
            tap = InterferingTap(conduct, interference)
            socket = stack.enter_context(make_socket_path()) if program.is_boxed else None
            relay = await stack.enter_async_context(PlayRelay(self._host.address, tap, socket))
            address = relay.address if step.has_server else _unused_address(relay.address)
            environment = self._use_tls() if step.uses_tls else {}
            process, _ = await self._starter.start(program, address, step.token, environment)
            try:
                await step.check_end(conduct, process)
            finally:
                await asyncio.to_thread(process.end)
        return replace(judge(step, conduct, interference), output=process.output_path)

    def _use_tls(self) -> dict[str, str]:
        """Return the variables with which a bot uses TLS, even on this machine."""
        return {"CHEATARENA_CA": str(LocalAuthority(self._host.data / "check-tls").certificate)}


@asynccontextmanager
async def open_lab(host: Host, program: BotProgram, outputs: Path) -> AsyncIterator[CheckLab]:
    """Build a program if it has a build step, and open a lab on a host. On exit, end all bots.

    `outputs` gets the output of the bots. Raises BotStartError if the build fails.
    """
    async with host.open_launcher(outputs) as launcher:
        await asyncio.to_thread(launcher.build, program)
        yield CheckLab(host, BotStarter(host, launcher))


def _unused_address(like: str) -> str:
    """Return an address of the same kind at which nobody listens. The file of a socket exists: a box has to show it."""
    if like.startswith(UNIX_PREFIX):
        address = f"{like}.unused"
        path = address.removeprefix(UNIX_PREFIX)
        with socket.socket(socket.AF_UNIX) as abandoned:
            abandoned.bind(path)
        Path(path).chmod(0o666)  # the bot in the box may be another user
        return address
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"
