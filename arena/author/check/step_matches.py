"""Plays the matches of one step: seats a new process of the checked bot with house bots, until the matches are over."""

import asyncio
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from arena.author.check.conduct import Conduct
from arena.author.check.exit_check import REPLACED, check_finish, check_own_end, describe_end
from arena.author.check.findings import Rule
from arena.author.check.step import CheckTable, Step
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.process import BotProcess
from arena.bots.launch.programs import BotProgram, find_bot
from arena.errors import ArenaError, NotConnectedError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.host import Host
from arena.fleet.runner.organizer import Organizer
from arena.fleet.runner.started_bot import Access, start_process
from arena.games.catalogue import PACKS, pack_of
from arena.match.referee.match_order import MatchOrder
from arena.match.referee.pace import build_pace
from arena.match.referee.ports import MatchId
from arena.names import HOUSE_PREFIX, MAX_NAME_LENGTH

MATCH_TIME_S: Final = 90.0
"""Seconds that the matches of a step may take."""
CONNECT_TIME_S: Final = 20.0
"""Seconds from the bot's Hello until all bots of a match must be connected."""
SETTLE_S: Final = 0.4
"""Seconds after the last match in which the bot may still do what it must not."""
_POLL_S: Final = 0.05


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


class StepMatches:
    """Plays matches with one process of the checked bot."""

    def __init__(self, organizer: Organizer, starter: BotStarter, conduct: Conduct, process: BotProcess) -> None:
        self._organizer = organizer
        self._starter = starter
        self._conduct = conduct
        self._process = process
        self._matches: list[MatchId] = []

    async def play(self, step: Step, table: CheckTable, name: str) -> None:
        """Play a step's matches with the bot of this name. Report a bot that does not stay to their end."""
        entrants = (name, *await self._starter.seat_house(table))
        try:
            async with asyncio.timeout(MATCH_TIME_S):
                if not await self._start_all(table, entrants):
                    return
                if step.has_leaver:
                    await self._conduct.has_prompt.wait()
                    await self._starter.end_house_bot(table)
                if step.has_to_stop:
                    await check_own_end(self._conduct, self._process, REPLACED)
                elif step.has_to_finish and self._conduct.hellos[0].pools:
                    await self._conduct.has_prompt.wait()
                    await check_finish(self._conduct, self._process)
                else:
                    await self._await_ends()
        except TimeoutError:
            self._conduct.report(Rule.ALIVE, f"the match was not over after {MATCH_TIME_S:g} s")
        finally:
            for match in self._matches:
                with suppress(ArenaError):
                    await self._organizer.cancel_match(match)

    async def _start_all(self, table: CheckTable, entrants: Sequence[str]) -> bool:
        """Create all matches. Return False if the bot does not connect, and report it."""
        deadline = time.monotonic() + CONNECT_TIME_S
        while len(self._matches) < table.matches:
            with suppress(NotConnectedError):
                self._matches.append(await self._organizer.create_match(_order_for(table, entrants)))
                continue
            if self._process.exit_code is not None:
                how = describe_end(self._process, "before its match began")
                self._conduct.report(Rule.ALIVE, f"the bot {how}")
                return False
            if time.monotonic() > deadline:
                self._conduct.report(Rule.HELLO, f"the server did not accept the bot within {CONNECT_TIME_S:g} s")
                return False
            await asyncio.sleep(_POLL_S)
        return True

    async def _await_ends(self) -> None:
        """Wait until the matches are over, and for what the bot still does afterwards.

        If the bot ends or does something wrong, do not wait for the matches.
        """
        waiting = asyncio.gather(*(self._organizer.wait_for_result(match) for match in self._matches))
        try:
            while not waiting.done() and self._process.exit_code is None and not self._conduct.findings:
                await asyncio.wait({waiting}, timeout=_POLL_S * 4)
                self._conduct.lobby.check_pending()
        finally:
            waiting.cancel()
            with suppress(asyncio.CancelledError, ArenaError):
                await waiting
        await asyncio.sleep(SETTLE_S)
        while self._conduct.lobby.is_pending and self._process.exit_code is None:
            self._conduct.lobby.check_pending()
            await asyncio.sleep(_POLL_S)
        if self._process.exit_code is not None:
            self._conduct.report(Rule.ALIVE, f"the bot {describe_end(self._process, 'in the match')}")


def _order_for(table: CheckTable, entrants: Sequence[str]) -> MatchOrder:
    return MatchOrder(
        entrants=tuple(entrants),
        game=table.game,
        preset=table.preset,
        options=table.options,
        pace=build_pace(table.style, table.pace),
        game_count=table.games,
        is_rated=False,
    )


def choose_table(table: CheckTable, conduct: Conduct) -> tuple[CheckTable | None, str]:
    """Return the table with its game: the one that it names, or else the bot's first one.

    It has no more matches than the bot has room for. Return None if the bot cannot play there, and why, unless that
    has been reported.
    """
    if conduct.findings or not conduct.hellos:
        return None, ""
    hello = conduct.hellos[-1]
    played = [support.game for support in hello.games if support.game in PACKS]
    if not played:
        return None, "Hello lists no game that this arena knows"
    if table.game and table.game not in played:
        return None, f"Hello does not list the game {table.game}"
    game = table.game or played[0]
    preset = table.for_game(pack_of(game)).preset
    presets = {each for support in hello.games if support.game == game for each in support.presets}
    if presets and preset not in presets:
        return None, f"Hello does not list the preset {preset}"
    return replace(table.for_game(pack_of(game)), matches=min(table.matches, hello.capacity)), ""
