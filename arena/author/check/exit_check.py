"""Checks how a bot starts, and how it ends: with which exit code, after which frame, and with which words."""

import asyncio
import signal
import time
from collections.abc import Collection
from typing import Final

from arena.author.check.conduct import Conduct
from arena.author.check.findings import Rule
from arena.bots.launch.process import BotProcess
from arena.errors import CrowdedHostError
from arena.plurals import format_count

EXIT_TIME_S: Final = 15.0
"""Seconds that the bot may take to end by itself."""
FINISH_TIME_S: Final = 60.0
"""Seconds that the bot may take to play its matches to the end."""
MAX_EXIT_LINES: Final = 4
"""The most lines that count as a clear message."""
_SETTLE_S: Final = 0.4
"""Seconds from the bot's Hello until it is asked to stop."""
_POLL_S: Final = 0.05

SERVER_GONE: Final = frozenset({69})
REPLACED: Final = frozenset({75})
REFUSED: Final = frozenset({76})
TOKEN_REFUSED: Final = frozenset({77})
NOT_SECURE: Final = REFUSED | SERVER_GONE
"""The exit codes of section 2 of the protocol guide. Some gRPC libraries report a failed handshake as a lost server."""


async def await_hello(conduct: Conduct, process: BotProcess) -> None:
    """Wait for the bot's Hello. Report a bot that ends before it, or takes too long."""
    deadline = time.monotonic() + process.start_time_s
    while not conduct.hellos and not conduct.findings:
        if process.exit_code is not None:
            conduct.report(Rule.HELLO, f"the bot {describe_end(process, 'before it sent Hello')}")
        elif time.monotonic() > deadline:
            late = f"the bot sent no frame within {process.start_time_s:g} s of its start"
            conduct.report(Rule.HELLO, ". ".join(filter(None, (late, process.start_advice))))
        await asyncio.sleep(_POLL_S)


async def check_own_end(conduct: Conduct, process: BotProcess, codes: Collection[int]) -> None:
    """Wait for a bot that has to give up.

    Report it if it keeps running, prints no clear line, or ends with an exit code that is not one of `codes`.
    """
    if not await _wait_for_exit(process):
        conduct.report(Rule.STOP, f"the bot was still running after {EXIT_TIME_S:g} s")
        return
    _blame_host(process)
    lines = [line for line in process.tail(40) if line.strip()]
    if process.exit_code not in codes:
        wanted = " or ".join(map(str, sorted(codes)))
        conduct.report(Rule.EXIT_CODE, f"the bot {process.describe_state()}, not with {wanted}")
    if not lines:
        conduct.report(Rule.STOP, "the bot printed nothing")
    elif len(lines) > MAX_EXIT_LINES:
        conduct.report(Rule.STOP, f"the bot printed {format_count(len(lines), 'line')}, the last of them {lines[-1]!r}")


async def check_refused(conduct: Conduct, process: BotProcess, codes: Collection[int]) -> None:
    """Wait for the end of a bot whose stream is refused. Also report a bot that ends without opening a stream."""
    await check_own_end(conduct, process, codes)
    if process.exit_code is not None and not conduct.opened_at:
        conduct.report(Rule.STOP, f"the bot {describe_end(process, 'before it opened a stream')}")


async def check_unreachable(conduct: Conduct, process: BotProcess) -> None:
    """Accept a bot that gives up with a line, and one that keeps trying and says so."""
    if await _wait_for_exit(process):
        await check_own_end(conduct, process, SERVER_GONE)
    elif not any(line.strip() for line in process.tail(5)):
        conduct.report(Rule.SAY, f"the bot neither ended nor printed anything within {EXIT_TIME_S:g} s")


async def check_stop(conduct: Conduct, process: BotProcess) -> None:
    """Ask the bot to stop after its Hello, as the arena does with a bot that it has started."""
    await await_hello(conduct, process)
    if conduct.findings:
        return
    await asyncio.sleep(_SETTLE_S)
    process.signal(signal.SIGTERM)
    if not await _wait_for_exit(process):
        conduct.report(Rule.GOODBYE, f"the bot was still running {EXIT_TIME_S:g} s after SIGTERM")
    elif process.exit_code != 0:
        _blame_host(process)
        conduct.report(Rule.GOODBYE, f"the bot {process.describe_state()} after SIGTERM")
    elif not conduct.has_goodbye:
        conduct.report(Rule.GOODBYE, "the bot ended without Goodbye")


async def check_finish(conduct: Conduct, process: BotProcess) -> None:
    """Interrupt a bot of a pool in its match. It has to play on, and to end when the match is over."""
    conduct.may_replace_stream = True
    process.signal(signal.SIGINT)
    if not await _wait_for_exit(process, FINISH_TIME_S):
        conduct.report(Rule.FINISH, f"the bot was still running {FINISH_TIME_S:g} s after SIGINT")
    elif not all(seat.is_over for seat in conduct.seats.values()):
        conduct.report(Rule.FINISH, f"the bot {describe_end(process, 'in the match')}")
    elif process.exit_code != 0:
        _blame_host(process)
        conduct.report(Rule.FINISH, f"the bot {process.describe_state()} after its matches")
    elif not conduct.has_goodbye:
        conduct.report(Rule.FINISH, "the bot ended without Goodbye")
    elif conduct.hellos[-1].pools:
        conduct.report(Rule.FINISH, "the bot opened no stream without pools, so it could get new seats")


def describe_end(process: BotProcess, when: str) -> str:
    """Return how a bot ended as words that follow its name, with its last line: "ended with exit code 1 …".

    Raises CrowdedHostError if this host has failed it.
    """
    _blame_host(process)
    how = process.describe_end(is_early=when.startswith("before"))
    last = next((line.strip() for line in reversed(process.tail(5)) if line.strip()), "")
    return f"{how} {when}" if not last or last in how else f"{how} {when}; its last line is {last!r}"


def _blame_host(process: BotProcess) -> None:
    """Raise CrowdedHostError if a bot ended because this host failed it. Its end then breaks no rule."""
    if process.is_host_fault:
        raise CrowdedHostError(f"the bot {process.describe_state()}")


async def _wait_for_exit(process: BotProcess, seconds: float = EXIT_TIME_S) -> bool:
    return await asyncio.to_thread(process.wait, seconds)
