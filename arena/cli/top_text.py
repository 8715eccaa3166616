"""What `arena top` shows: tables for people, and plain values for programs."""

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.plain_data import to_plain
from arena.plurals import format_count
from arena.replays.narration.text_format import escape_unprintable
from arena.server.node.server_status import NodeFigures, ServerStatus

_US_PER_MS: Final = 1_000
_US_PER_S: Final = 1_000_000


def status_as_dict(earlier: ServerStatus, now: ServerStatus) -> Mapping[str, Any]:
    """Return the figures as plain values, with the rates since the earlier figures."""
    plain: dict[str, Any] = to_plain(now)
    for node, figures in zip(plain["nodes"], now.nodes, strict=True):
        node["decisions_per_second"], node["stall_share"] = rates_of(figures, earlier)
    return plain


def rates_of(node: NodeFigures, earlier: ServerStatus) -> tuple[float | None, float | None]:
    """Return a node's decisions a second since the earlier figures, and the share of this time that it stalled.

    Both are None if the earlier figures are not from this node, or from the same moment.
    """
    before = next((each for each in earlier.nodes if each.node == node.node), None)
    if before is None or node.uptime_us <= before.uptime_us:
        return None, None
    passed_us = node.uptime_us - before.uptime_us
    decisions, stall_us = node.decision_count - before.decision_count, node.stall_us - before.stall_us
    return decisions * _US_PER_S / passed_us, stall_us / passed_us


def draw_status(address: str, earlier: ServerStatus, now: ServerStatus) -> RenderableType:
    """Return the figures as lines and tables, at most 80 columns wide if names are short."""
    parts: list[RenderableType] = [line for node in now.nodes for line in _node_lines(address, node, earlier)]
    if now.pools:
        parts += ["", _draw_pools(now)]
    faults = dict.fromkeys(fault for pool in now.pools for fault in pool.house_faults)
    parts += [Text(f"house bot {escape_unprintable(fault)}", style="bold red") for fault in faults]
    if now.slowest_bots:
        parts += ["", _draw_bots(now)]
    return Group(*parts)


def _node_lines(address: str, node: NodeFigures, earlier: ServerStatus) -> list[str]:
    rate, _ = rates_of(node, earlier)
    speed = "" if rate is None else f"{format_count(round(rate), 'decision')} a second, "
    stalls = f"{format_count(node.stall_count, 'stall')} of {node.stall_us / _US_PER_S:.1f} s together"
    return [
        f"{address}, up {_uptime_text(node.uptime_us)}, {format_count(node.session_count, 'session')}",
        f"matches: {node.running_count} running, {node.offered_count} offered, {node.ended_count} ended",
        f"{speed}{stalls}",
    ]


def _draw_pools(now: ServerStatus) -> Table:
    table = _new_table("pool", "bots", "waiting", "matches")
    for pool in now.pools:
        table.add_row(pool.name, str(pool.bot_count), str(pool.waiting_count), str(pool.match_count))
    return table


def _draw_bots(now: ServerStatus) -> Table:
    """Return the slowest bots. The shares are of the time for a turn, and of what each decision was allowed."""
    table = _new_table("slowest bots", "seats", "decisions", "mean", "95 %", "of a turn", "slowest", "strikes")
    for bot in now.slowest_bots:
        table.add_row(
            escape_unprintable(bot.bot),
            str(bot.seat_count),
            str(bot.decision_count),
            _think_text(bot.mean_think_us),
            _think_text(bot.slow_think_us),
            f"{bot.slow_share:.0%}",
            f"{bot.slowest_share:.0%}",
            str(bot.strike_count),
        )
    return table


def _new_table(name: str, *figures: str) -> Table:
    """Return a narrow table whose first column has names; if there is no room, names are cut off, not figures."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(name, no_wrap=True, overflow="ellipsis")
    for figure in figures:
        table.add_column(figure, justify="right", no_wrap=True, min_width=len(figure))
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
