"""One step of a check: a table, an interference, what must have happened at the end, and how that is judged."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from arena.author.check.conduct import Conduct
from arena.author.check.findings import Finding
from arena.author.check.interference import Interference
from arena.bots.launch.process import BotProcess
from arena.games.pack import GamePack


class Verdict(StrEnum):
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


ENOUGH_SILENT_STEPS: Final = 2
"""After this many steps without a stream, a check stops waiting for the bot."""


def judge(step: Step | ExitStep, conduct: Conduct, interference: Interference, skip_reason: str = "") -> StepResult:
    """Return the result of a step; `skip_reason` is why the bot could not play in it, if it could not."""
    if skip_reason:
        return StepResult(step, Verdict.SKIPPED, note=skip_reason)
    if conduct.findings:
        return StepResult(step, Verdict.FAILED, tuple(conduct.findings), is_silent=not conduct.opened_at)
    if interference.skip_reason:
        return StepResult(step, Verdict.SKIPPED, note=interference.skip_reason)
    if isinstance(step, Step) and (missed := _what_was_missed(step, conduct, interference)):
        return StepResult(step, Verdict.NOT_REACHED, note=missed)
    return StepResult(step, Verdict.PASSED)


def silent_bot_result(step: Step | ExitStep, results: Sequence[StepResult]) -> StepResult | None:
    """Return the result of a step without running it, if the earlier results show that the bot never connects."""
    playing = [each for each in results if isinstance(each.step, Step) and each.verdict is not Verdict.NOT_REACHED]
    if len(playing) < ENOUGH_SILENT_STEPS or not all(result.is_silent for result in playing):
        return None
    names = " and ".join(result.step.name for result in playing)
    return StepResult(step, Verdict.NOT_REACHED, note=f"the bot opened no stream in the steps {names}")


def _what_was_missed(step: Step, conduct: Conduct, interference: Interference) -> str:
    """Return what the step waited for in vain; empty if it was reached."""
    if step.awaited and not interference.happened:
        return step.awaited
    missing = [feature for feature in step.features if feature not in conduct.features]
    return f"in these games the bot never got {', '.join(missing)}" if missing else ""
