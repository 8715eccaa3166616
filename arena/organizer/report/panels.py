"""Rating panels: a small chart of each entrant's rating over time, in front of the lines of all others.

All panels have the same scales.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from arena.competition.league.rating import Rating
from arena.organizer.report.interval_chart import Tick
from arena.organizer.report.number_format import format_bounds, format_number
from arena.organizer.report.scale import Scale, padded_range, tick_values
from arena.organizer.report.view import RatingMoment

WIDTH: Final = 230
HEIGHT: Final = 110
LEFT: Final = 32
BOTTOM: Final = 94
_TOP: Final = 6
_MAX_MOMENTS: Final = 60
"""The largest number of moments that a chart of this size can show apart from each other."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Panel:
    """One entrant's chart. `line` and `band` are SVG paths."""

    name: str
    line: str
    band: str
    end: Point
    """The point where the line ends."""
    words: str
    """The chart in words, for readers who cannot see it."""


@dataclass(frozen=True, slots=True)
class RatingPanels:
    """The charts of all entrants, and what these charts share."""

    panels: Sequence[Panel]
    everybody: str
    """The lines of all entrants as one path."""
    levels: Sequence[Tick]
    """The ticks for ratings, from top to bottom."""
    games: Sequence[Tick]
    """The ticks for the first and the last number of games."""


def build_rating_panels(names: Iterable[str], course: Sequence[RatingMoment]) -> RatingPanels | None:
    """Return a panel for each rated entrant in `names`, in this order; None if `course` has fewer than two moments."""
    moments = thin_out(course)
    if len(moments) < 2:
        return None
    low, high = padded_range(value for moment in moments for row in moment.ratings for value in _estimate(row))
    x = Scale(moments[0].games, moments[-1].games, LEFT, WIDTH - 6)
    y = Scale(low, high, BOTTOM, _TOP)
    panels = [panel for name in names if (panel := _build_panel(name, moments, x, y)) is not None]
    return RatingPanels(
        panels,
        "".join(panel.line for panel in panels),
        [Tick(y(value), value) for value in reversed(tick_values(low, high, 3))],
        [Tick(x(moment.games), moment.games) for moment in (moments[0], moments[-1])],
    )


def thin_out(course: Sequence[RatingMoment], most: int = _MAX_MOMENTS) -> list[RatingMoment]:
    """Return at most `most` of the moments, evenly spread. The first and the last are always among them."""
    if len(course) <= most:
        return list(course)
    return [course[round(index * (len(course) - 1) / (most - 1))] for index in range(most)]


def _build_panel(name: str, moments: Sequence[RatingMoment], x: Scale, y: Scale) -> Panel | None:
    known = [(moment.games, *_estimate(row)) for moment in moments for row in moment.ratings if row.name == name]
    if not known:
        return None
    line = [(x(games), y(rating)) for games, rating, _, _ in known]
    upper = [(x(games), y(inf if high is None else high)) for games, _, _, high in known]
    lower = [(x(games), y(-inf if low is None else low)) for games, _, low, _ in known]
    (first, was, _, _), (last, rating, low, high) = known[0], known[-1]
    at_end = f"{format_number(rating)} ({format_bounds(low, high)}) after {format_number(last)}"
    words = f"rating {format_number(was)} after {format_number(first)} games, {at_end}"
    return Panel(name, draw_path(line), draw_path([*upper, *reversed(lower)]) + "Z", line[-1], words)


def _estimate(row: Rating) -> tuple[float, float | None, float | None]:
    return row.rating, row.interval.low, row.interval.high


def draw_path(points: Sequence[Point]) -> str:
    """Return points as an SVG path of straight lines."""
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
