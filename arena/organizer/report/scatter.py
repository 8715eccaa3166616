"""Scatter plots: two shares of each bot as a numbered point."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.organizer.report.interval_chart import Tick
from arena.organizer.report.number_format import format_percent
from arena.organizer.report.play_columns import ScatterSpec, play_column
from arena.organizer.report.play_view import BotPlay
from arena.organizer.report.scale import Scale, tick_values
from arena.replays.analytics.bot_figures import Ratio

SIZE: Final = 340
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
    """A plot of two percentages."""

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
