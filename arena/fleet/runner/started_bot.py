"""A bot of a match: how its process is started, and what is said if it ends or does not connect."""

import asyncio
import secrets
import time
from dataclasses import field, replace
from pathlib import Path
from typing import Self

from arena.bots.launch.launcher import Launcher
from arena.bots.launch.process import BotProcess
from arena.bots.launch.programs import BotProgram
from arena.errors import ArenaError, DeniedError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.log_lines import get_logger
from arena.match.value_class import value_class
from arena.server.rpc.goodbye import say_goodbye
from cheatarena.tls_settings import TlsSettings

log = get_logger(__name__)

TAIL_LINES = 10
"""How many of the last lines of a bot's output an error shows."""


def new_instance() -> str:
    """A bot of this instance takes over no seats."""
    return secrets.token_hex(8)


@value_class()
class Access:
    """A process with the same access takes over the seats of the process before it."""

    address: str
    token: str
    instance: str = field(default_factory=new_instance)


@value_class()
class BotExit:
    """A process that ended by itself."""

    name: str
    how: str
    """Predicate that follows the bot's name: "exited with 1"."""
    lines: tuple[str, ...]
    """The last lines that the bot wrote."""
    output: Path
    is_host_fault: bool = False
    """Whether this host failed it, such as by running out of memory for its boxes."""
    advice: str = ""
    """What its author can do; empty if that is unknown."""

    def __str__(self) -> str:
        where = f"{' Its' if self.how.endswith('?') else '; its'} output is in {self.output}"
        where += f". {self.advice}" if self.advice else ""
        return "\n".join([f"{self.name} {self.how}{where}", *("  " + x for x in self.lines)])


@value_class()
class StartedBot:
    player: BotEntrant
    process: BotProcess | None
    join_by: float
    """Instant by which the bot must connect, on the monotonic clock, in seconds."""
    join_s: float
    access: Access | None = None
    """None if the bot was started elsewhere."""

    @classmethod
    def of(cls, player: BotEntrant, process: BotProcess, access: Access) -> Self:
        return cls(player, process, time.monotonic() + process.start_time_s, process.start_time_s, access)

    def find_exit(self) -> BotExit | None:
        """None if the bot still runs or runs elsewhere."""
        process = self.process
        if process is None or process.exit_code is None:
            return None
        return _to_bot_exit(process, process.describe_end(is_early=False))

    @property
    def is_host_fault(self) -> bool:
        """Whether this host failed the bot: it had no memory left, or a sample still starts after half of its time."""
        if self.process is None:
            return False
        if self.process.exit_code is None:
            is_late = time.monotonic() > self.join_by - self.join_s / 2
            return is_late and isinstance(self.player.program, BotProgram) and self.player.program.is_sample
        return self.process.is_host_fault

    def why_absent(self) -> str | None:
        """None while the bot may still connect. What it waited for a core, up to its time again, does not count."""
        is_early = time.monotonic() < self.join_by
        if not is_early and self.process is not None:
            is_early = time.monotonic() < self.join_by + min(self.process.waited_for_core_s, self.join_s)
        if self.process is not None and self.process.exit_code is not None:
            return str(_to_bot_exit(self.process, self.process.describe_end(is_early=is_early)))
        if is_early:
            return None
        how = f"did not connect within {self.join_s:g} s"
        if self.process is None:
            return f"{self.player.name} {how}"
        return str(replace(_to_bot_exit(self.process, how), advice=self.process.start_advice))


def _to_bot_exit(process: BotProcess, how: str) -> BotExit:
    return BotExit(process.name, how, tuple(process.tail(TAIL_LINES)), process.output_path, process.is_host_fault)


async def leave_seats(access: Access, tls: TlsSettings) -> None:
    """Leave every seat of a bot that does not come back. If that fails, log it.

    A token that was revoked has taken its seats with it.
    """
    try:
        await say_goodbye(access.address, access.token, access.instance, tls)
    except DeniedError as error:
        log.info("the token of the seats has ended", instance=access.instance, reason=str(error))
    except ArenaError as error:
        log.warning("seats could not be given up", instance=access.instance, fault=str(error))


async def start_process(launcher: Launcher, player: BotEntrant, access: Access) -> BotProcess:
    """Raises BotStartError, and EnvironmentFaultError as `Launcher.start` does."""
    return await asyncio.to_thread(
        launcher.start,
        player.own_program,
        address=access.address,
        token=access.token,
        instance=access.instance,
        name=player.name,
    )
