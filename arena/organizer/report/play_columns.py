"""The headings and formats of the figures of play. The heading of a figure that is not listed here is its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from arena.organizer.report.number_format import format_milliseconds, format_number, format_percent
from arena.replays.analytics.bot_figures import Ratio


@dataclass(frozen=True, slots=True)
class PlayColumn:
    """A column of the table of play."""

    heading: str
    form: str = "share"
    """The format: `share` (of 1), `mean` or `seconds`."""
    short: str = ""
    """The heading in the narrow table of a terminal; empty if that table leaves the figure out."""

    def write(self, share: Ratio) -> str:
        """Return a value as text."""
        match self.form:
            case "share":
                return format_percent(share.value)
            case "seconds":
                return format_milliseconds(None if share.value is None else 1000 * share.value)
            case _:
                return format_number(share.value, 2)


@dataclass(frozen=True, slots=True)
class ScatterSpec:
    """The caption of a scatter plot and its two figures, one for each axis. Both figures are shares."""

    caption: str
    across: str
    up: str


PLAY_COLUMNS: Final[Mapping[str, PlayColumn]] = {
    "lies": PlayColumn("Claims that lie", short="lies"),
    "lies_called": PlayColumn("Lies called", short="caught"),
    "truths_called": PlayColumn("True moves called", short="doubted"),
    "precision": PlayColumn("Calls that are right (precision)", short="precision"),
    "recall": PlayColumn("Lies it found (recall)", short="recall"),
    "cards_a_wrong_call": PlayColumn("Cards a wrong call costs", "mean"),
    "cards_a_right_call": PlayColumn("Cards a right call gives", "mean"),
    "attacks": PlayColumn("Turns with an attack", short="attacks"),
    "hides": PlayColumn("Attacks it hid from", short="hides"),
    "cards_an_attack": PlayColumn("Cards won, an attack", "mean", "won"),
    "cards_lost": PlayColumn("Cards lost, a game", "mean", "lost"),
    "markers": PlayColumn("Times CHEATER, a game", "mean", "CHEATER"),
    "think_s": PlayColumn("Think time a decision", "seconds"),
}

BAND_HEADINGS: Final[Mapping[str, tuple[str, str]]] = {
    "lies_by_rank": ("How often it lies, by claimed rank", "claims that are lies"),
    "lies_by_count": ("How often it lies, by cards claimed", "claims that are lies"),
    "lies_by_pile": ("How often it lies, by cards on the pile", "claims that are lies"),
    "attacks_by_kind": ("How it attacks", "its attacks that are of this kind"),
    "hidden_by_kind": ("How often its attacks fail", "its attacks of this kind from which the victim hid"),
}
"""The heading of each shaded table, and what its percentages measure."""

SCATTER_SPECS: Final = (
    ScatterSpec("Who bluffs, and who gets away with it.", "lies", "lies_called"),
    ScatterSpec("Who sees through a bluff.", "recall", "precision"),
    ScatterSpec("Who attacks, and who hides.", "attacks", "hides"),
)


def play_column(figure: str) -> PlayColumn:
    """Return the column of a figure."""
    return PLAY_COLUMNS.get(figure) or PlayColumn(figure, "mean", figure)


def band_heading(by: str) -> tuple[str, str]:
    """Return the heading of a shaded table and what its percentages measure."""
    return BAND_HEADINGS.get(by) or (by, by)
