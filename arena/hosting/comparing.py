"""Playing a comparison: looked at after each block, ended when there is an answer, a failure or no budget left."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arena.compare.estimate import estimated
from arena.compare.finding import Code, Finding, code_of
from arena.compare.lanes import BASELINE, CANDIDATE
from arena.compare.scores import costly, in_order, score_of
from arena.compare.sequential import Evidence, Verdict, decided
from arena.hosting.amendments import CLOSED
from arena.hosting.comparison import OpenComparison
from arena.hosting.conductor import Conductor
from arena.hosting.play import gather, plays
from arena.hosting.sides import Sides
from arena.insight.counts import Gathered
from arena.launch.output import last_error
from arena.league.model import BlockResult
from arena.league.ports import VOID, Act
from arena.report.play_view import BotPlay
from arena.store.opening import Store

POLL_S: Final = 0.2
PLAYED: Final = "played"
"""The act that says for how long one was at it."""
EARLY: Final = 10
"""Faults that a candidate has to have before it is stopped for being over the limit in the middle."""
MOST_VOIDS: Final = 3
"""Blocks that the machine may spoil; with more, and more than these shares of all, it is too unsteady."""
MOST_SPOILT: Final = 1 / 4
"""Of all blocks: for anybody's sake."""
MOST_SPARED: Final = 1 / 20
"""For the candidate's: a program can bring about that it seems to wait for a core, in games that go badly."""
_CODES: Final[Mapping[str, Code]] = {
    "BotEndedError": Code.CRASHED, "BotGameError": Code.OTHER_GAME, "BotSilentError": Code.SILENT,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Limits:
    """How far it may go."""

    seconds: float | None = 600.0
    """Of play, breaks not counted; None: as long as it takes."""
    faults: float = 0.001
    """Of the candidate's decisions."""


class Comparing:
    """One run of a comparison."""

    def __init__(
        self,
        comparison: OpenComparison,
        conductor: Conductor,
        store: Store,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` gives seconds."""
        self._comparison = comparison
        self._ledger = comparison.league.ledger
        self._conductor = conductor
        self._limits = limits
        self._clock = clock
        self._began = self._noted = clock()
        self._before_s: float = sum(act.values["seconds"] for act in self._ledger.acts if act.kind == PLAYED)
        self._sides = Sides(store, comparison.lanes.roles)

    async def play(self, told: Callable[[Finding], None]) -> Finding:
        """Play until it is over; `told` hears how it stands at first and after each batch. Raises what playing does.

        Cancelled, it keeps what was played and how long that took.
        """
        playing = asyncio.ensure_future(self._conductor.play())
        try:
            finding = await self._watched(playing, told)
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            await self._note()
        return finding

    async def close(self, finding: Finding) -> None:
        """End the comparison: whoever asks the same again plays anew. Without it the same answer is found again."""
        await self._ledger.act(CLOSED, {"code": finding.code.value})

    # ---- inside

    async def _watched(self, playing: "asyncio.Future[None]", told: Callable[[Finding], None]) -> Finding:
        told(finding := await self._stands())
        seen = self._so_far
        while finding.code is Code.UNDECIDED and not playing.done() and not self._is_spent:
            await asyncio.wait({playing}, timeout=POLL_S)
            if seen == self._so_far:
                continue
            seen, games = self._so_far, finding.games
            finding = await self._stands()
            if games != finding.games:
                told(finding)
                await self._note()
        return self._checked(playing, await self._stands())

    async def _stands(self) -> Finding:
        """Tell how it stands: undecided, as long as nothing says something else."""
        blocks = in_order(self._ledger.history)
        await self._sides.read(blocks)
        finding = self._judged(blocks)
        code, reason = self._failure(finding)
        return finding if code is None else replace(finding, code=code, reason=reason)

    async def _note(self) -> None:
        """Keep how long was played since that was kept last: somebody may pull the plug."""
        since, self._noted = self._noted, self._clock()
        await self._ledger.act(PLAYED, {"seconds": self._noted - since})

    @property
    def _so_far(self) -> tuple[int, int]:
        """What everything else follows from: blocks that are over, and what has happened."""
        return len(self._ledger.history), len(self._ledger.acts)

    def _checked(self, playing: "asyncio.Future[None]", finding: Finding) -> Finding:
        """What is over in the end: nobody is judged where somebody failed already. Raises what has ended it."""
        if playing.done():
            playing.result()
        finding = self._estimated(finding)
        if not finding.reason and _is_over_limit(finding, self._limits.faults):
            return replace(finding, code=Code.FAULTS)
        return finding

    def _judged(self, blocks: Sequence[BlockResult]) -> Finding:
        """What the blocks say that count: whole batches in order, up to the look that decides it."""
        question, lanes = self._comparison.asked.question, self._comparison.lanes
        scores = [score_of(block, lanes) for block in blocks]
        count, verdict = decided(scores, question)
        blocks = blocks[:count]
        spoilt = [self._role(act) for act in self._ledger.acts if act.kind == VOID]
        return Finding(
            code_of(question, verdict),
            games=count * 2 * lanes.seats,
            seconds=self._seconds,
            evidence=Evidence.of(scores[:count]) if count else None,
            candidate=self._sides.conduct(CANDIDATE, blocks),
            baseline=self._sides.conduct(BASELINE, blocks),
            losses=tuple(costly(blocks, lanes)),
            voids=len(spoilt),
            spared=spoilt.count(CANDIDATE),
        )

    def _estimated(self, finding: Finding) -> Finding:
        """The same with an estimate: made once, as it takes half a second after some hundred blocks."""
        if finding.evidence is None:
            return finding
        question = self._comparison.asked.question
        verdict = next((each for each in Verdict if code_of(question, each) is finding.code), Verdict.OPEN)
        return replace(finding, estimate=estimated(finding.evidence, question, verdict))

    def _failure(self, finding: Finding) -> tuple[Code | None, str]:
        """Who or what makes going on senseless, and how; None: nothing does."""
        for act in self._ledger.acts:
            if act.kind == "away" or (act.kind == "restarted" and self._never_came(act)):
                return _CODES.get(act.values["kind"], Code.NOT_STARTED), f"{self._role(act)}: {act.values['how']}"
        if reason := unsteady(finding, len(self._ledger.history)):
            return Code.UNSTEADY, reason
        if finding.candidate.fault_count > EARLY and _is_over_limit(finding, self._limits.faults):
            return Code.FAULTS, ""
        return None, ""

    def _role(self, act: Act) -> str:
        """Of whom it tells; empty: of nobody."""
        return self._comparison.lanes.roles.get(act.values.get("name", ""), "")

    def _never_came(self, act: Act) -> bool:
        """Whether it is of no use to start a bot again: it did not come when all began."""
        return not self._ledger.history and act.values["kind"] != "BotEndedError"

    @property
    def _is_spent(self) -> bool:
        return self._limits.seconds is not None and self._seconds >= self._limits.seconds

    @property
    def _seconds(self) -> float:
        """Of play, in all runs."""
        return self._before_s + self._clock() - self._began


def unsteady(finding: Finding, blocks: int) -> str | None:
    """Say why the machine is too unsteady to judge, when so many blocks are over; None: it is not."""
    if finding.spared > max(MOST_VOIDS, MOST_SPARED * blocks):
        return f"the candidate waited for a core, for the machine or threads of its own, in {finding.spared} blocks"
    if finding.voids > max(MOST_VOIDS, MOST_SPOILT * blocks):
        return f"{finding.voids} blocks were void"
    return None


async def plays_of(comparison: OpenComparison) -> list[BotPlay]:
    """How candidate and baseline bluff and call, in all games that are over."""
    seen, league = Gathered(), comparison.league
    async for block in league.ledger.insights():
        gather(seen, block, comparison.lanes.roles)
    return plays(seen, league, (CANDIDATE, BASELINE))


def last_error_of(comparison: OpenComparison, data: Path) -> str:
    """Give what a process of the candidate has logged as an error, and where; empty: none has."""
    names = [name for name, role in comparison.lanes.roles.items() if role == CANDIDATE]
    outputs = [list((data / "bots").glob(f"{name}.*log")) for name in names]
    logs = (max(each, key=lambda path: path.stat().st_mtime) for each in outputs if each)
    return next((f"{error}; its output is in {log}" for log in logs if (error := last_error(log))), "")


def _is_over_limit(finding: Finding, limit: float) -> bool:
    return finding.candidate.fault_share > limit
