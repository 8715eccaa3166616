"""How bots played and what went wrong, as a report tells it: bluffs and calls, faults with their blame, flags."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    count: int = 0
    of: int = 0

    @property
    def value(self) -> float | None:
        """From 0 to 1; None of nothing."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class BotInsight:
    """How one bot bluffs and calls."""

    name: str
    lies: Share = Share()
    """Of its claims."""
    lies_called: Share = Share()
    """Of its lies: those that somebody called."""
    precision: Share = Share()
    """Of its calls: those that found a lie."""
    recall: Share = Share()
    """Of the lies that it could have called: those that it called."""
    wrong_call_cost: float | None = None
    """Cards lost by a wrong call, mean."""
    think_ms: float | None = None
    """Mean time of a decision, milliseconds."""
    think_p99_ms: float | None = None
    luck: float | None = None
    """Of the deals, in the deal heuristic's unit; 0 is fair."""
    lies_by: Mapping[str, Mapping[str, Share]] = field(default_factory=dict, hash=False)
    """Lie rate by a property of the claim (`claimed rank`, `cards claimed`, `pile before`) and its value or band; all
    bots have the same ones in the same order."""


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


@dataclass(frozen=True, slots=True)
class Fault:
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
    """A pair that called each other less often than the deals explain: a flag, not a verdict."""

    first: str
    second: str
    chances: int
    """To call one another."""
    calls: int
    expected: float
    """Calls that the deals explain."""
    p_value: float
    """After correction for the number of pairs."""
    evidence: str = ""


def bands_of(insight: Sequence[BotInsight]) -> dict[str, list[str]]:
    """Every property of claims with its values, in the order of the first bot that has them."""
    found: dict[str, dict[str, None]] = {}
    for bot in insight:
        for by, shares in bot.lies_by.items():
            found.setdefault(by, {}).update(dict.fromkeys(shares))
    return {by: list(labels) for by, labels in found.items()}
