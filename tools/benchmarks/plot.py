"""Draws the effect of batching: the server's cost of a decision and how full its frames are, by number of matches."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.benchmarks.row import Row
from tools.benchmarks.table import number

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 340, 280, 40, 50, 70
"""The size of a panel and its margins, in pixels."""
LINE = 16
"""The height of a line of text, in pixels."""
HALO = 'paint-order="stroke" stroke="#fff" stroke-width="4"'
"""A white outline of numbers, so that lines do not run through them."""


COLOURS = ("#2563a8", "#b45309", "#15803d")
"""A colour for each file, in order."""


def write_plot(measured: Mapping[str, Sequence[Row]], path: Path) -> bool:
    """Draw the rows of decisions over the wire, with a line for each of up to three files, by name.

    If one of them has fewer than two such rows, draw nothing and return False.
    """
    panels = [
        ("server CPU a decision, us", "server"),
        ("messages a frame that the server writes", "messages a frame out"),
    ]
    drawn: list[str] = []
    for index, (title, figure) in enumerate(panels):
        lines = {name: _points(rows, figure) for name, rows in measured.items()}
        if any(len(points) < 2 for points in lines.values()):
            return False
        drawn.append(_panel(index, title, lines))
    width = WIDTH * len(panels)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}"'
    style = 'font-family="sans-serif" font-size="12" fill="#222"'
    ground = f'<rect width="{width}" height="{HEIGHT}" fill="#fff"/>'
    names = [
        f'<text x="{LEFT + 120 * index}" y="{HEIGHT - 8}" fill="{colour}" font-weight="bold">{name}</text>'
        for index, (name, colour) in enumerate(zip(measured, COLOURS, strict=False))
        if len(measured) > 1
    ]
    path.write_text("\n".join([f"{head} {style}>", ground, *drawn, *names, "</svg>"]) + "\n", encoding="utf-8")
    return True


def _points(rows: Sequence[Row], figure: str) -> dict[int, Row]:
    """Return the rows of a figure by number of matches."""
    return {int(found[1]): row for row in rows if (found := re.fullmatch(rf"wire-(\d+) {figure}", row.name))}


def _panel(index: int, title: str, lines: Mapping[str, Mapping[int, Row]]) -> str:
    """Return a panel with medians and spreads by number of matches. The numbers are evenly spaced, not to scale."""
    most = max(max(row.runs) for points in lines.values() for row in points.values())
    numbers = sorted({matches for points in lines.values() for matches in points})
    left, span = LEFT + index * WIDTH, WIDTH - 2 * LEFT
    across = {matches: left + 20 + place * (span - 40) / (len(numbers) - 1) for place, matches in enumerate(numbers)}

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<text x="{left}" y="24" font-weight="bold">{title}</text>',
        f'<line x1="{left}" y1="{y(0)}" x2="{left + span}" y2="{y(0)}" stroke="#999"/>',
        f'<text x="{left + span / 2}" y="{y(0) + 2.5 * LINE}" text-anchor="middle">matches at once</text>',
    ]
    parts += [f'<text x="{x:.1f}" y="{y(0) + LINE:.1f}" text-anchor="middle">{n}</text>' for n, x in across.items()]
    for place, (points, colour) in enumerate(zip(lines.values(), COLOURS, strict=False)):
        line = " ".join(f"{across[matches]:.1f},{y(row.median):.1f}" for matches, row in points.items())
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for matches, row in points.items():
            at, low, high, middle = across[matches], y(min(row.runs)), y(max(row.runs)), y(row.median)
            below = low + LINE  # where the numbers of all lines but the first are, unless the axis is there
            number_y = below if place and below < y(0) else high - LINE / 2
            place_of_number = f'x="{at:.1f}" y="{number_y:.1f}" text-anchor="middle" fill="{colour}"'
            parts += [
                f'<line x1="{at:.1f}" y1="{low:.1f}" x2="{at:.1f}" y2="{high:.1f}" stroke="{colour}"/>',
                f'<circle cx="{at:.1f}" cy="{middle:.1f}" r="3.5" fill="{colour}"/>',
                f"<text {place_of_number} {HALO}>{number(row.median)}</text>",
            ]
    return "\n".join(parts)
