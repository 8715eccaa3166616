"""Describes a comparison in words: one sentence, then the figures behind it."""

from collections.abc import Mapping
from typing import Any, Final

from arena.cli.exit_codes import ExitCode
from arena.cli.match.standings import lengths_as_dict
from arena.competition.compare.comparison_result import ComparisonResult, ResultCode
from arena.competition.compare.estimate import COVERAGE, Estimate
from arena.competition.compare.rating_points import EVEN_SHARE, margin_points, odds_of
from arena.competition.compare.sequential import MIN_BLOCKS, ComparisonQuestion
from arena.competition.compare.unseen_blow import find_unseen_blow
from arena.plain_data import to_plain
from arena.plurals import format_count
from arena.replays.narration.text_format import format_rough_duration

EXIT_CODES: Final[Mapping[ResultCode, ExitCode]] = {
    ResultCode.BETTER: ExitCode.YES,
    ResultCode.NOT_WORSE: ExitCode.YES,
    ResultCode.NOT_BETTER: ExitCode.NO,
    ResultCode.WORSE: ExitCode.NO,
    ResultCode.SAME: ExitCode.YES,
    ResultCode.DIFFERENT: ExitCode.NO,
    ResultCode.UNDECIDED: ExitCode.UNDECIDED,
    ResultCode.ROUGH: ExitCode.UNDECIDED,
    ResultCode.NOT_STARTED: ExitCode.BOT_FAILED,
    ResultCode.SILENT: ExitCode.BOT_FAILED,
    ResultCode.OTHER_GAME: ExitCode.BOT_FAILED,
    ResultCode.CRASHED: ExitCode.BOT_FAILED,
    ResultCode.FAULTS: ExitCode.BOT_FAILED,
    ResultCode.UNSTEADY: ExitCode.UNSTEADY,
}
_FAILURES: Final = {
    ResultCode.NOT_STARTED: "did not start",
    ResultCode.SILENT: "did not connect in time",
    ResultCode.OTHER_GAME: "does not play these rules",
    ResultCode.CRASHED: "crashed again and again",
}
_EVIDENCE: Final = (
    "mean", "deviation", "deviation_reckoned", "autocorrelation", "dependence", "variance_factor", "tail_factor",
    "ratio", "bound", "unseen",
)  # fmt: skip
"""The names of the values that follow from evidence."""
ROUGH_HEADLINE: Final = "rough answer, no verdict"
TOO_FEW_HEADLINE: Final = "too few games for a verdict"


def sentence_of(finding: ComparisonResult) -> str:
    duration = format_rough_duration(finding.seconds)
    played = f"after {format_count(finding.games, 'game')}, {duration}"
    if finding.code is ResultCode.ROUGH:
        counted = f"{format_count(finding.games, 'game')}, " if finding.games else ""
        return f"{ROUGH_HEADLINE}: {_rough_effect(finding)}, after {counted}{duration}{_rest(finding)}"
    if finding.has_too_few_games:
        counted = f"{finding.games} of {finding.first_look_games}"
        return f"{TOO_FEW_HEADLINE} ({counted}){_interval(finding)}, after {duration}{_rest(finding)}"
    if finding.is_verdict or finding.code is ResultCode.UNDECIDED:
        answer = "the same" if finding.code is ResultCode.SAME else finding.code.value.replace("_", " ")
        return f"{answer}{_effect(finding)}, {played}"
    if finding.code is ResultCode.FAULTS:
        record = finding.candidate
        share = f"{record.fault_share:.2%} of the candidate's {record.asked_count} decisions"
        return f"faults: {share} were late, illegal or missing, or the candidate was gone, {played}"
    if finding.code is ResultCode.UNSTEADY:
        return f"unsteady: {finding.reason}, {_after_all(finding)}; try again when it is quiet"
    who, _, how = finding.reason.partition(": ")
    return f"{who} {_FAILURES[finding.code]}, {_after_all(finding)}: {how.partition(chr(10))[0]}"


def _after_all(finding: ComparisonResult) -> str:
    """Return after how many games and how much time the comparison ended, with the games that do not count."""
    games = max(finding.games, finding.played.games)
    return f"after {format_count(games, 'game')}, {format_rough_duration(finding.seconds)}"


def _rest(finding: ComparisonResult) -> str:
    """Return how many games were played, if some of them do not count because their block is not complete."""
    if finding.played.games <= finding.games:
        return ""
    return f"; {finding.played.describe(MIN_BLOCKS if finding.first_look_games else None)}"


