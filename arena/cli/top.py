"""`arena top`: shows how a server is doing, again and again."""

import asyncio
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.bots.packages.rules import format_size
from arena.cli.options import JsonOption
from arena.cli.organizer_access import connect_organizer
from arena.cli.present import Styled, as_rich, present
from arena.plain_data import to_plain
from arena.plurals import format_count

if TYPE_CHECKING:
    from rich.table import Table

    from arena.server.node.server_status import NodeFigures, ServerStatus
    from arena.server.rpc.status_service import StatusClient
    from arena.server.store.folder_sizes import FolderSizes

app = typer.Typer(rich_markup_mode="markdown")

INTERVAL_S: Final = 1.0
"""Seconds between two looks."""
_NAME: Final = "top"
"""The name of the token that is made for one run of this command."""
_SOON_DAYS: Final = 14
"""A disk that is full sooner is shown in red."""
_FAR_DAYS: Final = 3_650
_US_PER_MS: Final = 1_000
_US_PER_S: Final = 1_000_000


@app.command()
def top(
    server: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Server, as host:port, with an organizer's token in ARENA_TOKEN or its folder as --data. Default: the "
            "one that uses the data folder.",
        ),
    ] = "",
    data: Annotated[
        Path | None, typer.Option(help="Data folder of the server. Default: ARENA_DATA, or else arena-data.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Show the figures of one second, and exit.")] = False,
    json: JsonOption = False,
) -> None:
    """On a terminal the figures are redrawn every second, until Ctrl-C; elsewhere, or with --json, they appear once."""
    asyncio.run(_watch(server, data, once or json or not sys.stdout.isatty(), json))


async def _watch(server: str, data: Path | None, is_once: bool, is_json: bool) -> None:
    from arena.server.rpc.status_service import StatusClient

    async with connect_organizer(StatusClient, server, data, _NAME) as client:
        if is_once:
            earlier, now = await _read_two(client)
            present(_status_as_dict(earlier, now), is_json, _status_lines(client.address, earlier, now))
            return
        from rich.console import Group
        from rich.live import Live

        from arena.cli.result_console import stdout_console

        earlier = now = await client.read()
        with Live(console=stdout_console(), auto_refresh=False, screen=True) as live:
            while True:
                live.update(Group(*map(as_rich, _status_lines(client.address, earlier, now))), refresh=True)
                await asyncio.sleep(INTERVAL_S)
                earlier, now = now, await client.read()


async def _read_two(client: "StatusClient") -> "tuple[ServerStatus, ServerStatus]":
    """Return the figures before and after one second, from which rates follow."""
    earlier = await client.read()
    await asyncio.sleep(INTERVAL_S)
    return earlier, await client.read()


def _status_as_dict(earlier: "ServerStatus", now: "ServerStatus") -> Mapping[str, Any]:
    plain: dict[str, Any] = to_plain(now)
    if now.storage is not None:
        plain["storage"]["days_left"] = now.storage.days_left
    for node, figures in zip(plain["nodes"], now.nodes, strict=True):
        node["decisions_per_second"], node["stall_share"] = _rates_of(figures, earlier)
    return plain


def _rates_of(node: "NodeFigures", earlier: "ServerStatus") -> tuple[float | None, float | None]:
    """Return a node's decisions a second since the earlier figures, and the share of this time that it stalled.

    Both are None if the earlier figures are not from this node, or from the same moment.
    """
    before = next((each for each in earlier.nodes if each.node == node.node), None)
    if before is None or node.uptime_us <= before.uptime_us:
        return None, None
    passed_us = node.uptime_us - before.uptime_us
    decisions, stall_us = node.decision_count - before.decision_count, node.stall_us - before.stall_us
    return decisions * _US_PER_S / passed_us, stall_us / passed_us


def _status_lines(address: str, earlier: "ServerStatus", now: "ServerStatus") -> Iterator[object]:
    """Yield the figures as lines and tables, at most 80 columns wide if names are short."""
    from arena.replays.narration.text_format import escape_unprintable

    for node in now.nodes:
        yield from _node_lines(address, node, earlier)
    if now.build:
        yield escape_unprintable(f"arena {now.version}, {now.build}")
    if now.storage is not None:
        yield ""
        yield from _storage_lines(now.storage)
    if now.pools:
        yield ""
        pools = ((each.name, each.bot_count, each.waiting_count, each.match_count) for each in now.pools)
        yield _narrow_table(["pool", "bots", "waiting", "matches"], pools)
    for fault in dict.fromkeys(fault for pool in now.pools for fault in pool.house_faults):
        yield Styled(f"house bot {escape_unprintable(fault)}", "bold red")
    if now.slowest_bots:
        yield ""
        yield _slowest_table(now)


def _node_lines(address: str, node: "NodeFigures", earlier: "ServerStatus") -> list[str]:
    rate, _ = _rates_of(node, earlier)
    speed = "" if rate is None else f"{format_count(round(rate), 'decision')} a second, "
    stalls = f"{format_count(node.stall_count, 'stall')} of {node.stall_us / _US_PER_S:.1f} s together"
    return [
        f"{address}, up {_uptime_text(node.uptime_us)}, {format_count(node.session_count, 'session')}",
        f"matches: {node.running_count} running, {node.offered_count} offered, {node.ended_count} ended",
        f"{speed}{stalls}",
    ]


def _storage_lines(storage: "FolderSizes") -> "Iterator[str | Styled]":
    """Yield what takes room, and when the disk is full if it goes on as in the last day."""
    played = {"journals": storage.journals, "packed": storage.packed, "database": storage.database}
    others = {"submissions": storage.submissions, "other": storage.other}
    for parts in (played, others):
        yield ", ".join(f"{name} {format_size(size)}" for name, size in parts.items())
    yield f"disk: {format_size(storage.free)} of {format_size(storage.disk)} free"
    if (days := storage.days_left) is not None:
        left = "more than 10 years" if days > _FAR_DAYS else format_count(int(days), "day")
        text = f"{format_size(storage.growth_a_day)} more in the last day: full in {left}"
        yield Styled(text, "bold red") if days < _SOON_DAYS else text


def _slowest_table(now: "ServerStatus") -> "Table":
    """Return the slowest bots. The shares are of the time for a turn, and of what each decision was allowed."""
    rows = (
        (
            bot.bot,
            bot.seat_count,
            bot.decision_count,
            _think_text(bot.mean_think_us),
            _think_text(bot.slow_think_us),
            f"{bot.slow_share:.0%}",
            f"{bot.slowest_share:.0%}",
            bot.strike_count,
        )
        for bot in now.slowest_bots
    )
    headings = ["slowest bots", "seats", "decisions", "mean", "95 %", "of a turn", "slowest", "strikes"]
    return _narrow_table(headings, rows)


def _narrow_table(headings: list[str], rows: Iterable[tuple[object, ...]]) -> "Table":
    """Return a narrow table whose first column has names; if there is no room, names are cut off, not figures."""
    from rich.table import Table

    from arena.replays.narration.text_format import escape_unprintable

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(headings[0], no_wrap=True, overflow="ellipsis")
    for heading in headings[1:]:
        table.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
    for row in rows:
        table.add_row(*(escape_unprintable(str(cell)) for cell in row))
    return table


def _think_text(us: int) -> str:
    return f"{us / _US_PER_MS:.1f} ms"


def _uptime_text(us: int) -> str:
    """Return a duration as text, such as `2 d 3 h` or `4 min`."""
    minutes = us // (60 * _US_PER_S)
    hours, days = minutes // 60, minutes // (24 * 60)
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{us // _US_PER_S} s"
