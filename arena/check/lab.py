"""Runs the steps of a check: a server, house bots, and a new process of the checked bot for each step."""

import asyncio
import secrets
import signal
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from google.rpc import code_pb2

from arena.check.conduct import Conduct
from arena.check.findings import Rule
from arena.check.interference import Interference, InterferingTap
from arena.check.step import CheckTable, ExitStep, Step, StepResult, Verdict
from arena.errors import ArenaError, BotStartError, NotConnectedError
from arena.launch.process import BotProcess, Launcher
from arena.launch.programs import BotProgram, find_bot
from arena.match.match_order import MatchOrder
from arena.match.pace import build_pace
from arena.match.ports import MatchId
from arena.rpc.local_authority import LocalAuthority
from arena.rpc.play_relay import PlayRelay
from arena.runner.host import Host

MATCH_TIME_S: Final = 90.0
"""Seconds that the matches of a step may take."""
EXIT_TIME_S: Final = 15.0
"""Seconds that the bot may take to end by itself."""
SETTLE_S: Final = 0.6
"""Seconds after the last match in which the bot may still answer pings or do what it must not."""
MAX_EXIT_LINES: Final = 4
"""The most lines that count as a clear message."""
_POLL_S: Final = 0.05
_HOUSE: Final = {"cheat": ("gambler", "honest", "random_legal"), "cheater": ("denier", "set_chaser", "cautious")}
"""The samples that play with the checked bot, by game, taken in turn."""


