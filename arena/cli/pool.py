"""`arena pool`: shows the pools of a server, checks the seatings of a data folder, and ends seasons."""

import asyncio
import time
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import DataOption, JsonOption
from arena.plurals import format_count

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from arena.server.store.open_store import Store
    from cheatarena.pool_client import PoolClient, PoolStanding, PoolState

app = typer.Typer(
    rich_markup_mode="markdown",
    no_args_is_help=True,
    help="Show the pools of a server; check seatings and end seasons.",
)

ServerOption = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Server, as host:port. Any token will do: CHEATARENA_TOKEN, ARENA_TOKEN or the owner's in the credentials "
        "file. Default: the only server in this file.",
    ),
]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The pool.")]
_PAGE: Final = 500
"""How many seatings are read at once."""


@app.command("list")
def list_(server: ServerOption = "", json: JsonOption = False) -> int:
    """List the pools of a server."""
    from arena.cli.console import print_json
    from arena.cli.result_console import stdout_console
    from arena.plain_data import to_plain
    from arena.replays.narration.text_format import escape_unprintable

    pools = _ask(server, lambda client: client.pools())
    if json:
        print_json(to_plain(pools))
        return ExitCode.YES
    if not pools:
        print("this server has no pools")
        return ExitCode.YES
    from rich.table import Table

    table = Table("pool", "rules", "seats", "turn", "season", "bots", "waiting", "matches")
    for pool in pools:
        table.add_row(
            escape_unprintable(pool.name),
            escape_unprintable(f"{pool.game}/{pool.preset}"),
            str(pool.seat_count),
            f"{pool.turn_ms} ms",
            _season_text(pool),
            str(pool.bot_count),
            str(pool.waiting_count),
            str(len(pool.running_match_ids)),
        )
    stdout_console().print(table)
    return ExitCode.YES


@app.command()
def show(name: NameArgument, server: ServerOption = "", json: JsonOption = False) -> int:
    """Show a pool and its standings.

    A bot has a rank from 30 games on, if the 95 % interval of its rating reaches at most 100 points to either side.
    """
    from arena.cli.console import print_json
    from arena.cli.result_console import stdout_console
    from arena.plain_data import to_plain
    from arena.replays.narration.text_format import escape_unprintable

    pool, standings = _ask(server, lambda client: client.pool(name))
    if json:
        print_json({"pool": to_plain(pool), "standings": to_plain(standings)})
        return ExitCode.YES
    from rich.table import Table

    console = stdout_console()
    title = escape_unprintable(f"{pool.name}: {pool.game}/{pool.preset}")
    console.print(f"{title}, {format_count(pool.seat_count, 'seat')}, {_season_text(pool)}")
    console.print(f"{format_count(pool.bot_count, 'bot')}, {pool.waiting_count} waiting")
    table = Table("", "bot", "version", "rating", "95 %", "games")
    for rank, standing in enumerate(standings, start=1):
        table.add_row("" if standing.is_provisional else str(rank), *_standing_cells(standing))
    console.print(table if standings else "nobody has finished a game in this season")
    if any(standing.is_provisional for standing in standings):
        console.print("no rank: fewer than 30 games, or an interval that reaches more than 100 points to a side")
    return ExitCode.YES


@app.command("end-season")
def end_season(name: NameArgument, data: DataOption = None) -> int:
    """End the season of a pool now. A server that uses the data folder begins the next one within seconds."""
    from arena.cli.store_access import with_known_store

    number = with_known_store(data, lambda store: _end_season(store, name))
    print(f"season {number} of {name} is over")
    return ExitCode.YES


@app.command()
def check(
    name: NameArgument,
    data: DataOption = None,
    last: Annotated[int | None, typer.Option(min=1, help="Check only the newest seatings, this many.")] = None,
    json: JsonOption = False,
) -> int:
    """Check that every stored seating follows from what the matchmaker knew.

    Runs the matchmaker again on the stored inputs of each round. The exit code is 0 if every seating follows from
    them. Otherwise it is 1, and the first seating that does not is named.
    """
    from arena.cli.console import print_json
    from arena.cli.store_access import with_known_store
    from arena.replays.narration.text_format import escape_unprintable

    count, faults = with_known_store(data, lambda store: _check(store, name, last))
    if json:
        print_json({"pool": name, "seatings": count, "faults": faults})
    elif faults:
        print(escape_unprintable(faults[0]))
        print(f"{format_count(len(faults), 'seating')} of {count} of {name} do not follow from their inputs")
    else:
        print(f"every seating follows from its inputs: {format_count(count, 'seating')} of {name}")
    return ExitCode.NO if faults else ExitCode.YES


def _ask(server: str, ask: "Callable[[PoolClient], Coroutine[Any, Any, Any]]") -> Any:
    """Connect to a server, make one call and return its result. Raises the SDK's errors."""
    from arena.cli.author import any_settings
    from cheatarena.pool_client import PoolClient

    async def work() -> Any:
        async with PoolClient(any_settings(server)) as client:
            return await ask(client)

    return asyncio.run(work())


async def _end_season(store: "Store", name: str) -> int:
    """End the newest season of a pool, and return its number. Raises RequestError if it is over already."""
    from arena.competition.pools.ports import OPEN
    from arena.errors import RequestError

    season, now = await store.pools.newest_season(name), time.time()
    if season is None:
        raise await _unknown_pool(store, name)
    if season.state != OPEN or (season.ends_at is not None and season.ends_at <= now):
        raise RequestError(f"season {season.season} of {name} is over already")
    await store.pools.end_season(name, season.season, now)
    return season.season


async def _check(store: "Store", name: str, last: int | None) -> tuple[int, list[str]]:
    """Return how many seatings were checked, and a sentence for each that does not follow, the newest first."""
    from arena.competition.pools.seating_check import SeatingCheck

    if await store.pools.newest_season(name) is None:
        raise await _unknown_pool(store, name)
    seating_check, count, faults, before = SeatingCheck(), 0, list[str](), None
    while last is None or count < last:
        size = _PAGE if last is None else min(_PAGE, last - count)
        page = await store.pool_reader.seatings(name, size, before)
        if not page:
            break
        rounds = await store.pool_reader.rounds({each.round_id for each in page})
        for round_id, seatings in groupby(page, attrgetter("round_id")):
            faults += seating_check.find_faults(rounds.get(round_id), list(seatings))
        count += len(page)
        before = page[-1].match_id
    return count, faults


async def _unknown_pool(store: "Store", name: str) -> Exception:
    from arena.errors import UnknownNameError

    known = dict.fromkeys(season.pool for season in await store.pools.seasons())
    return UnknownNameError("pool", name, list(known))


def _season_text(pool: "PoolState") -> str:
    from arena.cli.store_access import format_date

    if pool.is_closed:
        return "closed"
    until = f" until {format_date(pool.season_ends_at)}" if pool.season_ends_at is not None else ""
    return f"season {pool.season}{until}"


def _standing_cells(standing: "PoolStanding") -> tuple[str, ...]:
    from arena.organizer.report.number_format import format_bounds
    from arena.replays.narration.text_format import escape_unprintable

    bounds = format_bounds(standing.low, standing.high, lambda value: f"{value:.0f}")
    name = f"{standing.bot} (house bot)" if standing.is_house else standing.bot
    version = escape_unprintable(standing.version)
    return escape_unprintable(name), version, f"{standing.rating:.0f}", bounds, str(standing.game_count)
