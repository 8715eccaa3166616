"""Charts of the report: intervals as marks on one scale, scatter plots of two shares, and large tables shaded by value.

Shades are named steps. The style sheet turns them into colours that suit light screens, dark screens and paper.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, isfinite, log10
from typing import Final

from arena.organizer.report.number_format import format_percent, format_percent_cell
from arena.organizer.report.play_view import BotPlay, ScatterSpec, play_column
from arena.organizer.report.view import Matrix
from arena.replays.analytics.bot_figures import Ratio


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values between `low` and `high` to coordinates between `start` and `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the coordinate of a value, rounded to a tenth. A value outside the range is put on the edge."""
        inside = min(self.high, max(self.low, value))  # this order puts NaN on the edge too
        share = (inside - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return round(self.start + share * (self.end - self.start), 1)


_MARGIN: Final = 0.04


def padded_range(values: Iterable[float | None]) -> tuple[float, float]:
    """Return a range that includes all values, with some room at both ends. Without values, the range is 0 to 1.

    >>> padded_range([2.0, None, 12.0])
    (1.6, 12.4)
    """
    known = [value for value in values if value is not None and isfinite(value)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    room = (high - low) * _MARGIN or abs(high) * _MARGIN or 1.0
    return low - room, high + room


def tick_values(low: float, high: float, count: int = 4) -> list[float]:
    """Return about `count` round numbers within a range.

    >>> tick_values(0, 1), tick_values(1381, 1622, 3)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [1400.0, 1500.0, 1600.0])
    """
    if not high > low:
        return [low]
    raw = (high - low) / count
    power: float = 10.0 ** floor(log10(raw))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if raw <= size * power * 1.25)
    return [round(step * index, 10) for index in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


_INTERVAL_WIDTH: Final = 260
_EDGE: Final = 14
"""Room for half a tick label."""


@dataclass(frozen=True, slots=True)
class IntervalMark:
    """The mark of one row. Coordinates run from 0 to _INTERVAL_WIDTH."""

    at: float
    low: float
    high: float
    path: str
    """An SVG path with a stroke at each end of the interval. An open end has no stroke."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A position on a scale and the value that is written there."""

    at: float
    value: float


@dataclass(frozen=True, slots=True)
class IntervalChart:
    """The marks of all rows of a table, with their scale."""

    marks: Sequence[IntervalMark | None]
    """A mark for each row, or None if the row has no estimate."""
    ticks: Sequence[Tick]
    middle: float | None
    """The position of the neutral value; None if it is outside the chart."""


Estimate = tuple[float | None, float | None, float | None]
"""A value and the two ends of its interval. None is an unknown value or an open end."""


def build_interval_chart(estimates: Sequence[Estimate], neutral: float) -> IntervalChart:
    """Return a chart of the estimates, with a scale that has room for all of them.

    An interval with an open end reaches the edge of the chart.
    """
    low, high = padded_range(value for estimate in estimates for value in estimate)
    scale = Scale(low, high, _EDGE, _INTERVAL_WIDTH - _EDGE)
    return IntervalChart(
        [_mark(estimate, scale) for estimate in estimates],
        [Tick(scale(value), value) for value in tick_values(low, high)],
        scale(neutral) if low <= neutral <= high else None,
    )


def _mark(estimate: Estimate, scale: Scale) -> IntervalMark | None:
    value, low, high = estimate
    if value is None:
        return None
    ends = "".join(f"M{scale(end):g} 11V19" for end in (low, high) if end is not None)
    return IntervalMark(scale(value), scale(-inf if low is None else low), scale(inf if high is None else high), ends)


LEFT: Final = 46
BOTTOM: Final = 300
_TOP: Final = 10
_RIGHT: Final = 330


@dataclass(frozen=True, slots=True)
class Dot:
    """A bot's point: its coordinates, the bot's number in the table, and its name and figures as the title."""

    x: float
    y: float
    label: str
    title: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """A plot of bots by two percentages."""

    caption: str
    across: str
    up: str
    dots: Sequence[Dot]
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]

    @property
    def radius(self) -> float:
        """The radius of a dot, smaller if there are many."""
        return 8.5 if len(self.dots) <= 24 else 6.5


def build_scatter(play: Sequence[BotPlay], spec: ScatterSpec) -> Scatter | None:
    """Return a plot of the bots whose two figures are known, numbered as in `play`; None if there are none."""
    known = [
        (place, bot, x, y)
        for place, bot in enumerate(play, start=1)
        if (x := bot.figures.get(spec.across, Ratio(0, 0)).value) is not None
        and (y := bot.figures.get(spec.up, Ratio(0, 0)).value) is not None
    ]
    if not known:
        return None
    across, up = (play_column(figure).heading.lower() for figure in (spec.across, spec.up))
    x_scale = _scale([x for _, _, x, _ in known], LEFT, _RIGHT)
    y_scale = _scale([y for _, _, _, y in known], BOTTOM, _TOP)
    return Scatter(
        spec.caption,
        across,
        up,
        [
            Dot(
                x_scale(x),
                y_scale(y),
                str(place),
                f"{bot.name}: {across} {format_percent(x)}, {up} {format_percent(y)}",
            )
            for place, bot, x, y in known
        ],
        [Tick(x_scale(value), value) for value in tick_values(x_scale.low, x_scale.high, 5)],
        [Tick(y_scale(value), value) for value in tick_values(y_scale.low, y_scale.high, 5)],
    )


def _scale(values: Sequence[float], start: float, end: float) -> Scale:
    """Return a scale from zero to the next tenth above the largest value, with room for a dot at the end."""
    return Scale(0.0, min(1.0, max(0.1, (int(max(values) * 10) + 1) / 10)) + 0.02, start, end)


_DIVERGING_STEPS: Final = 4
"""Number of steps on each side of one half."""
_SEQUENTIAL_STEPS: Final = 7
_MIN_CASES: Final = 20
"""A share of fewer cases than this has the shade `faint`."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell: its text, shade and title."""

    text: str
    shade: str
    """d0 to d8 if one half is neutral, s0 to s7 if shades start at zero, `faint` for few cases; empty for no shade."""
    title: str = ""
    """The value in words, shown when the reader points at the cell."""


@dataclass(frozen=True, slots=True)
class HeatRow:
    """An entrant's name and its row of cells."""

    name: str
    cells: Sequence[HeatCell]


@dataclass(frozen=True, slots=True)
class HeatTable:
    """A shaded table. Each column has a short label and its meaning."""

    columns: Sequence[tuple[str, str]]
    rows: Sequence[HeatRow]

    @property
    def size(self) -> str:
        """The number of columns in a word, for the style sheet: `few`, `some` or `many`."""
        return "few" if len(self.columns) <= 16 else "some" if len(self.columns) <= 32 else "many"


def diverging_shade(value: float | None) -> str:
    """Return the shade of a share for which one half is neutral: d0 for 0, d4 for one half, d8 for 1.

    >>> diverging_shade(0.0), diverging_shade(0.5), diverging_shade(1.0), diverging_shade(None)
    ('d0', 'd4', 'd8', '')
    """
    return "" if value is None else f"d{round(min(max(value, 0.0), 1.0) * 2 * _DIVERGING_STEPS)}"


def sequential_shade(value: float | None, most: float) -> str:
    """Return the shade of a share: s0 for 0, s7 for `most` or more.

    >>> sequential_shade(0.0, 0.4), sequential_shade(0.4, 0.4), sequential_shade(None, 1.0)
    ('s0', 's7', '')
    """
    return "" if value is None else f"s{round(min(value / most, 1.0) * _SEQUENTIAL_STEPS) if most > 0 else 0}"


def pairwise_table(names: Sequence[str], matrix: Matrix, describe_cell: Callable[[int, int, str], str]) -> HeatTable:
    """Return a table of all pairs. `describe_cell` returns a cell's title, given its row, column and percentage."""

    def cell(row: int, column: int) -> HeatCell:
        value = None if row == column else matrix[row][column]
        return HeatCell(
            format_percent_cell(value),
            diverging_shade(value),
            "" if value is None else describe_cell(row, column, format_percent(value)),
        )

    places = range(len(names))
    return HeatTable(
        [(str(place + 1), names[place]) for place in places],
        [HeatRow(names[row], [cell(row, column) for column in places]) for row in places],
    )


def shares_table(play: Sequence[BotPlay], by: str, labels: Sequence[str]) -> HeatTable:
    """Return a table of each bot's shares by a property such as `lies_by_rank`, with a column for each label."""
    shares = [[bot.bands.get(by, {}).get(label, Ratio(0, 0)) for label in labels] for bot in play]
    most = max((share.value or 0.0 for row in shares for share in row if share.of >= _MIN_CASES), default=1.0)
    rows = zip(play, shares, strict=True)
    return HeatTable(
        [(label, label) for label in labels],
        [HeatRow(bot.name, [_share_cell(share, most) for share in row]) for bot, row in rows],
    )


def _share_cell(share: Ratio, most: float) -> HeatCell:
    shade = sequential_shade(share.value, most) if share.of >= _MIN_CASES else "faint"
    return HeatCell(format_percent_cell(share.value), shade, f"{share.amount:g} of {share.of:g}" if share.of else "")
