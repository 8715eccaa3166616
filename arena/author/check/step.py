"""One step of a check: a table, an interference, and what must have happened at the end."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from arena.author.check.conduct import Conduct
from arena.author.check.findings import Finding
from arena.author.check.interference import Interference
from arena.bots.launch.process import BotProcess
from arena.games.pack import GamePack


class Verdict(StrEnum):
    """The result of a step."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_REACHED = "not reached"
    """The games went by without the event that the step waits for, so nothing is known."""
    SKIPPED = "skipped"
    """The bot says that it does not play what the step needs, so nothing is tested."""
    NOT_STARTED = "not started"
    """A process could not be started, so nothing is known, and no further step runs."""


@dataclass(frozen=True, slots=True)
class CheckTable:
    """A table at which the checked bot plays with house bots."""

    game: str = ""
    """The game; empty for the first game that the bot lists."""
    preset: str = ""
    """The preset; empty for the game's first one."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options in addition to those that make the game short."""
    style: str = "sealed"
    pace: Mapping[str, int] = field(default_factory=dict)
    """Settings of the pace that differ from the style's defaults."""
    seats: int = 3
    games: int = 1
    matches: int = 1
    """Matches at the same time."""
    is_tiny: bool = False
    """Whether a game is over after a few turns."""

    def for_game(self, pack: GamePack) -> "CheckTable":
        """Return the table for a game, with the options that make its games short."""
        rules = pack.check_rules
        options = {**(rules.tiny if self.is_tiny else rules.short), **self.options}
        preset = self.preset or pack.game.presets[0]
        return replace(self, game=pack.game.name, preset=preset, options=options)


@dataclass(frozen=True, slots=True)
class Step:
    """A step in which the bot plays."""

    name: str
    title: str
    """What the bot has to do, as a sentence without its full stop."""
    make_interference: Callable[[Conduct], Interference] = Interference
    table: CheckTable = field(default_factory=CheckTable)
    awaited: str = ""
    """Why the step is not reached if the interference has waited in vain; empty if a finished match is enough."""
    features: Sequence[str] = ()
    """What the bot has to get for the step to be reached; see `features_of`."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the bot's process gets in addition to its own."""
    has_leaver: bool = False
    """Whether a house bot leaves in the first game."""
    has_to_finish: bool = False
    """Whether the bot gets SIGINT in the middle of the match, and has to end after it."""
    has_to_stop: bool = False
    """Whether the bot has to stop by itself in the middle of the match."""


@dataclass(frozen=True, slots=True)
class ExitStep:
    """A step in which the bot has to say why it stops, mostly because it cannot play."""

    name: str
    title: str
    check_end: Callable[[Conduct, BotProcess], Awaitable[None]]
    """Waits for the bot's end, and reports to the conduct what is wrong with it."""
    make_interference: Callable[[Conduct], Interference] = Interference
    token: str = ""
    """The bot's token; empty for a valid one."""
    has_server: bool = True
    """Whether anybody listens at the address that the bot gets."""
    uses_tls: bool = False
    """Whether the bot is told to use TLS. The port speaks plaintext."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step has shown."""

    step: Step | ExitStep
    verdict: Verdict
    findings: Sequence[Finding] = ()
    note: str = ""
    """Why the step was not reached, was skipped, or could not be started."""
    is_silent: bool = False
    """Whether the bot opened no stream."""
    seconds: float = 0.0
    output: Path | None = None
    """The file with the output of the bot's process."""