class CheckLab:
    """Runs steps with programs, on one server and with house bots that stay for all steps."""

    def __init__(self, host: Host, launcher: Launcher) -> None:
        self._host = host
        self._launcher = launcher
        self._house: dict[str, list[tuple[str, BotProcess]]] = {}
        self._tokens = 0

    async def build(self, program: BotProgram) -> None:
        """Run the build step of a program, if it has one. Raises BotStartError."""
        await asyncio.to_thread(self._launcher.build, program)

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
            process, name = await self._start_bot(program, relay.address)
            try:
                note = await self._play(step, name, conduct, process)
            finally:
                await asyncio.to_thread(process.end)
        return _judge(step, conduct, interference, note)

    async def _play(self, step: Step, name: str, conduct: Conduct, process: BotProcess) -> str:
        """Play the step's matches. Return why they could not be played; empty if all were."""
        table = step.table
        if note := await _await_hello(conduct, process, table.game):
            return note
        house = await self._seat_house(table)
        try:
            async with asyncio.timeout(MATCH_TIME_S):
                matches = [await self._start_match(table, name, house, process) for _ in range(table.matches)]
                if step.leaver:
                    await self._remove_from_house(table, conduct)
                if step.is_stopped:
                    await self._await_own_end(conduct, process, matches)
                    return ""
                await self._await_ends(matches, process, conduct)
        except TimeoutError:
            conduct.report(Rule.ALIVE, f"the match was not over after {MATCH_TIME_S:g} s")
        conduct.check_pending(is_end=True)
        return ""

    async def _start_match(self, table: CheckTable, name: str, house: Sequence[str], process: BotProcess) -> MatchId:
        order = MatchOrder(
            entrants=(name, *house),
            game=table.game,
            preset=table.preset,
            options=table.options,
            pace=build_pace(table.style, table.pace),
            game_count=table.games,
            is_rated=False,
        )
        while True:
            with suppress(NotConnectedError):
                return await self._host.organizer.create_match(order)
            if process.exit_code is not None:
                raise BotStartError(f"the bot {process.describe_state()} before its match began")
            await asyncio.sleep(_POLL_S)

    async def _await_ends(self, matches: Sequence[MatchId], process: BotProcess, conduct: Conduct) -> None:
        """Wait until the matches are over and the bot has had time to misbehave."""
        waiting = asyncio.gather(*(self._host.organizer.wait_for_result(match) for match in matches))
        try:
            while not waiting.done():
                await asyncio.wait({waiting}, timeout=_POLL_S * 4)
                conduct.check_pending()
                if process.exit_code is not None:
                    conduct.report(Rule.ALIVE, f"the bot {process.describe_end(is_early=False)} in the match")
                    break
        finally:
            waiting.cancel()
            with suppress(asyncio.CancelledError, ArenaError):
                await waiting
            if process.exit_code is not None:
                for match in matches:
                    with suppress(ArenaError):
                        await self._host.organizer.cancel_match(match)
        await asyncio.sleep(SETTLE_S)

    async def _await_own_end(self, conduct: Conduct, process: BotProcess, matches: Sequence[MatchId]) -> None:
        if await _wait_for_exit(process, EXIT_TIME_S):
            _check_last_words(conduct, process)
        else:
            conduct.report(Rule.STOP, f"the bot was still running after {EXIT_TIME_S:g} s")
        for match in matches:
            with suppress(ArenaError):
                await self._host.organizer.cancel_match(match)

    # ---- steps in which it cannot play

    async def _run_exit_step(self, program: BotProgram, step: ExitStep) -> StepResult:
        conduct = Conduct()
        tap = InterferingTap(conduct, _RefuseVersion(conduct) if step.fault == "version" else Interference(conduct))
        async with PlayRelay(self._host.address, tap) as relay:
            address = _unused_address() if step.fault == "address" else relay.address
            environment = {}
            if step.fault == "tls":
                environment["CHEATARENA_CA"] = str(self._make_authority())
            token = "cat_0000000000000000000000000000000000000000" if step.fault == "token" else ""
            process, _ = await self._start_bot(program, address, token, environment)
            try:
                if step.fault == "stopped":
                    await self._stop_bot(conduct, process)
                elif step.fault == "address":
                    await _check_unreachable(conduct, process)
                elif await _wait_for_exit(process, EXIT_TIME_S):
                    _check_last_words(conduct, process)
                else:
                    conduct.report(Rule.STOP, f"the bot was still running after {EXIT_TIME_S:g} s")
            finally:
                await asyncio.to_thread(process.end)
        verdict = Verdict.FAILED if conduct.findings else Verdict.PASSED
        return StepResult(step, verdict, tuple(conduct.findings))

    async def _stop_bot(self, conduct: Conduct, process: BotProcess) -> None:
        """Ask the bot to stop, as the arena does with a bot that it has started."""
        await _await_hello(conduct, process, "cheat")
        if conduct.findings:
            return
        await asyncio.sleep(SETTLE_S)
        process.signal_group(signal.SIGTERM)
        if not await _wait_for_exit(process, EXIT_TIME_S):
            conduct.report(Rule.GOODBYE, f"the bot was still running {EXIT_TIME_S:g} s after SIGTERM")
        elif process.exit_code != 0:
            conduct.report(Rule.GOODBYE, f"the bot {process.describe_state()} after SIGTERM")
        elif not conduct.has_goodbye:
            conduct.report(Rule.GOODBYE, "the bot ended without Goodbye")

    def _make_authority(self) -> Path:
        """Return the certificate of an authority, so that the bot uses TLS even on this machine."""
        return LocalAuthority(self._host.data / "check-tls").certificate

    # ---- bots

    async def _start_bot(
        self, program: BotProgram, address: str, token: str = "", environment: dict[str, str] | None = None
    ) -> tuple[BotProcess, str]:
        assert self._host.keys is not None
        self._tokens += 1
        name = f"{program.name}-{self._tokens}"
        token = token or await self._host.keys.make_local(name)
        program = replace(program, environment={**program.environment, **(environment or {})})
        process = await asyncio.to_thread(
            self._launcher.start, program, address=address, token=token, instance=secrets.token_hex(8), name=name
        )
        return process, name

    async def _seat_house(self, table: CheckTable) -> list[str]:
        """Return the names of the house bots for a table, started if necessary."""
        assert self._host.keys is not None
        house = self._house.setdefault(table.game, [])
        house[:] = [each for each in house if each[1].exit_code is None]
        while len(house) < table.seats - 1:
            samples = _HOUSE[table.game]
            program = find_bot(f"sample:{samples[len(house) % len(samples)]}")
            assert isinstance(program, BotProgram)
            name = f"house-{secrets.token_hex(3)}"
            token = await self._host.keys.make_local(name)
            process = await asyncio.to_thread(
                self._launcher.start, program, address=self._host.address, token=token, instance="house", name=name
            )
            house.append((name, process))
        return [name for name, _ in house[: table.seats - 1]]

    async def _remove_from_house(self, table: CheckTable, conduct: Conduct) -> None:
        """End a house bot as soon as the checked bot has got its first prompt."""
        await conduct.has_prompt.wait()
        _, process = self._house[table.game][0]
        await asyncio.to_thread(process.end)


