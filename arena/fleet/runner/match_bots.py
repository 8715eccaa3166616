"""Starts the bots of a run, waits until they connect, and always ends them. No match begins while they start."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.programs import BotProgram, RemoteBot
from arena.bots.packages.bot_hash import hash_bot
from arena.errors import ArenaError, BotStartError, CrowdedHostError, NotConnectedError, OptionError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.boxed_builds import BoxedBuilds, read_built_program
from arena.fleet.runner.boxes import boxes_opener
from arena.fleet.runner.host import Host
from arena.fleet.runner.started_bot import Access, BotExit, StartedBot, leave_seats, new_instance, start_process
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.ports import MatchId
from arena.server.store.account_values import Scope

POLL_INTERVAL_S = 0.1
"""Seconds between attempts to create a match while bots connect, and between looks for bots that have ended."""


class MatchBots:
    def __init__(
        self,
        host: Host,
        members: Sequence[StartedBot],
        invite: Callable[[StartedBot], Awaitable[None]] | None = None,
        echo: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`invite` shows how a remote bot connects. It is called once for each remote bot that is missing.

        `echo` gets a line for each bot that ends while it plays.
        """
        self._host = host
        self._members = {member.player.name: member for member in members}
        self._invite = invite
        self._echo = echo
        self._invited: set[str] = set()
        self._unseated: set[str] = set()
        """The bots that have ended and have given up their seats."""

    async def start_match(self, order: MatchOrder) -> MatchId:
        """Create the match as soon as all bots have connected. Raises BotStartError if one will not."""
        while True:
            try:
                return await self._host.organizer.create_match(order)
            except NotConnectedError as error:
                await self._invite_missing(error.names)
                self.check_missing(error.names)
            await asyncio.sleep(POLL_INTERVAL_S)

    async def play_match(
        self, order: MatchOrder, reports: list[MatchReport], on_created: Callable[[MatchId], None] = lambda _: None
    ) -> MatchReport:
        """Play a match and append its report to `reports`. A bot that ends meanwhile gives up its seats at once.

        If this task is cancelled, the match is cancelled, and its report is appended as well.
        """
        match_id = await self.start_match(order)
        on_created(match_id)
        try:
            report = await self._wait_for_result(match_id)
        except asyncio.CancelledError:
            with suppress(ArenaError):  # the server may be gone; the cancellation matters more
                reports.append(await self._host.organizer.cancel_match(match_id))
            raise
        reports.append(report)
        return report

    async def _wait_for_result(self, match_id: MatchId) -> MatchReport:
        waiting = asyncio.ensure_future(self._host.organizer.wait_for_result(match_id))
        try:
            while not (await asyncio.wait({waiting}, timeout=POLL_INTERVAL_S))[0]:
                await self.unseat_ended()
            return waiting.result()
        finally:
            waiting.cancel()

    async def unseat_ended(self) -> None:
        """Let each bot that has ended by itself give up its seats, and say how it ended.

        Nobody starts it again, so the others need not wait for it.
        """
        for name, member in self._members.items():
            if name in self._unseated or (end := member.find_exit()) is None:
                continue
            self._unseated.add(name)
            self._echo(f"{name} {end.how}; it gives up its seat")
            assert member.access is not None, "only a bot that was started here is known to have ended"
            await leave_seats(member.access, self._host.tls)

    async def _invite_missing(self, missing: Sequence[str]) -> None:
        if self._invite is None:
            return
        for member in (self._members[name] for name in missing if name not in self._invited):
            if member.player.is_remote:
                self._invited.add(member.player.name)
                await self._invite(member)

    def check_missing(self, missing: Sequence[str]) -> None:
        """Raise BotStartError if any of the missing bots will not connect, CrowdedHostError if this host failed one."""
        reasons = [reason for name in missing if (reason := self._members[name].why_absent())]
        if reasons:
            first, _, rest = "\n".join(reasons).partition("\n")
            is_host_fault = any(self._members[name].is_host_fault for name in missing)
            error = CrowdedHostError(first) if is_host_fault else BotStartError(first)
            if rest:
                error.add_note(rest)
            raise error

    @property
    def names(self) -> Sequence[str]:
        """The bots' names at the table."""
        return tuple(self._members)

    def output_of(self, name: str) -> Path | None:
        """None if the bot was not started here."""
        process = self._members[name].process
        return None if process is None else process.output_path

    def find_exits(self) -> list[BotExit]:
        """Return the bots that ended by themselves."""
        return [loss for member in self._members.values() if (loss := member.find_exit()) is not None]


