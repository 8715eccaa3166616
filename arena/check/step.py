"""One step of a check: a table, an interference, and what must have happened at the end."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from arena.check.conduct import Conduct
from arena.check.findings import Finding
from arena.check.interference import Interference


class Verdict(StrEnum):
    """The result of a step."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_REACHED = "not reached"
    """The games went by without the event that the step waits for, so nothing is known."""
    SKIPPED = "skipped"
    """The bot does not play this game, or the step was not asked for."""


@dataclass(frozen=True, slots=True)
class CheckTable:
    """A table at which the checked bot plays with house bots."""

    game: str = "cheat"
    preset: str = "standard"
    options: Mapping[str, str] = field(default_factory=dict)
    style: str = "sealed"
    pace: Mapping[str, int] = field(default_factory=dict)
    """Settings of the pace that differ from the style's defaults."""
    seats: int = 3
    games: int = 1
    matches: int = 1
    """Matches at the same time."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step in which the bot plays."""

    name: str
    title: str
    """What the bot has to do, as a sentence without its full stop."""
    make_interference: Callable[[Conduct], Interference] = Interference
    table: CheckTable = field(default_factory=CheckTable)
    awaited: str = ""
    """The event without which the step is not reached; empty if a finished match is enough."""
    leaver: bool = False
    """Whether a house bot leaves in the first game."""
    is_stopped: bool = False
    """Whether the bot has to stop by itself in the middle of the match."""


@dataclass(frozen=True, slots=True)
class ExitStep:
    """A step in which the bot cannot play, and has to say why and stop."""

    name: str
    title: str
    fault: str
    """What is wrong with the bot's settings or with the server; a name that `CheckLab` knows."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What came of a step."""

    step: Step | ExitStep
    verdict: Verdict
    findings: Sequence[Finding] = ()
    note: str = ""
    """Why the step was not reached or was skipped."""
    seconds: float = 0.0
