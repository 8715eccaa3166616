"""What the figures of play are called and how they are written; others are shown by their own name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from arena.report.figures import milliseconds, number, percent
from arena.report.play_view import Share


@dataclass(frozen=True, slots=True)
class Measure:
    """A column of the table of play."""

    heading: str
    form: str = "share"
    """`share` of 1, `mean`, `seconds`."""

    def write(self, share: Share) -> str:
        """Write a value."""
        match self.form:
            case "share":
                return percent(share.value)
            case "seconds":
                return milliseconds(None if share.value is None else 1000 * share.value)
            case _:
                return number(share.value, 2)


@dataclass(frozen=True, slots=True)
class Picture:
    """Two figures of each bot against each other; both are shares."""

    caption: str
    across: str
    up: str


MEASURES: Final[Mapping[str, Measure]] = {
    "lies": Measure("Claims that lie"),
    "lies_called": Measure("Lies called"),
    "truths_called": Measure("True moves called"),
    "precision": Measure("Calls that are right (precision)"),
    "recall": Measure("Lies it found (recall)"),
    "cards_a_wrong_call": Measure("Cards a wrong call costs", "mean"),
    "cards_a_right_call": Measure("Cards a right call gives", "mean"),
    "attacks": Measure("Turns with an attack"),
    "hides": Measure("Attacks it hid from"),
    "cards_an_attack": Measure("Cards won, an attack", "mean"),
    "cards_lost": Measure("Cards lost, a game", "mean"),
    "markers": Measure("Times CHEATER, a game", "mean"),
    "think_s": Measure("Think time a decision", "seconds"),
}

BANDS: Final[Mapping[str, tuple[str, str]]] = {
    "lies_by_rank": ("How often it lies, by claimed rank", "claims that are lies"),
    "lies_by_count": ("How often it lies, by cards claimed", "claims that are lies"),
    "lies_by_pile": ("How often it lies, by cards on the pile", "claims that are lies"),
    "attacks_by_kind": ("How it attacks", "its attacks that are of this kind"),
    "hidden_by_kind": ("How often its attacks fail", "its attacks of this kind from which the victim hid"),
}
"""Heading of a shaded table, and what its percentages are of."""

PICTURES: Final = (
    Picture("Who bluffs, and who gets away with it.", "lies", "lies_called"),
    Picture("Who sees through a bluff.", "recall", "precision"),
    Picture("Who attacks, and who hides.", "attacks", "hides"),
)


def measure_of(figure: str) -> Measure:
    """What is known of a figure."""
    return MEASURES.get(figure) or Measure(figure, "mean")


def band_words(by: str) -> tuple[str, str]:
    """What is known of a shaded table."""
    return BANDS.get(by) or (by, by)
