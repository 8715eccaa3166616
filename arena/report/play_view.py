"""How bots played and what went wrong, as a report shows it: bluffs and calls, faults with their blame, incidents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

from arena.analytics.bot_figures import Ratio
from arena.match.facts import StrikeKind
from arena.match.strike_record import Culprit, ResponseTimes


@dataclass(frozen=True, slots=True)
class BotPlay:
    """How one bot bluffs and calls, or whatever else its game is about."""

    name: str
    figures: Mapping[str, Ratio] = field(default_factory=dict, hash=False)
    """By what they are of, such as `lies`; `play_words` says what it knows of them."""
    bands: Mapping[str, Mapping[str, Ratio]] = field(default_factory=dict, hash=False)
    """Figures by a property, such as `lies_by_rank`, and its values in their order; all shares."""
    luck: float | None = None
    """Of the deals, mean, in the unit of the game's measure; 0 is the mean of each deal."""
    luck_error: float | None = None
    """Standard error of that mean."""


@dataclass(frozen=True, slots=True)
class StrikeView:
    """A late, illegal or missing answer, explained to its author."""

    name: str
    match_id: str
    turn: int
    kind: StrikeKind
    sentence: str
    """The prompt, what came, and whose fault it was."""
    times: ResponseTimes
    culprit: Culprit | None
    """Who or what the time went to; None: nobody can tell."""

    @property
    def culprit_name(self) -> str:
        """The culprit in a word; empty: nobody can tell."""
        return "" if self.culprit is None else self.culprit.value

    @property
    def times_ms(self) -> dict[str, float | None]:
        """Where the time of the answer went, by name, milliseconds; None: not known."""
        times = {each.name: getattr(self.times, each.name) for each in fields(ResponseTimes)}
        return {name.replace("_us", "_ms"): None if us is None else us / 1000 for name, us in times.items()}


@dataclass(frozen=True, slots=True)
class Incident:
    """A program that crashed, was started again or could not start."""

    name: str
    at: float
    """Seconds since 1970."""
    what: str
    detail: str = ""
    """Such as the last lines that it wrote."""


def figure_names(play: Sequence[BotPlay]) -> list[str]:
    """Every figure that some bot has, in the order of the first that has it."""
    return list(dict.fromkeys(figure for bot in play for figure in bot.figures))


def band_labels(play: Sequence[BotPlay]) -> dict[str, list[str]]:
    """Every property with its values, in the order of the first bot that has them."""
    found: dict[str, dict[str, None]] = {}
    for bot in play:
        for by, shares in bot.bands.items():
            found.setdefault(by, {}).update(dict.fromkeys(shares))
    return {by: list(labels) for by, labels in found.items()}
