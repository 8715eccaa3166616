"""Runs a sample bot as a process of the benchmark."""

import asyncio
import os
import tempfile
from contextlib import suppress
from typing import IO, Any

import psutil

from arena.bots.launch.programs import BotProgram


class ProgramBot:
    """A process of a bot that is a program of its own, in any language. Offers what a site asks of its bots."""

    def __init__(self, process: asyncio.subprocess.Process, errors: IO[bytes]) -> None:
        self._process = process
        self._errors = errors

    @classmethod
    async def start(cls, program: BotProgram, address: str, token: str) -> "ProgramBot":
        """Start the program, which connects to the server at `address`."""
        told = {
            "CHEATARENA_ADDRESS": address,
            "CHEATARENA_TOKEN": token,
            "CHEATARENA_INSTANCE": "one",
            "CHEATARENA_LOG": "WARNING",
        }
        errors = tempfile.TemporaryFile()  # noqa: SIM115  closed by `end`
        process = await asyncio.create_subprocess_exec(
            *program.command, cwd=program.folder, env=os.environ | program.environment | told, stderr=errors
        )
        return cls(process, errors)

    async def ask(self, command: str) -> dict[str, Any]:
        """Return the counters. Each line that the bot wrote to stderr counts as a trouble."""
        assert command == "count", command
        if self._process.returncode is not None:
            raise ChildProcessError(f"a bot of the benchmark has ended with {self._process.returncode}")
        spent = psutil.Process(self._process.pid).cpu_times()
        self._errors.seek(0)
        troubles = len(self._errors.read().splitlines())
        return {"turns_s": [], "waits_s": [], "troubles": troubles, "cpu_s": spent.user + spent.system}

    async def end(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        self._errors.close()
