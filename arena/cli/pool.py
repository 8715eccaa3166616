"""`arena pool`: shows the pools of a server, checks the seatings of a data folder, and ends seasons."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import DataOption, JsonOption
from arena.cli.present import Columns, present, present_rows, table_lines
from arena.cli.store_access import format_date, with_known_store
from arena.errors import RequestError, UnknownNameError
from arena.organizer.report.number_format import format_bounds
from arena.plain_data import to_plain
from arena.plurals import format_count

if TYPE_CHECKING:
    from arena.server.store.open_store import Store
    from cheatarena.pool_client import PoolClient

T = TypeVar("T")

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)

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
def list_(server: ServerOption = "", json: JsonOption = False) -> None:
    """List the pools of a server."""
    pools = to_plain(_ask(server, lambda client: client.pools()))
    columns: Columns = {
        "pool": "name",
        "rules": lambda pool: f"{pool['game']}/{pool['preset']}",
        "seats": "seat_count",
        "turn": lambda pool: f"{pool['turn_ms']} ms",
        "season": _season_text,
        "bots": "bot_count",
        "waiting": "waiting_count",
        "matches": lambda pool: len(pool["running_match_ids"]),
    }
    present_rows(pools, json, columns, "this server has no pools")


@app.command()
def show(name: NameArgument, server: ServerOption = "", json: JsonOption = False) -> None:
    """Show a pool and its standings.

    A bot has a rank from 30 games on that count, if the 95 % interval of its rating reaches at most 100 points to
    either side.
    """
    pool, standings = to_plain(_ask(server, lambda client: client.pool(name)))
    present({"pool": pool, "standings": standings}, json, _standings_lines(pool, standings))


@app.command("end-season")
def end_season(name: NameArgument, data: DataOption = None) -> None:
    """End the season of a pool now. A server that uses the data folder begins the next one within seconds."""
    number = with_known_store(data, lambda store: _end_season(store, name))
    print(f"season {number} of {name} is over")


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
    count, faults = with_known_store(data, lambda store: _check(store, name, last))
    lines = [
        *faults[:1],
        f"{format_count(len(faults), 'seating')} of {count} of {name} do not follow from their inputs"
        if faults
        else f"every seating follows from its inputs: {format_count(count, 'seating')} of {name}",
    ]
    present({"pool": name, "seatings": count, "faults": faults}, json, lines)
    return ExitCode.NO if faults else ExitCode.YES


def _ask(server: str, ask: "Callable[[PoolClient], Coroutine[Any, Any, T]]") -> T:
    """Raises the SDK's errors."""
    from cheatarena.commands.own_server import any_settings
    from cheatarena.pool_client import PoolClient

    async def work() -> T:
        async with PoolClient(any_settings(server)) as client:
            return await ask(client)

    return asyncio.run(work())


async def _end_season(store: "Store", name: str) -> int:
    """Return the number of the season. Raises RequestError if it is over."""
    from arena.competition.pools.ports import OPEN

    season, now = await store.pools.newest_season(name), time.time()
    if season is None:
        raise await _unknown_pool(store, name)
    if season.state != OPEN or (season.ends_at is not None and season.ends_at <= now):
        raise RequestError(f"season {season.season} of pool {name} is already over")
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
        page = await store.pools.seatings(name, size, before)
        if not page:
            break
        rounds = await store.pools.rounds({each.round_id for each in page})
        for round_id, seatings in groupby(page, attrgetter("round_id")):
            faults += seating_check.find_faults(rounds.get(round_id), list(seatings))
        count += len(page)
        before = page[-1].match_id
    return count, faults


async def _unknown_pool(store: "Store", name: str) -> Exception:
    known = dict.fromkeys(season.pool for season in await store.pools.seasons())
    return UnknownNameError("pool", name, list(known))


def _season_text(pool: Mapping[str, Any]) -> str:
    if pool["is_closed"]:
        return "closed"
    until = f" until {format_date(pool['season_ends_at'])}" if pool["season_ends_at"] is not None else ""
    return f"season {pool['season']}{until}"


def _rated_text(standing: Mapping[str, Any]) -> str:
    """Return how many games count, if that is not all of them."""
    rated = standing["rated_game_count"]
    return "" if rated is None or rated + 0.5 >= standing["game_count"] else f"{rated:.0f}"


def _tries_text(standing: Mapping[str, Any]) -> str:
    """Return how many versions and bots the owner has tried, if there are several."""
    counts = (standing["version_count"], "version"), (standing["owner_bot_count"], "bot")
    return ", ".join(format_count(count, what) for count, what in counts if count > 1)


def _standings_lines(pool: Mapping[str, Any], standings: Sequence[Mapping[str, Any]]) -> Iterator[object]:
    title = f"{pool['name']}: {pool['game']}/{pool['preset']}"
    yield f"{title}, {format_count(pool['seat_count'], 'seat')}, {_season_text(pool)}"
    yield f"{format_count(pool['bot_count'], 'bot')}, {pool['waiting_count']} waiting"
    ranked = [{"rank": rank} | dict(standing) for rank, standing in enumerate(standings, start=1)]
    columns: Columns = {
        "": lambda bot: None if bot["is_provisional"] else bot["rank"],
        "bot": lambda bot: f"{bot['bot']} (house bot)" if bot["is_house"] else bot["bot"],
        "version": "version",
        "rating": lambda bot: f"{bot['rating']:.0f}",
        "95 %": lambda bot: format_bounds(bot["low"], bot["high"], lambda value: f"{value:.0f}"),
        "games": "game_count",
        "rated": _rated_text,
        "tries": _tries_text,
    }
    yield from table_lines(ranked, columns) if standings else ["nobody has finished a game in this season"]
    if any(standing["is_provisional"] for standing in standings):
        yield "no rank: fewer than 30 games that count, or an interval that reaches more than 100 points to a side"
