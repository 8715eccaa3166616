"""Charts of ratings over time: a panel for each entrant to one scale, or a line for each version of a bot."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, TypeVar

from arena.competition.league.rating import Rating
from arena.ids import WallTime
from arena.organizer.report.charts import Scale, Tick, padded_range, tick_values
from arena.organizer.report.number_format import format_bounds, format_number, format_utc_time
from arena.organizer.report.view import RatingMoment

_PANEL_WIDTH: Final = 230
_PANEL_LEFT: Final = 32
_PANEL_BOTTOM: Final = 94
_PANEL_TOP: Final = 6
WIDTH: Final = 720
HEIGHT: Final = 240
LEFT: Final = 58
_RIGHT: Final = WIDTH - 10
TOP: Final = 8
BOTTOM: Final = HEIGHT - 24
_MAX_POINTS: Final = 200
"""The most points of a line."""
_MAX_MOMENTS: Final = 60
"""The largest number of moments that a chart of this size can show apart from each other."""

Point = tuple[float, float]
_Known = tuple[float, float, float | None, float | None]
"""A time or a number of games, the rating then, and its 95 % interval; an unknown end is None."""
_Each = TypeVar("_Each")


@dataclass(frozen=True, slots=True)
class Panel:
    """One entrant's chart. `line` and `band` are SVG paths."""

    name: str
    line: str
    band: str
    end: Point
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
    moments = _thin_out(course, _MAX_MOMENTS)
    if len(moments) < 2:
        return None
    low, high = padded_range(value for moment in moments for row in moment.ratings for value in _estimate(row))
    x = Scale(moments[0].games, moments[-1].games, _PANEL_LEFT, _PANEL_WIDTH - 6)
    y = Scale(low, high, _PANEL_BOTTOM, _PANEL_TOP)
    panels = [panel for name in names if (panel := _build_panel(name, moments, x, y)) is not None]
    return RatingPanels(
        panels,
        "".join(panel.line for panel in panels),
        [Tick(y(value), value) for value in reversed(tick_values(low, high, 3))],
        [Tick(x(moment.games), moment.games) for moment in (moments[0], moments[-1])],
    )


def _build_panel(name: str, moments: Sequence[RatingMoment], x: Scale, y: Scale) -> Panel | None:
    known = [(moment.games, *_estimate(row)) for moment in moments for row in moment.ratings if row.name == name]
    if not known:
        return None
    (first, was, _, _), (last, rating, low, high) = known[0], known[-1]
    at_end = f"{format_number(rating)} ({format_bounds(low, high)}) after {format_number(last)}"
    words = f"rating {format_number(was)} after {format_number(first)} games, {at_end}"
    return Panel(name, *_draw_course(known, x, y), words)


def _estimate(row: Rating) -> tuple[float, float | None, float | None]:
    return row.rating, row.interval.low, row.interval.high


@dataclass(frozen=True, slots=True)
class CoursePoint:
    at: WallTime
    rating: float
    low: float | None
    high: float | None
    """The 95 % interval; an unknown end is None."""


@dataclass(frozen=True, slots=True)
class CourseLine:
    """The line of one version. `line` and `band` are SVG paths."""

    version: str
    line: str
    band: str
    end: tuple[float, float]
    words: str
    """The line in words, for readers who cannot see it."""


@dataclass(frozen=True, slots=True)
class RatingCourse:
    """The lines of all versions, and their scales."""

    lines: Sequence[CourseLine]
    levels: Sequence[Tick]
    """The ticks for ratings."""
    times: Sequence[Tick]
    """The ticks for the first and the last time, in seconds since 1970."""


def build_rating_course(points: Mapping[str, Sequence[CoursePoint]]) -> RatingCourse | None:
    """Return the picture of the points of each version, which are in the order of time; None without any point."""
    every = [point for of_version in points.values() for point in of_version]
    if not every:
        return None
    first, last = min(point.at for point in every), max(point.at for point in every)
    low, high = padded_range(value for point in every for value in (point.rating, point.low, point.high))
    x, y = Scale(first, last, LEFT, _RIGHT), Scale(low, high, BOTTOM, TOP)
    return RatingCourse(
        [
            _build_line(version, _thin_out(of_version, _MAX_POINTS), x, y)
            for version, of_version in points.items()
            if of_version
        ],
        [Tick(y(value), value) for value in tick_values(low, high, 4)],
        [Tick(x(at), at) for at in ((first, last) if last > first else (first,))],
    )


def _build_line(version: str, points: Sequence[CoursePoint], x: Scale, y: Scale) -> CourseLine:
    was, now = points[0], points[-1]
    words = (
        f"rating {format_number(was.rating)} at {format_utc_time(was.at)}, "
        f"{format_number(now.rating)} ({format_bounds(now.low, now.high)}) at {format_utc_time(now.at)}"
    )
    known = ((point.at, point.rating, point.low, point.high) for point in points)
    return CourseLine(version, *_draw_course(known, x, y), words)


def _thin_out(points: Sequence[_Each], most: int) -> Sequence[_Each]:
    """Return at most `most` of the points, evenly spread. The first and the last are always among them."""
    if len(points) <= most:
        return points
    return [points[round(index * (len(points) - 1) / (most - 1))] for index in range(most)]


def _draw_course(points: Iterable[_Known], x: Scale, y: Scale) -> tuple[str, str, Point]:
    """Return the line of the ratings, the band of their intervals, and the point where the line ends."""
    known = list(points)
    line = [(x(at), y(rating)) for at, rating, _, _ in known]
    upper = [(x(at), y(inf if high is None else high)) for at, _, _, high in known]
    lower = [(x(at), y(-inf if low is None else low)) for at, _, low, _ in known]
    return _draw_path(line), _draw_path([*upper, *reversed(lower)]) + "Z", line[-1]


def _draw_path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
