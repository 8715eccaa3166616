"""Runs the steps of a check: each with a relay, a new process of the checked bot, and its matches."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.check.bot_starter import BotStarter
from arena.check.conduct import Conduct
from arena.check.exit_check import check_own_end, check_stop, check_unreachable
from arena.check.findings import Rule
from arena.check.interference import Interference, InterferingTap
from arena.check.step import CheckTable, ExitStep, ServerFault, Step, StepResult, Verdict
from arena.errors import ArenaError, BotStartError, NotConnectedError
from arena.games.catalogue import PACKS, pack_of
from arena.launch.process import BotProcess, Launcher
from arena.launch.programs import BotProgram
from arena.match.match_order import MatchOrder
from arena.match.pace import build_pace
from arena.match.ports import MatchId
from arena.rpc.local_authority import LocalAuthority
from arena.rpc.play_relay import PlayRelay
from arena.runner.host import Host

MATCH_TIME_S: Final = 90.0
"""Seconds that the matches of a step may take."""
SETTLE_S: Final = 0.6
"""Seconds after the last match in which the bot may still do what it must not."""
_POLL_S: Final = 0.05
_UNKNOWN_TOKEN: Final = "cat_" + "0" * 40


class CheckLab:
    """Runs steps with programs, on one server and with house bots that stay for all steps."""

    def __init__(self, host: Host, starter: BotStarter) -> None:
        self._host = host
        self._organizer = host.organizer
        self._starter = starter

    async def run(self, program: BotProgram, step: Step | ExitStep) -> StepResult:
        """Run a step with a new process of a program. Raises BotStartError if the program cannot be started."""
        started = time.monotonic()
        if isinstance(step, ExitStep):
            result = await self._run_exit_step(program, step)
        else:
            result = await self._run_step(program, step)
        return replace(result, seconds=time.monotonic() - started)

    # ---- steps in which the bot plays

    async def _run_step(self, program: BotProgram, step: Step) -> StepResult:
        conduct = Conduct()
        interference = step.make_interference(conduct)
        async with PlayRelay(self._host.address, InterferingTap(conduct, interference)) as relay:
            process, name = await self._starter.start(program, relay.address)
            try:
                await _await_hello(conduct, process)
                table, note = _choose_game(step.table, conduct)
                if table is not None:
                    await self._play(step, table, name, conduct, process)
            except TimeoutError:
                conduct.report(Rule.ALIVE, f"the match was not over after {MATCH_TIME_S:g} s")
            finally:
                await asyncio.to_thread(process.end)
        return _judge(step, conduct, interference, note)

    async def _play(self, step: Step, table: CheckTable, name: str, conduct: Conduct, process: BotProcess) -> None:
        """Play the step's matches. Raises TimeoutError, and BotStartError if the bot ends before they begin."""
        matches: list[MatchId] = []
        house = await self._starter.seat_house(table)
        try:
            async with asyncio.timeout(MATCH_TIME_S):
                while len(matches) < table.matches:
                    matches.append(await self._start_match(table, (name, *house), process))
                if step.has_leaver:
                    await conduct.has_prompt.wait()
                    await self._starter.end_house_bot(table)
                if step.has_to_stop:
                    await check_own_end(conduct, process)
                else:
                    await self._await_ends(matches, process, conduct)
        finally:
            for match in matches:
                with suppress(ArenaError):
                    await self._organizer.cancel_match(match)

    async def _start_match(self, table: CheckTable, entrants: tuple[str, ...], process: BotProcess) -> MatchId:
        order = MatchOrder(
            entrants=entrants,
            game=table.game,
            preset=table.preset,
            options=table.options,
            pace=build_pace(table.style, table.pace),
            game_count=table.games,
            is_rated=False,
        )
        while True:
            with suppress(NotConnectedError):
                return await self._organizer.create_match(order)
            if process.exit_code is not None:
                raise BotStartError(f"the bot {process.describe_state()} before its match began")
            await asyncio.sleep(_POLL_S)

    async def _await_ends(self, matches: Sequence[MatchId], process: BotProcess, conduct: Conduct) -> None:
        """Wait until the matches are over, or until the bot ends, and for what the bot still does afterwards."""
        waiting = asyncio.gather(*(self._organizer.wait_for_result(match) for match in matches))
        try:
            while not waiting.done() and process.exit_code is None:
                await asyncio.wait({waiting}, timeout=_POLL_S * 4)
                conduct.check_pending()
        finally:
            waiting.cancel()
            with suppress(asyncio.CancelledError, ArenaError):
                await waiting
        await asyncio.sleep(SETTLE_S)
        while conduct.is_pending and process.exit_code is None:
            conduct.check_pending()
            await asyncio.sleep(_POLL_S)
        if process.exit_code is not None:
            conduct.report(Rule.ALIVE, f"the bot {process.describe_end(is_early=False)} in the match")

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
                    await asyncio.sleep(SETTLE_S)
                    await check_stop(conduct, process)
                elif fault is ServerFault.ADDRESS:
                    await check_unreachable(conduct, process)
                else:
                    await check_own_end(conduct, process)
            finally:
                await asyncio.to_thread(process.end)
        return _judge(step, conduct, interference)

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
async def open_lab(host: Host, program: BotProgram | None, outputs: Path) -> AsyncIterator[CheckLab]:
    """Build a program if it has a build step, and open a lab on a host. On exit, end all bots.

    `outputs` gets the output of the bots. Raises BotStartError if the build fails.
    """
    launcher = Launcher(outputs)
    host.launchers.append(launcher)
    try:
        if program is not None:
            await asyncio.to_thread(launcher.build, program)
        yield CheckLab(host, BotStarter(host, launcher))
    finally:
        await asyncio.to_thread(launcher.close)
        host.launchers.remove(launcher)


async def _await_hello(conduct: Conduct, process: BotProcess) -> None:
    """Wait for the bot's Hello. Report a bot that ends before it, or takes too long."""
    deadline = time.monotonic() + process.start_time_s
    while not conduct.hellos and not conduct.findings:
        is_over = process.exit_code is not None
        if is_over or time.monotonic() > deadline:
            conduct.report(Rule.HELLO, f"the bot {process.describe_end(is_early=True)} before it sent Hello")
        await asyncio.sleep(_POLL_S)


def _choose_game(table: CheckTable, conduct: Conduct) -> tuple[CheckTable | None, str]:
    """Return the table with its game: the one that it names, or else the bot's first one.

    Return None if the bot cannot play there, and why.
    """
    played = [support.game for hello in conduct.hellos for support in hello.games if support.game in PACKS]
    if not played:
        return None, "" if conduct.findings else "Hello lists no game that this arena knows"
    if table.game and table.game not in played:
        return None, f"Hello does not list the game {table.game}"
    return table.for_game(pack_of(table.game or played[0])), ""


def _judge(step: Step | ExitStep, conduct: Conduct, interference: Interference, note: str = "") -> StepResult:
    if note:
        return StepResult(step, Verdict.SKIPPED, note=note)
    if conduct.findings:
        return StepResult(step, Verdict.FAILED, tuple(conduct.findings))
    if isinstance(step, Step) and step.awaited and not interference.happened:
        return StepResult(step, Verdict.NOT_REACHED, note=step.awaited)
    return StepResult(step, Verdict.PASSED)


def _unused_address() -> str:
    """Return an address on this machine at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"
