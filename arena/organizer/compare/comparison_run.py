"""A run of a comparison. It is assessed after each block, and it ends with an answer, a failure or a spent budget."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Final

from arena.bots.launch.output import read_last_error
from arena.competition.compare.budget_end import IntervalPlace, place_interval
from arena.competition.compare.comparison_result import (
    ComparisonProgress,
    ComparisonResult,
    PlayedGames,
    ResultCode,
    code_for_verdict,
)
from arena.competition.compare.estimate import Estimate, estimate_effect
from arena.competition.compare.lanes import BASELINE, CANDIDATE
from arena.competition.compare.plain_estimate import estimate_plainly
from arena.competition.compare.rating_points import estimate_points
from arena.competition.compare.scores import beaten_share, find_costly_games, leading_blocks, score_block, score_places
from arena.competition.compare.sequential import (
    MIN_BLOCKS,
    ScoreSummary,
    SequentialVerdict,
    VoidScores,
    all_attempts,
    run_sequential_test,
)
from arena.competition.compare.trend import find_trend
from arena.competition.league.ports import VOID, LedgerEntry
from arena.fleet.runner.connection import LineCutError
from arena.match.referee.game_lengths import measure_games, turn_limit_of
from arena.organizer.compare.comparison import OpenComparison
from arena.organizer.compare.role_conduct import RoleConductReader
from arena.organizer.play.block_dispatcher import BlockDispatcher
from arena.organizer.report.play_view import BotPlay, build_bot_plays
from arena.organizer.seal.ledger_entries import CLOSED
from arena.organizer.view.league_analytics import add_block_analytics
from arena.plurals import format_count
from arena.replays.analytics.counts import AnalyticsTotals
from arena.server.store.open_store import Store

POLL_S: Final = 0.2
PROGRESS_S: Final = 5.0
"""Seconds after which progress is reported again even if no batch has ended."""
PLAYED: Final = "played"
"""The kind of ledger entry that records seconds of play."""
MIN_FAULTS_TO_STOP: Final = 10
"""The candidate's faults stop the comparison early only if there are more of them than this."""
MAX_VOIDS: Final = 3
"""This many blocks may always be void. If more are void, and their share exceeds one of the limits below, the machine
is too unsteady to judge."""
MAX_VOID_SHARE: Final = 1 / 4
"""The accepted share of blocks that were void for any reason."""
MAX_SPARED_SHARE: Final = 1 / 20
"""The accepted share of blocks that were void because the machine took time from the candidate. It is small, because
the candidate could fake a wait for a core when a game goes badly."""
_CODE_BY_ERROR: Final[Mapping[str, ResultCode]] = {
    "BotEndedError": ResultCode.CRASHED, "BotGameError": ResultCode.OTHER_GAME, "BotSilentError": ResultCode.SILENT,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ComparisonLimits:
    seconds: float | None = 600.0
    """Seconds of play, without breaks; None means no limit."""
    faults: float = 0.001
    """The largest accepted share of faults among the candidate's decisions."""


class ComparisonRun:
    def __init__(
        self,
        comparison: OpenComparison,
        dispatcher: BlockDispatcher,
        store: Store,
        limits: ComparisonLimits,
    ) -> None:
        self._comparison = comparison
        self._ledger = comparison.league.ledger
        self._dispatcher = dispatcher
        self._store = store
        self._limits = limits
        self._began = self._noted = time.monotonic()
        self._before_s: float = sum(act.values["seconds"] for act in self._ledger.acts if act.kind == PLAYED)
        self._conduct = RoleConductReader(store, comparison.lanes.roles)

    async def play(self, on_progress: Callable[[ComparisonProgress], None]) -> ComparisonResult:
        """Play until the comparison ends. Call `on_progress` at once, after each batch and every `PROGRESS_S` seconds.

        Raises the errors of `BlockDispatcher.play`. If cancelled, it keeps the blocks played so far and records the
        time of play.
        """
        self._limit_blocks()
        try:
            async with self._dispatcher.play_in_background() as playing:
                return await self._watch(playing, on_progress)
        finally:
            await self._record_play_time()

    async def close(self, finding: ComparisonResult) -> None:
        """Close the comparison, so that the same request begins a new one instead of finding the same answer."""
        await self._ledger.add_entry(CLOSED, {"code": finding.code.value})

    async def read_played(self) -> PlayedGames:
        """Return the games that are over, also those of blocks that are not complete."""
        history, unfinished = self._ledger.history, self._ledger.unfinished_matches()  # at one moment: each game once
        stored = await self._store.results.matches_with_games(unfinished)
        ended = [games[0] for row, games in stored.values() if row.state == "ended" and games]
        endings = [(table.termination, table.turn_count) for block in history for table in block.tables]
        endings += [(game.termination, game.turn_count) for game in ended]
        limit = turn_limit_of(self._comparison.request.terms)
        return PlayedGames(len(leading_blocks(history)), measure_games(endings, limit))

    # ---- inside

    async def _watch(
        self, playing: asyncio.Task[None], on_progress: Callable[[ComparisonProgress], None]
    ) -> ComparisonResult:
        """Assess the comparison until it is decided, finished or out of time, and return the last result."""
        finding = await self._assess()
        on_progress(await self._describe_progress(finding))
        seen, next_report_s = self._progress, time.monotonic() + PROGRESS_S
        limit_s = inf if self._limits.seconds is None else self._limits.seconds
        while finding.code is ResultCode.UNDECIDED and not playing.done() and self._played_s < limit_s:
            await asyncio.wait({playing}, timeout=POLL_S)
            self._limit_blocks()
            games = finding.games
            if seen != self._progress:
                seen = self._progress
                finding = await self._assess()
            if games != finding.games:
                await self._record_play_time()
            elif time.monotonic() < next_report_s:
                continue
            next_report_s = time.monotonic() + PROGRESS_S
            finding = replace(finding, seconds=self._played_s)
            on_progress(await self._describe_progress(finding))
        finding = await self._assess()
        if playing.done():
            playing.result()  # raises the error of a failed play, before anything is computed from it
        finding = self._add_estimate(replace(finding, played=await self.read_played()))
        if not finding.reason and self._is_over_fault_limit(finding):  # a failure is the better answer
            return replace(finding, code=ResultCode.FAULTS)
        if self._comparison.request.is_rough and finding.code is ResultCode.UNDECIDED:
            return replace(finding, code=ResultCode.ROUGH)
        return self._judge_by_interval(finding)

    def _limit_blocks(self) -> None:
        """Begin no more blocks than the time left is enough for, since only complete blocks count."""
        limit_s = self._limits.seconds
        if limit_s is not None:
            played_s = self._played_s
            self._dispatcher.limit_ahead(blocks_in_time(len(self._ledger.history), played_s, limit_s - played_s))

    def _judge_by_interval(self, finding: ComparisonResult) -> ComparisonResult:
        """Return the result with the answer no if it is undecided and its whole interval is beyond the margin."""
        question, estimate = self._comparison.request.question, finding.estimate
        if finding.code is not ResultCode.UNDECIDED or estimate is None:
            return finding
        if place_interval(estimate, question) is not IntervalPlace.BEYOND:
            return finding
        return replace(finding, code=code_for_verdict(question, SequentialVerdict.NO), is_by_interval=True)

    async def _describe_progress(self, finding: ComparisonResult) -> ComparisonProgress:
        finding = replace(finding, played=await self.read_played())
        return ComparisonProgress(finding, await self._count_decisions(), self._limits.seconds)

    async def _count_decisions(self) -> int:
        """Return the number of decisions that the nodes have counted. A node that is gone counts none."""
        count = 0
        for node in self._dispatcher.nodes:
            with suppress(LineCutError):
                count += (await node.process.calls.usage()).decisions
        return count

    async def _assess(self) -> ComparisonResult:
        """Return the current result. It is undecided until the blocks give an answer or there is a failure.

        Blocks count in whole batches, in their order, up to the batch that decides. For a rough answer no batch
        decides, and each block counts as soon as all earlier ones do.
        """
        question, lanes = self._comparison.request.question, self._comparison.lanes
        leading = leading_blocks(self._ledger.history)
        await self._conduct.read_new(leading)
        scores = [score_block(block, lanes) for block in leading]
        is_rough = self._comparison.request.is_rough
        voided = self._score_void_attempts()
        count, verdict = len(scores), SequentialVerdict.OPEN
        if not is_rough:
            count, verdict = run_sequential_test(scores, question, voided)
        attempts = all_attempts(scores[:count], voided)
        blocks = leading[:count]
        voided_roles = [self._role_of(act) for act in self._ledger.acts if act.kind == VOID]
        finding = ComparisonResult(
            code_for_verdict(question, verdict),
            games=count * 2 * lanes.seats,
            seconds=self._played_s,
            evidence=ScoreSummary.from_scores(scores[:count]) if count else None,
            attempts=ScoreSummary.from_scores(attempts) if len(attempts) > count else None,
            candidate=self._conduct.conduct_of(CANDIDATE, blocks),
            baseline=self._conduct.conduct_of(BASELINE, blocks),
            losses=tuple(find_costly_games(blocks, lanes)),
            voids=len(voided_roles),
            spared=voided_roles.count(CANDIDATE),
            first_look_games=0 if is_rough else MIN_BLOCKS * 2 * lanes.seats,
            trend=find_trend(scores[:count]),
            baseline_share=beaten_share(blocks, lanes) if count else None,
        )
        code, reason = self._find_failure(finding)
        return finding if code is None else replace(finding, code=code, reason=reason)

    def _score_void_attempts(self) -> VoidScores:
        """Return the scores that void attempts would have had, by the index of their block, in the order of play."""
        scores: dict[int, list[float]] = {}
        for act in self._ledger.acts:
            if act.kind == VOID and (places := act.values.get("places")):
                scores.setdefault(act.values["block"] - 1, []).append(score_places(places, self._comparison.lanes))
        return scores

    async def _record_play_time(self) -> None:
        """Record the time played since the last record, so that a crash loses little of it."""
        since, self._noted = self._noted, time.monotonic()
        await self._ledger.add_entry(PLAYED, {"seconds": self._noted - since})

    @property
    def _progress(self) -> tuple[int, int]:
        """The number of blocks that count, and the number of ledger entries. Every result follows from these."""
        return len(self._ledger.history), len(self._ledger.acts)

    def _add_estimate(self, finding: ComparisonResult) -> ComparisonResult:
        """Return the result with its estimate, in places a game and in rating points.

        This takes a quarter of a second after some hundred blocks, so call it once.
        """
        estimate, share = self._estimate(finding), finding.baseline_share
        if estimate is None or share is None:
            return finding
        return replace(
            finding, estimate=estimate, points=estimate_points(estimate, self._comparison.lanes.seats, share)
        )

    def _estimate(self, finding: ComparisonResult) -> Estimate | None:
        request = self._comparison.request
        if finding.evidence is None:
            return None
        codes = {code_for_verdict(request.question, each): each for each in SequentialVerdict}
        verdict = codes.get(finding.code, SequentialVerdict.OPEN)

        def estimate(evidence: ScoreSummary) -> Estimate | None:
            if request.is_rough or finding.has_too_few_games:  # no test could have stopped the comparison
                return estimate_plainly(evidence, request.question)
            return estimate_effect(evidence, request.question, verdict)

        counted = estimate(finding.evidence)
        attempted = counted and finding.attempts and estimate(finding.attempts)
        return counted.widened_by(attempted) if counted and attempted else counted

    def _find_failure(self, finding: ComparisonResult) -> tuple[ResultCode | None, str]:
        """Return the code and reason of a failure that makes further play useless; None if there is no failure."""
        is_beginning = not self._ledger.history  # before the first block, a bot that does not start is not retried
        for act in self._ledger.acts:
            is_failed_start = act.kind == "restarted" and is_beginning and act.values["kind"] != "BotEndedError"
            if act.kind == "away" or is_failed_start:
                return code_of_start_error(act.values["kind"]), f"{self._role_of(act)}: {act.values['how']}"
        if reason := why_unsteady(finding, len(self._ledger.history)):
            return ResultCode.UNSTEADY, reason
        if finding.candidate.fault_count > MIN_FAULTS_TO_STOP and self._is_over_fault_limit(finding):
            return ResultCode.FAULTS, ""
        return None, ""

    def _role_of(self, act: LedgerEntry) -> str:
        """Return the role that a ledger entry concerns; empty if it concerns none."""
        return self._comparison.lanes.roles.get(act.values.get("name", ""), "")

    def _is_over_fault_limit(self, finding: ComparisonResult) -> bool:
        return finding.candidate.fault_share > self._limits.faults

    @property
    def _played_s(self) -> float:
        """Seconds of play, over all runs."""
        return self._before_s + time.monotonic() - self._began


def blocks_in_time(done: int, played_s: float, left_s: float) -> int:
    """Return how many blocks can be complete in the time left, at the speed so far; at least 1.

    Before the first block is complete, nobody knows how long one takes, and the answer is 1.
    """
    return max(1, int(done * left_s / played_s)) if played_s > 0 else 1


def code_of_start_error(kind: str) -> ResultCode:
    """Return the answer if a program cannot be started. `kind` is the name of the error's class."""
    return _CODE_BY_ERROR.get(kind, ResultCode.NOT_STARTED)


def why_unsteady(finding: ComparisonResult, blocks: int) -> str | None:
    """Return why, after this number of blocks, the machine is too unsteady to judge; None if it is steady enough."""
    if finding.spared > max(MAX_VOIDS, MAX_SPARED_SHARE * blocks):
        blocks_text = format_count(finding.spared, "block")
        return f"the candidate waited for a core, for the machine or threads of its own, in {blocks_text}"
    if finding.voids > max(MAX_VOIDS, MAX_VOID_SHARE * blocks):
        return f"{format_count(finding.voids, 'block')} {'was' if finding.voids == 1 else 'were'} void"
    return None


async def build_role_plays(comparison: OpenComparison) -> list[BotPlay]:
    """Return how candidate and baseline bluff and call, over all blocks that count."""
    totals, league = AnalyticsTotals(), comparison.league
    async for block in league.ledger.block_analytics():
        add_block_analytics(totals, block, comparison.lanes.roles)
    return build_bot_plays(totals, league.file.terms.game.name, (CANDIDATE, BASELINE))


def last_candidate_error(comparison: OpenComparison, data: Path) -> str:
    """Return the last error that a candidate process logged, with its log file; empty if none was logged."""
    names = [name for name, role in comparison.lanes.roles.items() if role == CANDIDATE]
    outputs = [list((data / "bots").glob(f"{name}.*log")) for name in names]
    logs = (max(each, key=lambda path: path.stat().st_mtime) for each in outputs if each)
    return next((f"{error}; its output is in {log}" for log in logs if (error := read_last_error(log))), "")
