"""Checks how a bot ends: with which exit code, after which frame, and with which words."""

import asyncio
import signal
from typing import Final

from arena.check.conduct import Conduct
from arena.check.findings import Rule
from arena.launch.process import BotProcess
from arena.plurals import format_count

EXIT_TIME_S: Final = 15.0
"""Seconds that the bot may take to end by itself."""
MAX_EXIT_LINES: Final = 4
"""The most lines that count as a clear message."""


async def check_own_end(conduct: Conduct, process: BotProcess) -> None:
    """Wait for a bot that has to give up. Report it if it runs on, or ends without a clear line or with code 0."""
    if not await _wait_for_exit(process):
        conduct.report(Rule.STOP, f"the bot was still running after {EXIT_TIME_S:g} s")
        return
    lines = [line for line in process.tail(40) if line.strip()]
    if process.exit_code == 0 or (process.exit_code or 0) < 0:
        conduct.report(Rule.STOP, f"the bot {process.describe_state()}")
    if not lines:
        conduct.report(Rule.STOP, "the bot printed nothing")
    elif len(lines) > MAX_EXIT_LINES:
        conduct.report(Rule.STOP, f"the bot printed {format_count(len(lines), 'line')}, the last of them {lines[-1]!r}")


async def check_unreachable(conduct: Conduct, process: BotProcess) -> None:
    """Accept a bot that gives up with a line, and one that keeps trying and says so."""
    if await _wait_for_exit(process):
        await check_own_end(conduct, process)
    elif not any(line.strip() for line in process.tail(5)):
        conduct.report(Rule.STOP, f"the bot said nothing within {EXIT_TIME_S:g} s")


async def check_stop(conduct: Conduct, process: BotProcess) -> None:
    """Ask the bot to stop, as the arena does with a bot that it has started."""
    process.signal_group(signal.SIGTERM)
    if not await _wait_for_exit(process):
        conduct.report(Rule.GOODBYE, f"the bot was still running {EXIT_TIME_S:g} s after SIGTERM")
    elif process.exit_code != 0:
        conduct.report(Rule.GOODBYE, f"the bot {process.describe_state()} after SIGTERM")
    elif not conduct.has_goodbye:
        conduct.report(Rule.GOODBYE, "the bot ended without Goodbye")


async def _wait_for_exit(process: BotProcess) -> bool:
    return await asyncio.to_thread(process.wait, EXIT_TIME_S)
