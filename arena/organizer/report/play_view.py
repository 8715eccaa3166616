"""The values that a report shows about the bots' play: bluffs and calls, faults with their causes, and incidents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

from arena.match.referee.facts import StrikeKind
from arena.match.referee.strike_record import Culprit, ResponseTimes
from arena.replays.analytics.bot_figures import Ratio


@dataclass(frozen=True, slots=True)
class BotPlay:
    """How one bot plays, in the figures of its game, such as bluffs and calls."""

    name: str
    figures: Mapping[str, Ratio] = field(default_factory=dict, hash=False)
    """Figures by name, such as `lies`. `play_columns` has their headings."""
    bands: Mapping[str, Mapping[str, Ratio]] = field(default_factory=dict, hash=False)
    """For each property, such as `lies_by_rank`, the shares by value of the property, in the order of the values."""
    luck: float | None = None
    """Mean luck of the bot's hands, in the game's unit. A hand as good as the mean of its deal has luck 0."""
    luck_error: float | None = None
    """Standard error of `luck`."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Incident:
    """A program's crash, restart or failed start."""

    name: str
    at: float
    """Seconds since 1970."""
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