@asynccontextmanager
async def launch_bots(
    host: Host, players: Sequence[BotEntrant], join_s: float, echo: Callable[[str], None], shown: Sequence[str] = ()
) -> AsyncIterator[MatchBots]:
    """Start the local bots, and show how the remote ones dial in. On exit from the context, end the local ones.

    On a server elsewhere, remote bots may be connected already. There, the text on how to dial in is shown only for
    bots that are missing when a match is to start.

    `shown` names the bots whose output goes to `echo` line by line. Raises BotStartError and EnvironmentFaultError.
    Raises OptionError if no token can be created for a local bot, for example because its name is an owner's, or if
    `shown` names an unknown bot.
    """
    wanted = select_shown_names(players, shown)
    tokens = await _make_tokens(host, players)

    def show_line(line: str) -> None:
        if line.partition(": ")[0] in wanted:
            echo(line)

    async with host.open_launcher(host.bot_output_folder, show_line) as launcher:
        players = await _build_each(launcher, host.bot_output_folder, players, echo, host.boxes)

        async def show_access(member: StartedBot) -> None:
            await _show_access(host, member, echo)

        async def start(player: BotEntrant) -> StartedBot:
            if not player.is_remote:
                return await start_bot(host, launcher, player, new_instance(), tokens[player.name])
            member = StartedBot(player, None, time.monotonic() + join_s, join_s)
            if host.server is not None:
                await show_access(member)
            return member

        members = [await start(player) for player in players]
        yield MatchBots(host, members, show_access if host.server is None else None, echo)


async def _make_tokens(host: Host, players: Sequence[BotEntrant]) -> Mapping[str, str]:
    """Tokens are made before any bot starts. Raises OptionError if one cannot be."""
    ours = [player for player in players if not player.is_remote]
    if host.keys is not None:
        return {each.name: await host.keys.make_local(each.name, each.is_submitted) for each in ours}
    if ours:
        hint = "name the server's data folder with --data, or let bots dial in as remote:NAME"
        raise OptionError("bot", ours[0].name, f"no token can be created for {ours[0].name!r}: {hint}")
    return {}


async def build_programs(
    outputs: Path, players: Sequence[BotEntrant], echo: Callable[[str], None], boxes: BoxSettings | None = None
) -> tuple[BotEntrant, ...]:
    """Build each program that has a build step, and return the bots without their build steps.

    A program for a box is built in one, and its result is kept beside the folder `outputs`. Raises BotStartError.
    """
    launcher = Launcher(outputs, open_boxes=boxes_opener(boxes))
    try:
        return await _build_each(launcher, outputs, players, echo, boxes)
    finally:
        await asyncio.to_thread(launcher.close)


async def _build_each(
    launcher: Launcher,
    outputs: Path,
    players: Sequence[BotEntrant],
    echo: Callable[[str], None],
    boxes: BoxSettings | None,
) -> tuple[BotEntrant, ...]:
    built: dict[int, BotProgram] = {}
    builds = BoxedBuilds(outputs.parent / "builds", launcher, boxes or BoxSettings())
    for program in {id(player.program): player.program for player in players}.values():
        if isinstance(program, RemoteBot) or not program.build:
            continue
        echo(f"building {program.name}")
        built[id(program)] = await asyncio.to_thread(_build, launcher, builds, program)
    return tuple(replace(player, program=built.get(id(player.program), player.program)) for player in players)


def _build(launcher: Launcher, builds: BoxedBuilds, program: BotProgram) -> BotProgram:
    if not program.is_boxed:
        launcher.build(program)
        return replace(program, build=())
    content = hash_bot(program)
    result = read_built_program(builds.build(program, content), content)
    return replace(result, name=program.name, environment={**result.environment, **program.environment})


async def start_bot(host: Host, launcher: Launcher, player: BotEntrant, instance: str, token: str = "") -> StartedBot:
    """Start a local bot. Raises BotStartError, and IsolationError if it needs a box and none holds here.

    Without a `token` the bot gets a new one. Raises OptionError if no token can be created for it.
    """
    assert isinstance(player.program, BotProgram), "a remote bot is started elsewhere"
    address = host.address_for(player.program)
    token = token or await host.make_bot_token(player.name, is_submitted=player.is_submitted)
    access = Access(address, token, instance)
    return StartedBot.of(player, await start_process(launcher, player, access), access)


async def _show_access(host: Host, member: StartedBot, echo: Callable[[str], None]) -> None:
    name = member.player.program.name
    echo(f"{name} may dial in within {member.join_s:g} s:")
    echo(f"export CHEATARENA_ADDRESS={host.public_address or host.address}")
    if host.remote_keys is not None:
        echo(f"export CHEATARENA_TOKEN={await host.remote_keys.make(name, Scope.PLAY)}")
        echo(f"export CHEATARENA_INSTANCE={new_instance()}")


def select_shown_names(players: Sequence[BotEntrant], shown: Sequence[str]) -> frozenset[str]:
    """A name in `shown` may lack its number. Raises OptionError if no bot has such a name."""
    names = [player.name for player in players]
    wanted = {name for name in names for one in shown if one in (name, name.partition("#")[0])}
    for one in shown:
        if one not in wanted and not any(name.partition("#")[0] == one for name in wanted):
            raise OptionError("show-output", one, f"expected one of {', '.join(names)}")
    return frozenset(wanted)
