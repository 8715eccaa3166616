"""The course of one bot's rating over time: a line with its interval for each version, all on one scale."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from arena.organizer.report.interval_chart import Tick
from arena.organizer.report.number_format import format_bounds, format_number, format_utc_time
from arena.organizer.report.panels import draw_path
from arena.organizer.report.scale import Scale, padded_range, tick_values

WIDTH: Final = 720
HEIGHT: Final = 240
LEFT: Final = 58
_RIGHT: Final = WIDTH - 10
TOP: Final = 8
BOTTOM: Final = HEIGHT - 24
_MAX_POINTS: Final = 200
"""The most points of a line."""


@dataclass(frozen=True, slots=True)
class CoursePoint:
    """A rating at one time."""

    at: float
    """Seconds since 1970."""
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
    """The point where the line ends."""
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
        [_build_line(version, _thin_out(of_version), x, y) for version, of_version in points.items() if of_version],
        [Tick(y(value), value) for value in tick_values(low, high, 4)],
        [Tick(x(at), at) for at in ((first, last) if last > first else (first,))],
    )


def _build_line(version: str, points: Sequence[CoursePoint], x: Scale, y: Scale) -> CourseLine:
    line = [(x(point.at), y(point.rating)) for point in points]
    upper = [(x(point.at), y(inf if point.high is None else point.high)) for point in points]
    lower = [(x(point.at), y(-inf if point.low is None else point.low)) for point in points]
    was, now = points[0], points[-1]
    words = (
        f"rating {format_number(was.rating)} at {format_utc_time(was.at)}, "
        f"{format_number(now.rating)} ({format_bounds(now.low, now.high)}) at {format_utc_time(now.at)}"
    )
    return CourseLine(version, draw_path(line), draw_path([*upper, *reversed(lower)]) + "Z", line[-1], words)


def _thin_out(points: Sequence[CoursePoint]) -> Sequence[CoursePoint]:
    """Return at most `_MAX_POINTS` of the points, evenly spread, with the first and the last."""
    if len(points) <= _MAX_POINTS:
        return points
    return [points[round(index * (len(points) - 1) / (_MAX_POINTS - 1))] for index in range(_MAX_POINTS)]