def _effect(finding: ComparisonResult) -> str:
    """Return the estimated difference with its interval. After "better" and "worse", the numbers have no sign."""
    estimate, points = finding.estimate, finding.points
    if estimate is None:
        return ""
    is_signed = finding.code not in (ResultCode.BETTER, ResultCode.WORSE)
    if finding.code is ResultCode.WORSE:
        estimate, points = estimate.mirrored, points and points.mirrored
    sign = "+" if is_signed else ""
    value, low, high = (f"{round_places(each):{sign}.2f}" for each in (estimate.value, estimate.low, estimate.high))
    return f"{':' if is_signed else ' by'} {value} places a game, {low} to {high}{_points_text(points, sign)}"


def _rough_effect(finding: ComparisonResult) -> str:
    """Return which bot is probably better: the one on whose side of 0 the whole interval lies."""
    estimate = finding.estimate
    if estimate is None:
        return "too few games even for an interval"
    likely = "probably better" if estimate.low > 0 else "probably worse" if estimate.high < 0 else "no clear difference"
    return f"{likely}{_interval(finding)}"


def _interval(finding: ComparisonResult) -> str:
    """Return the estimated difference and its confidence interval as text; empty without an estimate."""
    estimate = finding.estimate
    if estimate is None:
        return ""
    value, low, high = map(round_places, (estimate.value, estimate.low, estimate.high))
    interval = f"{COVERAGE:.0%} interval {low:+.2f} to {high:+.2f}"
    return f": {value:+.2f} places a game, {interval}{_points_text(finding.points, '+')}"


def _points_text(points: Estimate | None, sign: str) -> str:
    """Return rating points with their interval, in parentheses. With the sign "+" every number has a sign."""
    if points is None:
        return ""
    value, low, high = (f"{round(each):{sign}d}" for each in (points.value, points.low, points.high))
    return f" (about {value} rating points against this field, {low} to {high})"


def headline_of(finding: ComparisonResult) -> str:
    if finding.code is ResultCode.ROUGH:
        return ROUGH_HEADLINE
    return TOO_FEW_HEADLINE if finding.has_too_few_games else finding.code.value.replace("_", " ")


def baseline_share_of(finding: ComparisonResult) -> float:
    """Return the share of its opponents that the baseline beats; one half as long as it is unknown."""
    return EVEN_SHARE if finding.baseline_share is None else finding.baseline_share


def round_places(places: float) -> float:
    """Round to two digits, never to -0.00."""
    return round(places, 2) + 0.0


def finding_as_dict(finding: ComparisonResult, question: ComparisonQuestion, code: ExitCode) -> dict[str, Any]:
    return {
        "code": finding.code.value,
        "exit": int(code),
        "sentence": sentence_of(finding),
        "is_verdict": finding.is_verdict,
        "is_by_interval": finding.is_by_interval,
        "is_rough": finding.code is ResultCode.ROUGH,
        "first_look_games": finding.first_look_games or None,
        "mode": question.mode.value,
        "margin": question.margin,
        "margin_rating_points": margin_points(question, baseline_share_of(finding)),
        "error": question.error,
        "try": question.number,
        "own_error": question.own_error,
        "games": finding.games,
        "played_games": finding.played.games,
        "complete_blocks": finding.played.blocks,
        **lengths_as_dict(finding.played.lengths),
        "seconds": round(finding.seconds, 3),
        "estimate": to_plain(finding.estimate),
        "rating_points": to_plain(finding.points),
        "odds_ratio": to_plain(finding.points and odds_of(finding.points)),
        "baseline_share": finding.baseline_share,
        "covered": COVERAGE,
        **_evidence_as_dict(finding, question),
        "trend": to_plain(finding.trend),
        "candidate": {"decisions": finding.candidate.decisions, **finding.candidate.faults},
        "baseline": {"decisions": finding.baseline.decisions, **finding.baseline.faults},
        "voids": finding.voids,
        "spared": finding.spared,
        "losses": to_plain(finding.losses),
        "reason": finding.reason,
    }


def _evidence_as_dict(finding: ComparisonResult, question: ComparisonQuestion) -> dict[str, Any]:
    """Before the first batch, and in part for a rough answer, the values are None."""
    evidence, is_tested = finding.evidence, finding.code is not ResultCode.ROUGH
    if evidence is None:
        return {"blocks": 0} | dict.fromkeys(_EVIDENCE)
    return {
        "blocks": evidence.count,
        "mean": evidence.mean,
        "deviation": evidence.variance**0.5,
        "deviation_reckoned": evidence.effective_variance(question) ** 0.5,
        "autocorrelation": evidence.autocorrelation,
        "dependence": evidence.dependence.value,
        "variance_factor": evidence.variance_factor,
        "tail_factor": evidence.tail_factor(question),
        "ratio": evidence.log_likelihood_ratio(question) if is_tested else None,
        "bound": evidence.bound(question) if is_tested else None,
        "unseen": to_plain(find_unseen_blow(evidence, question)) if is_tested else None,
    }