class _RefuseVersion(Interference):
    """Refuses every stream because the server speaks another version of the protocol."""

    def on_opened(self) -> None:
        """Refuse the stream."""
        text = "this server speaks version 2 of the protocol, not version 1"
        self.stream.refuse(code_pb2.FAILED_PRECONDITION, text, "unsupported_version")


@asynccontextmanager
async def open_lab(host: Host, outputs: Path) -> AsyncIterator[CheckLab]:
    """Open a lab on a host, and end all bots on exit. `outputs` gets the output of the bots."""
    launcher = Launcher(outputs)
    host.launchers.append(launcher)
    try:
        yield CheckLab(host, launcher)
    finally:
        await asyncio.to_thread(launcher.close)
        host.launchers.remove(launcher)


def _judge(step: Step, conduct: Conduct, interference: Interference, note: str) -> StepResult:
    if note:
        return StepResult(step, Verdict.SKIPPED, note=note)
    if conduct.findings:
        return StepResult(step, Verdict.FAILED, tuple(conduct.findings))
    if step.awaited and not interference.happened:
        return StepResult(step, Verdict.NOT_REACHED, note=step.awaited)
    return StepResult(step, Verdict.PASSED)


async def _await_hello(conduct: Conduct, process: BotProcess, game: str) -> str:
    """Wait for the bot. Return why the step is skipped, if it does not play the game; otherwise an empty text."""
    deadline = time.monotonic() + process.start_time_s
    while not conduct.hellos and not conduct.findings:
        if process.exit_code is not None or time.monotonic() > deadline:
            is_over = process.exit_code is not None
            how = process.describe_end(is_early=True) if is_over else "sent no Hello in time"
            conduct.report(Rule.HELLO, f"the bot {how}")
            return ""
        await asyncio.sleep(_POLL_S)
    played = {support.game for hello in conduct.hellos for support in hello.games}
    return "" if game in played or not played else f"Hello does not list the game {game}"


async def _wait_for_exit(process: BotProcess, time_s: float) -> bool:
    return await asyncio.to_thread(process.wait, time_s)


def _check_last_words(conduct: Conduct, process: BotProcess) -> None:
    """Report a bot that ends without a clear line, or with exit code 0."""
    lines = [line for line in process.tail(40) if line.strip()]
    if process.exit_code == 0:
        conduct.report(Rule.STOP, "the bot ended with exit code 0")
    if (process.exit_code or 0) < 0:
        conduct.report(Rule.STOP, f"the bot {process.describe_state()}")
    if not lines:
        conduct.report(Rule.STOP, "the bot printed nothing")
    elif len(lines) > MAX_EXIT_LINES:
        conduct.report(Rule.STOP, f"the bot printed {len(lines)} lines, the last of them {lines[-1]!r}")


async def _check_unreachable(conduct: Conduct, process: BotProcess) -> None:
    """Accept a bot that stops with a line, and one that keeps trying if it says so."""
    if await _wait_for_exit(process, EXIT_TIME_S):
        _check_last_words(conduct, process)
    elif not any(line.strip() for line in process.tail(5)):
        conduct.report(Rule.STOP, f"the bot said nothing within {EXIT_TIME_S:g} s")


def _unused_address() -> str:
    """Return an address on this machine at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"
