"""The process of a league on a server, `python -P -m arena.organizer.served.league_process SOCKET`.

It has the league's schedule, ledger and deals, and opens the store beside the server, which plays the tables. It ends
with the server. If it is killed, the next one goes on where it was.
"""

import asyncio
import os
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.bots.launch.programs import BotProgram
from arena.errors import RequestError, UnknownNameError
from arena.fleet.leagues.league_calls import LEAGUE, LEAGUE_EVENTS, LeagueSetting
from arena.fleet.leagues.league_marks import mark_path, write_mark
from arena.fleet.leagues.served_node import ServedNode
from arena.fleet.runner.connection import Connection, StreamTransport
from arena.fleet.runner.fleet import max_processes_for_memory
from arena.fleet.runner.keep_running import PRIORITY
from arena.fleet.runner.node_services import RUNNER_EVENTS
from arena.fleet.submissions.submitted_programs import SubmittedPrograms
from arena.fleet.telemetry import set_up_logging
from arena.match.referee.ports import Signer
from arena.organizer.file.league_file import LeagueFile, SealedLeague
from arena.organizer.file.league_format import needs_trial
from arena.organizer.file.league_reader import read_league_text
from arena.organizer.play.block_dispatcher import BlockDispatcher, PlayPolicy
from arena.organizer.play.league_play import build_dispatcher, reveal_left_deals
from arena.organizer.seal.league_files import hold_league
from arena.organizer.seal.open_league import OpenLeague, open_league_to_play, open_sealed_league
from arena.organizer.seal.randomness import new_randomness
from arena.organizer.seal.seal import seal_league
from arena.organizer.view.league_standings import compute_league_standings
from arena.server.rpc.league_service import LeagueOrder, LeagueStanding, LeagueState, LeagueStatus
from arena.server.store.open_store import Store, open_store
from arena.server.store.receipt_key import open_receipt_key

REPORT_INTERVAL_S: Final = 1.0
SERVED_POLICY: Final = PlayPolicy(max_tables=8)
"""A league leaves most of a server to its pools."""


@dataclass(frozen=True, slots=True)
class _ServedRunner:
    """Implements `LeagueRunner`: the server is its only node."""

    nodes: Sequence[ServedNode]
    store: Store
    signer: Signer

    async def next_node(self) -> None:
        """The server is never lost."""


class LeagueProcess:
    """Plays a league on the server that started this process. Implements `LeagueCalls`."""

    def __init__(self, line: Connection) -> None:
        self._events = LEAGUE_EVENTS.client(line)
        self.node = ServedNode(line)

    async def play(self, order: LeagueOrder, setting: LeagueSetting) -> bool:
        file = read_league_text(order.text, SubmittedPrograms(setting.data))
        if file.name != order.name:
            raise RequestError(f"the file is that of the league {file.name!r}, not of {order.name!r}")
        async with await open_store(setting.data) as store:
            signer = open_receipt_key(store.folder, has_deals=await store.deals.has_deals())
            league = await _open_or_seal(file, order, store)
            league_id = league.row.league_id
            with hold_league(store.folder, league_id):
                _check_bots(league.file, setting)
                write_mark(mark_path(store.folder, league_id), order)
                self._events.on_sealed(describe_league(league, LeagueState.PLAYING))
                runner = _ServedRunner([self.node], store, signer)
                await reveal_left_deals(league, runner)
                if not (league.is_over or league.is_closed):
                    if order.finishes_rounds:
                        league.schedule.stop_after_started_rounds()
                    self.node.begin(store, setting.journal)
                    dispatcher = build_dispatcher(league, runner, max_processes_for_memory(), SERVED_POLICY)
                    async with dispatcher.play_in_background() as playing:
                        await self._report_until(playing, league, dispatcher)
                    await reveal_left_deals(league, runner)
            return league.is_over

    async def show(self, name: str, data: Path) -> LeagueStatus:
        async with await open_store(data) as store:
            if (row := await store.leagues.league(name)) is None:
                raise UnknownNameError("league", name, [head.name for head in await store.leagues.heads()])
            league = await open_sealed_league(row, store)
        state = LeagueState.OVER if league.is_over else LeagueState.STOPPED
        return describe_league(league, state, await asyncio.to_thread(_list_standings, league))

    async def _report_until(
        self, playing: "asyncio.Task[None]", league: OpenLeague, dispatcher: BlockDispatcher
    ) -> None:
        """Raise the error that ended the play, if one did."""
        while not (await asyncio.wait([playing], timeout=REPORT_INTERVAL_S))[0]:
            self._report(league, dispatcher)
        self._report(league, dispatcher)
        playing.result()

    def _report(self, league: OpenLeague, dispatcher: BlockDispatcher) -> None:
        awaited = tuple(dispatcher.awaited_bots)
        self._events.on_progress(league.ledger.game_count, league.planned_games, awaited)


async def _open_or_seal(file: LeagueFile, order: LeagueOrder, store: Store) -> OpenLeague:
    """Raises RequestError for a league that cannot be sealed or played here."""
    if await store.leagues.league(file.name) is None:
        if order.is_sealed:
            raise RequestError(f"the server has no league {file.name!r}: it has to be run first")
        if needs_trial(file.require_complete()):
            raise RequestError(
                "the file has a `budget`, which takes a trial on a machine without other games: name a length instead"
            )
        await seal_league(file, store, new_randomness())
    return await open_league_to_play(file, store)


def _check_bots(league: SealedLeague, setting: LeagueSetting) -> None:
    """Raise RequestError if this server cannot start a bot of the league."""
    for name, bot in league.bots.items():
        if not isinstance(bot.program, BotProgram):
            continue
        if bot.is_boxed and not setting.has_boxes:
            raise RequestError(
                f"{name} needs a box, and this server makes none: with `runs_boxes = false`, `arena boxes` runs only"
                " what plays in pools, so play the league without --server"
            )
        if not bot.is_boxed and not setting.has_plain_address:
            raise RequestError(f"{name} runs without a box, and this server speaks TLS on loopback too")


def describe_league(league: OpenLeague, state: LeagueState, standings: tuple[LeagueStanding, ...] = ()) -> LeagueStatus:
    entrants = (f"{each.name}@{each.version}" if each.version else each.name for each in league.file.entrants)
    games, planned = league.ledger.game_count, league.planned_games
    return LeagueStatus(league.file.name, league.seal, state, games, planned, (), "", tuple(entrants), standings)


def _list_standings(league: OpenLeague) -> tuple[LeagueStanding, ...]:
    unknown = float("nan")
    return tuple(
        LeagueStanding(
            row.name,
            row.place or 0,
            row.games,
            row.score or 0.0,
            unknown if row.interval.low is None else row.interval.low,
            unknown if row.interval.high is None else row.interval.high,
            row.first_places,
            row.mean_place or 0.0,
            sum(row.strikes.values()),
        )
        for row in compute_league_standings(league).rows
    )


async def _serve(number: int) -> None:
    """Serve the server at the other end of this socket until it has gone."""
    line = Connection(StreamTransport(*await asyncio.open_connection(sock=socket.socket(fileno=number))))
    process = LeagueProcess(line)
    await line.run({**LEAGUE.handlers(process), **RUNNER_EVENTS.handlers(process.node)})
    os._exit(0)  # the server has gone, and the next one goes on with the league


def main() -> None:
    set_up_logging("warning")
    with suppress(AttributeError, OSError):  # Windows has no priorities of this kind, and a sandbox may refuse them
        os.nice(PRIORITY)
    asyncio.run(_serve(int(sys.argv[1])))


if __name__ == "__main__":
    main()
