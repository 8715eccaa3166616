"""The result of a comparison: the answer, its evidence, the games played, and which role failed."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Final

from arena.competition.compare.estimate import Estimate
from arena.competition.compare.scores import CostlyGame
from arena.competition.compare.sequential import ComparisonMode, ComparisonQuestion, ScoreSummary, SequentialVerdict
from arena.competition.compare.trend import Trend
from arena.match.referee.game_lengths import GameLengths
from arena.match.value_class import value_class
from arena.plurals import format_count


class ResultCode(StrEnum):
    """The answer as one word, for programs."""

    BETTER = "better"
    NOT_BETTER = "not_better"
    NOT_WORSE = "not_worse"
    WORSE = "worse"
    SAME = "same"
    DIFFERENT = "different"
    """In mode `same`: the candidate is better or worse."""
    UNDECIDED = "undecided"
    """The budget ended before the test decided."""
    ROUGH = "rough"
    """No test was made: there is only an estimate from a short run."""
    NOT_STARTED = "not_started"
    """A program cannot be run, or ended before it connected."""
    SILENT = "silent"
    """A program did not connect in time."""
    OTHER_GAME = "other_game"
    """A program does not play these rules."""
    CRASHED = "crashed"
    """A program kept ending by itself."""
    FAULTS = "faults"
    """The candidate had more late, illegal or missing answers than allowed."""
    UNSTEADY = "unsteady"
    """The machine took time from bots so often that nothing can be judged."""


_CODES_BY_MODE: Final = {
    ComparisonMode.BETTER: (ResultCode.BETTER, ResultCode.NOT_BETTER),
    ComparisonMode.NOT_WORSE: (ResultCode.NOT_WORSE, ResultCode.WORSE),
    ComparisonMode.SAME: (ResultCode.SAME, ResultCode.DIFFERENT),
}


def code_for_verdict(question: ComparisonQuestion, verdict: SequentialVerdict) -> ResultCode:
    """Return the code of a verdict in the mode of the question."""
    if verdict is SequentialVerdict.OPEN:
        return ResultCode.UNDECIDED
    yes, no = _CODES_BY_MODE[question.mode]
    return yes if verdict is SequentialVerdict.YES else no


@value_class()
class RoleConduct:
    """How one role answered in the games that count."""

    decisions: int = 0
    """Number of decisions that counted."""
    faults: Mapping[str, int] = field(default_factory=dict)
    """Faults by kind: late, illegal, missing, gone. Faults that the machine caused are left out, because their blocks
    are void."""

    @property
    def fault_count(self) -> int:
        return sum(self.faults.values())

    @property
    def asked_count(self) -> int:
        """Return how many decisions the role was asked for."""
        return self.decisions + self.fault_count

    @property
    def fault_share(self) -> float:
        """Return the share of faults among the decisions asked for, 0 to 1."""
        return self.fault_count / max(1, self.asked_count)


@value_class()
class PlayedGames:
    """All finished games of a comparison, also those that do not count because their block is not complete."""

    blocks: int = 0
    """Number of complete blocks. A block counts here only if all blocks before it are complete too."""
    lengths: GameLengths = field(default_factory=GameLengths)

    @property
    def games(self) -> int:
        return self.lengths.game_count

    def describe(self, wanted_blocks: int | None = None) -> str:
        """Return the numbers of games and blocks in words. `wanted_blocks` is the number of blocks to wait for.

        >>> PlayedGames(0, GameLengths(40)).describe(12), PlayedGames(1, GameLengths(8)).describe()
        ('40 games played, 0 of 12 blocks complete', '8 games played, 1 block complete')
        """
        blocks = (
            format_count(self.blocks, "block") if wanted_blocks is None else f"{self.blocks} of {wanted_blocks} blocks"
        )
        return f"{format_count(self.games, 'game')} played, {blocks} complete"


@value_class()
class ComparisonResult:
    """The result of a comparison. While the comparison runs, this is the result so far."""

    code: ResultCode
    games: int
    """Number of games that count."""
    seconds: float
    """Seconds of play."""
    evidence: ScoreSummary | None = None
    """None until a whole batch of blocks is over."""
    attempts: ScoreSummary | None = None
    """The same with the void attempts at these blocks counted as played; None if no attempt was void."""
    estimate: Estimate | None = None
    """None until the comparison ends."""
    candidate: RoleConduct = RoleConduct()
    baseline: RoleConduct = RoleConduct()
    voids: int = 0
    """Number of void attempts at blocks. These blocks were played again."""
    spared: int = 0
    """Number of void attempts in which the machine took time from the candidate."""
    losses: tuple[CostlyGame, ...] = ()
    """The most costly games of the candidate, the worst first."""
    reason: str = ""
    """Which role failed and how; empty if no role failed."""
    first_look_games: int = 0
    """Number of games before the first look of the sequential test; 0 if no test is made."""
    played: PlayedGames = PlayedGames()
    """All games that were played, among them those that count."""
    is_by_interval: bool = False
    """Whether the budget ended before the test decided, and the answer is no because of the interval."""
    trend: Trend | None = None
    """The trend of the scores from block to block; None if there is none that chance does not explain."""
    baseline_share: float | None = None
    """The share of its opponents that the baseline beats, 0 to 1; None until a whole batch of blocks is over."""
    points: Estimate | None = None
    """The estimate in rating points against the field; None if there is no estimate."""

    @property
    def is_verdict(self) -> bool:
        """Return whether the answer is yes or no."""
        return any(self.code in codes for codes in _CODES_BY_MODE.values())

    @property
    def has_no_look(self) -> bool:
        """Return whether the budget ended before the first look of the sequential test."""
        is_at_end = self.code is ResultCode.UNDECIDED or self.is_by_interval
        return is_at_end and self.games < self.first_look_games

    @property
    def has_too_few_games(self) -> bool:
        """Return whether there is no answer because the budget ended before the first look."""
        return self.has_no_look and not self.is_by_interval


@value_class()
class ComparisonProgress:
    finding: ComparisonResult
    """The result so far, from whole batches of blocks."""
    decisions: int
    """Number of decisions that the bots at all tables have made in this run."""
    limit_s: float | None = None
    """Seconds of play after which the comparison ends; None if there is no such limit."""
