"""How the bots of a league play, and what they did wrong: the values that a report shows, with headings and formats."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields
from typing import Final

from arena.games.catalogue import pack_of
from arena.ids import WallTime
from arena.match.referee.facts import StrikeKind
from arena.match.referee.strike_record import Culprit, ResponseTimes
from arena.match.value_class import value_class
from arena.organizer.report.number_format import format_milliseconds, format_number, format_percent
from arena.replays.analytics.bot_figures import Ratio, figure_rows
from arena.replays.analytics.collusion_screen import PairEvidence
from arena.replays.analytics.counts import AnalyticsTotals


@value_class()
class BotPlay:
    """How one bot plays, in the figures of its game, such as bluffs and calls."""

    name: str
    figures: Mapping[str, Ratio] = field(default_factory=dict, hash=False)
    """Figures by name, such as `lies`. `play_column` has their headings."""
    bands: Mapping[str, Mapping[str, Ratio]] = field(default_factory=dict, hash=False)
    """For each property, such as `lies_by_rank`, the shares by value of the property, in the order of the values."""
    luck: float | None = None
    """Mean luck of the bot's hands, in the game's unit. A hand as good as the mean of its deal has luck 0."""
    luck_error: float | None = None
    """Standard error of `luck`."""


def build_bot_plays(totals: AnalyticsTotals, game: str, names: Iterable[str]) -> list[BotPlay]:
    """Return how each of these bots plays the game with this name, in order. Bots without analytics are left out."""
    figures = pack_of(game).load_analytics().build_figures
    plays = []
    for name in (each for each in names if each in totals.counts):
        known = figures(totals.counts[name])
        singles: dict[str, Ratio] = {}
        bands: dict[str, dict[str, Ratio]] = {}
        for what, band, ratio in figure_rows(known):
            if band:
                bands.setdefault(what, {})[band] = ratio
            else:
                singles[what] = ratio
        plays.append(BotPlay(name, singles, bands, known.play.luck.mean, known.play.luck.error))
    return plays


@value_class()
class StrikeView:
    """A late, illegal or missing answer, explained to the bot's author."""

    name: str
    match_id: str
    turn: int
    kind: StrikeKind
    sentence: str
    """The prompt, the answer and the culprit, in words."""
    times: ResponseTimes
    culprit: Culprit | None
    """The main cause; None if it is unknown."""

    @property
    def culprit_name(self) -> str:
        """The culprit in a word; empty if it is unknown."""
        return "" if self.culprit is None else self.culprit.value

    @property
    def times_ms(self) -> dict[str, float | None]:
        """The parts of the response time by name, in milliseconds. A part is None if it is unknown."""
        times = {each.name: getattr(self.times, each.name) for each in fields(ResponseTimes)}
        return {name.replace("_us", "_ms"): None if us is None else us / 1000 for name, us in times.items()}


@value_class()
class Incident:
    """A program's crash, restart or failed start."""

    name: str
    at: WallTime
    what: str
    detail: str = ""
    """Details, such as the last lines of the program's output."""


def figure_names(play: Sequence[BotPlay]) -> list[str]:
    """Return the names of the figures that any bot has, in the order of first appearance."""
    return list(dict.fromkeys(figure for bot in play for figure in bot.figures))


def band_labels(play: Sequence[BotPlay]) -> dict[str, list[str]]:
    """Return every property with its values, both in the order of first appearance."""
    labels_by_property: dict[str, dict[str, None]] = {}
    for bot in play:
        for by, shares in bot.bands.items():
            labels_by_property.setdefault(by, {}).update(dict.fromkeys(shares))
    return {by: list(labels) for by, labels in labels_by_property.items()}


@value_class()
class PlayColumn:
    heading: str
    form: str = "share"
    """The format: `share` (of 1), `mean` or `seconds`."""
    short: str = ""
    """The heading in the narrow table of a terminal; empty if that table leaves the figure out."""

    def write(self, share: Ratio) -> str:
        match self.form:
            case "share":
                return format_percent(share.value)
            case "seconds":
                return format_milliseconds(None if share.value is None else 1000 * share.value)
            case _:
                return format_number(share.value, 2)


@value_class()
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
    return PLAY_COLUMNS.get(figure) or PlayColumn(figure, "mean", figure)


def band_heading(by: str) -> tuple[str, str]:
    """Return the heading of a shaded table and what its percentages measure."""
    return BAND_HEADINGS.get(by) or (by, by)


def collusion_values(evidence: PairEvidence) -> Mapping[str, str | float]:
    """Return the values of a pair by column, with both directions added up. `p_value` is corrected for all pairs."""
    one, other = evidence.directions
    return {
        "first": one.caller,
        "second": one.accused,
        "chances": one.chances + other.chances,
        "taken": one.taken + other.taken,
        "expected": one.expected + other.expected,
        "p_value": evidence.p_of_all,
        "evidence": f"{one.caller} on {one.accused}: {one.taken:g} of {one.expected:.1f} expected;"
        f" {other.caller} on {other.accused}: {other.taken:g} of {other.expected:.1f}; together"
        f" {evidence.ratio:.2f} of what was to be expected, z = {evidence.z:.1f}",
    }
