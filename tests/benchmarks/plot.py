"""Draws the effect of batching: the server's cost of a decision and how full its frames are, by number of matches."""

import re
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.row import Row
from tests.benchmarks.table import number

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 340, 260, 40, 50, 50
"""The size of a panel and its margins, in pixels."""
HALO = 'paint-order="stroke" stroke="#fff" stroke-width="4"'
"""A white outline of numbers, so that lines do not run through them."""


def write_plot(rows: Sequence[Row], path: Path) -> bool:
    """Draw the rows of decisions over the wire. If there are fewer than two, draw nothing and return False."""
    panels = [
        ("server CPU a decision, us", "server"),
        ("messages a frame that the server writes", "messages a frame out"),
    ]
    drawn = [
        _panel(index, title, [(int(found[1]), row) for row in rows if (found := _matches(row, figure))])
        for index, (title, figure) in enumerate(panels)
        if sum(bool(_matches(row, figure)) for row in rows) > 1
    ]
    if len(drawn) == len(panels):
        width = WIDTH * len(panels)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}"'
        )
        style = 'font-family="sans-serif" font-size="12" fill="#222"'
        ground = f'<rect width="{width}" height="{HEIGHT}" fill="#fff"/>'
        path.write_text("\n".join([f"{head} {style}>", ground, *drawn, "</svg>"]) + "\n", encoding="utf-8")
    return len(drawn) == len(panels)


def _matches(row: Row, figure: str) -> re.Match[str] | None:
    return re.fullmatch(rf"wire-(\d+) {figure}", row.name)


def _panel(index: int, title: str, points: Sequence[tuple[int, Row]]) -> str:
    """Return a panel with median and spread by number of matches. The numbers are evenly spaced, not to scale."""
    most = max(max(row.runs) for _, row in points)
    left, span = LEFT + index * WIDTH, WIDTH - 2 * LEFT

    def x(place: int) -> float:
        return left + 20 + place * (span - 40) / (len(points) - 1)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM)

    line = " ".join(f"{x(place):.1f},{y(row.median):.1f}" for place, (_, row) in enumerate(points))
    parts = [
        f'<text x="{left}" y="24" font-weight="bold">{title}</text>',
        f'<line x1="{left}" y1="{y(0)}" x2="{left + span}" y2="{y(0)}" stroke="#999"/>',
        f'<polyline points="{line}" fill="none" stroke="#2563a8" stroke-width="2"/>',
        f'<text x="{left + span / 2}" y="{HEIGHT - 10}" text-anchor="middle">matches at once</text>',
    ]
    for place, (matches, row) in enumerate(points):
        at, low, high, middle = x(place), y(min(row.runs)), y(max(row.runs)), y(row.median)
        parts += [
            f'<line x1="{at:.1f}" y1="{low:.1f}" x2="{at:.1f}" y2="{high:.1f}" stroke="#2563a8"/>',
            f'<circle cx="{at:.1f}" cy="{middle:.1f}" r="3.5" fill="#2563a8"/>',
            f'<text x="{at:.1f}" y="{high - 8:.1f}" text-anchor="middle" {HALO}>{number(row.median)}</text>',
            f'<text x="{at:.1f}" y="{y(0) + 16:.1f}" text-anchor="middle">{matches}</text>',
        ]
    return "\n".join(parts)
