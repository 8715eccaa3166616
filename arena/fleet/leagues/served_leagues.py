"""The leagues of a server, which plays them beside its pools. Implements `LeagueHost`."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.bots.launch.box_settings import BoxSettings
from arena.errors import CapacityError, EnvironmentFaultError, RequestError
from arena.fleet.assembly.server import RunningServer
from arena.fleet.leagues.league_calls import LEAGUE, LeagueSetting
from arena.fleet.leagues.league_marks import read_marks
from arena.fleet.leagues.served_league import ServedLeague, start_league_process
from arena.fleet.runner.host import Host, TemporaryTokens
from arena.fleet.runner.organizer import LocalOrganizer
from arena.fleet.runner.process_sampler import ProcessSource
from arena.plurals import format_count
from arena.server.node.background_work import run_in_background
from arena.server.rpc.league_service import LeagueOrder, LeagueState, LeagueStatus
from arena.server.store.open_store import open_store

MOST_LEAGUES: Final = 4
"""How many leagues a server plays at the same time."""
_MORE_NICENESS: Final = 5
"""A league's bots leave the cores to those of pools."""
_LOOK_INTERVAL_S: Final = 1.0
"""Seconds between looks for stopped leagues whose last table is over: then their bots end."""


class ServedLeagues:
    def __init__(self, data: Path, module: str, boxes: BoxSettings | None, sources: list[ProcessSource]) -> None:
        """`module` is that of a league's process. Without `boxes`, this server boxes no bots.

        `sources` gets what knows the processes of each league's bots.
        """
        self._data = data
        self._module = module
        self._boxes = boxes
        self._sources = sources
        self._running: RunningServer | None = None
        """None while the server starts or stops."""
        self._leagues: dict[str, ServedLeague] = {}
        """By name: those that play, and those that have stopped since the server started."""
        self._asking = asyncio.Lock()
        """One process at a time reads a league that somebody asks for."""

    @asynccontextmanager
    async def serve(self, running: RunningServer) -> AsyncIterator[None]:
        """Play leagues on this server while the context lasts, at first those that the last server left unfinished.

        On exit their processes end, and their tables go on as long as the server does.
        """
        async with run_in_background(self._end_idle_bots()):
            for order in await asyncio.to_thread(read_marks, self._data):
                self._add(order.name, running).start(order)
            self._running = running
            try:
                yield
            finally:
                self._running = None
                await asyncio.gather(*(league.stop() for league in self._leagues.values()))

    async def close(self) -> None:
        """End all bots, once the server has stopped."""
        left = [league for league in self._leagues.values() if not league.is_closed]
        if left:
            async with await open_store(self._data) as store:
                await asyncio.gather(*(league.close(store.tokens) for league in left))

    async def run(self, order: LeagueOrder) -> LeagueStatus:
        """As `LeagueHost.run`."""
        if os.name != "posix":  # the process of a league inherits the socket of its connection
            raise RequestError("a server on this system plays no leagues: play it without a server")
        league = self._leagues.get(order.name)
        if league is None or not league.is_playing:
            if sum(each.is_playing for each in self._leagues.values()) >= MOST_LEAGUES:
                raise CapacityError(
                    f"the server already plays {format_count(MOST_LEAGUES, 'league')}, the most allowed: stop one first"
                )
            if self._running is None:
                raise EnvironmentFaultError("the server is just starting or stopping: try again")
            league = self._add(order.name, self._running)
            league.start(order)
        elif league.order.text != order.text:
            raise RequestError(
                f"the league {order.name!r} is being played, and its file was another one: stop it first"
            )
        await league.wait_until_settled()
        return await self.show(order.name, has_standings=False)

    async def stop(self, name: str) -> LeagueStatus:
        """As `LeagueHost.stop`."""
        if (league := self._leagues.get(name)) is not None:
            await league.stop()
            await league.unmark()
        return await self.show(name, has_standings=False)

    async def show(self, name: str, *, has_standings: bool) -> LeagueStatus:
        """As `LeagueHost.show`."""
        league = self._leagues.get(name)
        playing = league.status if league is not None and league.is_playing else None
        if playing is not None and not has_standings:
            return playing
        async with self._asking, start_league_process(self._module, {}) as line:
            stored = await LEAGUE.client(line).show(name, self._data)
        if playing is not None:
            return replace(stored, state=LeagueState.PLAYING, awaited=playing.awaited)
        return stored if league is None else replace(stored, fault=league.fault)

    def _add(self, name: str, running: RunningServer) -> ServedLeague:
        """Return the league of this name, with its bots if its last tables are still played, or else anew."""
        league = self._leagues.get(name)
        if league is None or league.is_closed:
            setting = LeagueSetting(
                self._data.absolute(),
                f"{running.node.name}.journal",
                has_boxes=self._boxes is not None,
                has_plain_address=not running.speaks_tls,
            )
            keys = TemporaryTokens(running.store.tokens)
            host = Host(
                running.address,
                LocalOrganizer(running.matches),
                keys,
                self._data,
                running,
                boxes=self._boxes,
                socket=next(iter(running.sockets), ""),
                more_niceness=_MORE_NICENESS,
            )
            league = self._leagues[name] = ServedLeague(setting, self._module, running, host, keys)
            self._sources.append(league.tables.bots)
        return league

    async def _end_idle_bots(self) -> None:
        """End the bots of leagues that have stopped and whose last table is over, until cancelled."""
        while True:
            await asyncio.sleep(_LOOK_INTERVAL_S)
            for league in list(self._leagues.values()):
                if not (league.is_closed or league.is_playing or league.tables.has_tables):
                    self._sources.remove(league.tables.bots)
                    await league.close()
            self._leagues = {name: each for name, each in self._leagues.items() if each.status or not each.is_closed}


@asynccontextmanager
async def open_leagues(
    data: Path, module: str, boxes: BoxSettings | None, sources: list[ProcessSource]
) -> AsyncIterator[ServedLeagues]:
    """The bots of leagues end when the context is left. So the server has to be stopped inside."""
    leagues = ServedLeagues(data, module, boxes, sources)
    try:
        yield leagues
    finally:
        await leagues.close()
