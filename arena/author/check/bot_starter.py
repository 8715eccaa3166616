"""Starts the processes of a check: a new one of the checked bot for each step, and house bots that stay."""

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import replace

from arena.author.check.step import CheckTable
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.process import BotProcess
from arena.bots.launch.programs import BotProgram, find_bot
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.host import Host
from arena.fleet.runner.started_bot import Access, start_process
from arena.games.catalogue import pack_of
from arena.names import HOUSE_PREFIX, MAX_NAME_LENGTH


class BotStarter:
    """Starts bots on one host. The house bots connect to the host itself, the checked bot to a relay."""

    def __init__(self, host: Host, launcher: Launcher) -> None:
        self._host = host
        self._launcher = launcher
        self._house: dict[str, list[tuple[str, BotProcess]]] = {}
        self._count = 0

    async def start(
        self, program: BotProgram, address: str, token: str = "", environment: Mapping[str, str] | None = None
    ) -> tuple[BotProcess, str]:
        """Start a new process of the checked bot, and return it with its name at the table.

        Without a `token`, it gets a valid one. `environment` adds to the program's own. Raises BotStartError.
        """
        self._count += 1
        suffix = f"-{self._count}"
        name = program.name[: MAX_NAME_LENGTH - len(suffix)] + suffix
        program = replace(program, environment={**program.environment, **(environment or {})})
        return await self._launch(program, address, name, token), name

    async def seat_house(self, table: CheckTable) -> list[str]:
        """Return the names of the house bots for a table. Start those that are not running yet."""
        house = self._house.setdefault(table.game, [])
        house[:] = [each for each in house if each[1].exit_code is None]
        while len(house) < table.seats - 1:
            samples = pack_of(table.game).samples
            program = find_bot(samples[len(house) % len(samples)])
            assert isinstance(program, BotProgram)
            name = f"{HOUSE_PREFIX}{secrets.token_hex(3)}"
            house.append((name, await self._launch(program, self._host.address, name)))
        return [name for name, _ in house[: table.seats - 1]]

    async def end_house_bot(self, table: CheckTable) -> None:
        """End the first house bot of a table, so that it leaves its seat."""
        _, process = self._house[table.game][0]
        await asyncio.to_thread(process.end)

    async def _launch(self, program: BotProgram, address: str, name: str, token: str = "") -> BotProcess:
        access = Access(address, token or await self._host.make_bot_token(name))
        return await start_process(self._launcher, BotEntrant(name, program), access)
