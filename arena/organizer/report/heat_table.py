"""Large tables whose cells are shaded by value.

Shades are named steps. The style sheet turns them into colours that suit light screens, dark screens and paper.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from arena.organizer.report.number_format import format_percent, format_percent_cell
from arena.organizer.report.play_view import BotPlay
from arena.organizer.report.view import Matrix
from arena.replays.analytics.bot_figures import Ratio

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
