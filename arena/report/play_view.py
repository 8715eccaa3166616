"""How bots played and what went wrong, as a report tells it: bluffs and calls, faults with their blame, flags."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Share:
    """So much of so many: a share or a mean."""

    amount: float = 0
    of: float = 0

    @property
    def value(self) -> float | None:
        """The ratio; None of nothing."""
        return self.amount / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class BotPlay:
    """How one bot bluffs and calls, or whatever else its game is about."""

    name: str
    figures: Mapping[str, Share] = field(default_factory=dict, hash=False)
    """By what they are of, such as `lies`; `play_words` says what it knows of them."""
    bands: Mapping[str, Mapping[str, Share]] = field(default_factory=dict, hash=False)
    """Figures by a property, such as `lies_by_rank`, and its values in their order; all shares."""
    luck: float | None = None
    """Of the deals, mean, in the unit of the game's measure; 0 is the mean of each deal."""
    luck_error: float | None = None
    """Standard error of that mean."""


@dataclass(frozen=True, slots=True)
class Blame:
    """Where the time of a late or missing answer went, milliseconds; None: not known."""

    bot_ms: float | None = None
    queue_ms: float | None = None
    """In the bot's own queue."""
    wire_ms: float | None = None
    server_ms: float | None = None
    loop_lag_ms: float | None = None
    """Of the node's loop at that moment."""
    core_wait_ms: float | None = None
    """How long the bot had waited for a processor."""
    culprit: str = ""
    """bot, host, wire or connection; empty: nobody can tell."""


@dataclass(frozen=True, slots=True)
class StrikeView:
    """A late, illegal or missing answer, explained to its author."""

    name: str
    match_id: str
    turn: int | None
    kind: str
    """late, illegal, missing, gone."""
    sentence: str
    """The prompt, what came, and whose fault it was."""
    blame: Blame = Blame()


@dataclass(frozen=True, slots=True)
class Incident:
    """A program that crashed, was started again or could not start."""

    name: str
    at: float
    """Seconds since 1970."""
    what: str
    detail: str = ""
    """Such as the last lines that it wrote."""


@dataclass(frozen=True, slots=True)
class Collusion:
    """A pair that called or attacked each other less often than the deals explain: a flag, not a verdict."""

    first: str
    second: str
    chances: float
    """To call one another, or to attack where that is what the game is about."""
    taken: float
    """Calls or attacks."""
    expected: float
    """How many of them the deals explain."""
    p_value: float
    """After correction for the number of pairs."""
    evidence: str = ""


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
