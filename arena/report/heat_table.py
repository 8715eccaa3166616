"""Large tables whose cells are shaded by their value: a picture from afar, figures from near.

Shades are steps with a name that the style sheet turns into colours, so that they suit dark screens and paper too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from arena.analytics.bot_figures import Ratio
from arena.report.number_format import format_percent, format_percent_cell
from arena.report.play_view import BotPlay
from arena.report.view import Matrix

_DIVERGING_STEPS: Final = 4
"""Steps on each side of one half."""
_SEQUENTIAL_STEPS: Final = 7
_MIN_CASES: Final = 20
"""A share of fewer cases has no shade."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A value in a table."""

    text: str
    shade: str
    """d0 to d8 around one half, s0 to s7 from nothing, faint for what rests on few cases; empty: none."""
    title: str = ""
    """The whole sentence."""


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row and the entrant whom it is about."""

    name: str
    cells: Sequence[HeatCell]


@dataclass(frozen=True, slots=True)
class HeatTable:
    """A shaded table; columns have a short label and what it stands for."""

    columns: Sequence[tuple[str, str]]
    rows: Sequence[HeatRow]

    @property
    def size(self) -> str:
        """How much room there is: a few columns, some, or many."""
        return "few" if len(self.columns) <= 16 else "some" if len(self.columns) <= 32 else "many"


def diverging_shade(value: float | None) -> str:
    """The shade of a share that is even at one half: d0 for none, d4 for half, d8 for all.

    >>> diverging_shade(0.0), diverging_shade(0.5), diverging_shade(1.0), diverging_shade(None)
    ('d0', 'd4', 'd8', '')
    """
    return "" if value is None else f"d{round(min(max(value, 0.0), 1.0) * 2 * _DIVERGING_STEPS)}"


def sequential_shade(value: float | None, most: float) -> str:
    """The shade of a share from 0 to `most`.

    >>> sequential_shade(0.0, 0.4), sequential_shade(0.4, 0.4), sequential_shade(None, 1.0)
    ('s0', 's7', '')
    """
    return "" if value is None else f"s{round(min(value / most, 1.0) * _SEQUENTIAL_STEPS) if most > 0 else 0}"


def pairwise_table(names: Sequence[str], matrix: Matrix, say: Callable[[int, int, str], str]) -> HeatTable:
    """Everybody against everybody; `say` gives a cell's sentence for row, column and percentage."""

    def cell(row: int, column: int) -> HeatCell:
        value = None if row == column else matrix[row][column]
        return HeatCell(
            format_percent_cell(value),
            diverging_shade(value),
            "" if value is None else say(row, column, format_percent(value)),
        )

    places = range(len(names))
    return HeatTable(
        [(str(place + 1), names[place]) for place in places],
        [HeatRow(names[row], [cell(row, column) for column in places]) for row in places],
    )


def shares_table(play: Sequence[BotPlay], by: str, labels: Sequence[str]) -> HeatTable:
    """A share of each bot, by the values of a property."""
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
