"""What came of a comparison, as values: the answer, how sure it is, what was played, who failed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from arena.compare.estimate import Estimate
from arena.compare.scores import Loss
from arena.compare.sequential import Evidence, Question, Verdict


class Code(StrEnum):
    """The answer, in a word for machines."""

    BETTER = "better"
    NOT_BETTER = "not_better"
    NOT_WORSE = "not_worse"
    WORSE = "worse"
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


def code_of(question: Question, verdict: Verdict) -> Code:
    """Name a verdict."""
    match verdict:
        case Verdict.YES:
            return Code.BETTER if question.low == 0 else Code.NOT_WORSE
        case Verdict.NO:
            return Code.NOT_BETTER if question.low == 0 else Code.WORSE
        case Verdict.OPEN:
            return Code.UNDECIDED


@dataclass(frozen=True, slots=True)
class Conduct:
    """How one side answered, in the games that count."""

    decisions: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)
    """By kind: late, illegal, missing, gone; without those of the machine, whose blocks are void."""

    @property
    def fault_count(self) -> int:
        """All of them."""
        return sum(self.faults.values())


@dataclass(frozen=True, slots=True)
class Finding:
    """A comparison that is over, or how it stands."""

    code: Code
    games: int
    """That count."""
    seconds: float
    """Of play."""
    evidence: Evidence | None = None
    """None: no block is over."""
    estimate: Estimate | None = None
    candidate: Conduct = Conduct()
    baseline: Conduct = Conduct()
    voids: int = 0
    """Blocks that were void, and played again."""
    losses: tuple[Loss, ...] = ()
    """The games that cost the candidate most."""
    reason: str = ""
    """Who failed, and how; empty: nobody."""
