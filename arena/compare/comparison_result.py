"""What came of a comparison, as values: the answer, how sure it is, what was played, who failed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from arena.compare.estimate import Estimate
from arena.compare.scores import CostlyGame
from arena.compare.sequential import ComparisonMode, ComparisonQuestion, ScoreSummary, SequentialVerdict


class ResultCode(StrEnum):
    """The answer, in a word for machines."""

    BETTER = "better"
    NOT_BETTER = "not_better"
    NOT_WORSE = "not_worse"
    WORSE = "worse"
    SAME = "same"
    DIFFERENT = "different"
    """The candidate is better or worse, where it was asked whether both are the same."""
    UNDECIDED = "undecided"
    """At the end of the budget."""
    NOT_STARTED = "not_started"
    """A program that cannot be run, or ended before it connected."""
    SILENT = "silent"
    """It did not connect in time."""
    OTHER_GAME = "other_game"
    """It does not play these rules."""
    CRASHED = "crashed"
    """It ended by itself again and again."""
    FAULTS = "faults"
    """More late, illegal or missing answers of the candidate than allowed."""
    UNSTEADY = "unsteady"
    """The machine took the time of bots again and again."""


_CODES_BY_MODE: Final = {
    ComparisonMode.BETTER: (ResultCode.BETTER, ResultCode.NOT_BETTER),
    ComparisonMode.NOT_WORSE: (ResultCode.NOT_WORSE, ResultCode.WORSE),
    ComparisonMode.SAME: (ResultCode.SAME, ResultCode.DIFFERENT),
}
"""What yes and no are called."""


def code_for_verdict(question: ComparisonQuestion, verdict: SequentialVerdict) -> ResultCode:
    """Name a verdict."""
    if verdict is SequentialVerdict.OPEN:
        return ResultCode.UNDECIDED
    yes, no = _CODES_BY_MODE[question.mode]
    return yes if verdict is SequentialVerdict.YES else no


@dataclass(frozen=True, slots=True)
class RoleConduct:
    """How one side answered, in the games that count."""

    decisions: int = 0
    """Those that counted."""
    faults: Mapping[str, int] = field(default_factory=dict)
    """By kind: late, illegal, missing, gone; without those of the machine, whose blocks are void."""

    @property
    def fault_count(self) -> int:
        """All of them."""
        return sum(self.faults.values())

    @property
    def asked_count(self) -> int:
        """How many decisions were asked for."""
        return self.decisions + self.fault_count

    @property
    def fault_share(self) -> float:
        """Of all that was asked, 0 to 1."""
        return self.fault_count / max(1, self.asked_count)


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """A comparison that is over, or how it stands."""

    code: ResultCode
    games: int
    """That count."""
    seconds: float
    """Of play."""
    evidence: ScoreSummary | None = None
    """None: no whole batch of blocks is over."""
    estimate: Estimate | None = None
    """Made in the end."""
    candidate: RoleConduct = RoleConduct()
    baseline: RoleConduct = RoleConduct()
    voids: int = 0
    """Blocks that were void, and played again."""
    spared: int = 0
    """Those of them in which it was the candidate's time that the machine took."""
    losses: tuple[CostlyGame, ...] = ()
    """The games that cost the candidate most."""
    reason: str = ""
    """Who failed, and how; empty: nobody."""
