"""Describes a comparison in words: one sentence, then the figures behind it."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from arena.cli.exit_codes import ExitCode
from arena.cli.match.length_text import lengths_as_dict
from arena.compare.comparison_result import ComparisonResult, ResultCode
from arena.compare.estimate import COVERAGE
from arena.compare.sequential import MIN_BLOCKS, ComparisonQuestion
from arena.plurals import format_count
from arena.replays.text_format import format_rough_duration

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
_VERDICTS: Final = {
    ResultCode.BETTER: "better",
    ResultCode.NOT_BETTER: "not better",
    ResultCode.NOT_WORSE: "not worse",
    ResultCode.WORSE: "worse",
    ResultCode.SAME: "the same",
    ResultCode.DIFFERENT: "different",
    ResultCode.UNDECIDED: "undecided",
}
_FAILURES: Final = {
    ResultCode.NOT_STARTED: "did not start",
    ResultCode.SILENT: "did not connect in time",
    ResultCode.OTHER_GAME: "does not play these rules",
    ResultCode.CRASHED: "crashed again and again",
}
ROUGH_HEADLINE: Final = "rough answer, no verdict"
TOO_FEW_HEADLINE: Final = "too few games for a verdict"


def replay_file_name(number: int) -> str:
    """Return the file name of a costly game; number 1 is the most costly."""
    return f"costly-{number}.txt"


def sentence_of(finding: ComparisonResult) -> str:
    """Return the answer in one sentence."""
    duration = format_rough_duration(finding.seconds)
    played = f"after {format_count(finding.games, 'game')}, {duration}"
    if finding.code is ResultCode.ROUGH:
        counted = f"{format_count(finding.games, 'game')}, " if finding.games else ""
        return f"{ROUGH_HEADLINE}: {_rough_effect(finding)}, after {counted}{duration}{_rest(finding)}"
    if finding.has_too_few_games:
        counted = f"{finding.games} of {finding.first_look_games}"
        return f"{TOO_FEW_HEADLINE} ({counted}){_interval(finding)}, after {duration}{_rest(finding)}"
    if finding.code in _VERDICTS:
        return f"{_VERDICTS[finding.code]}{_effect(finding)}, {played}"
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
    estimate = finding.estimate
    if estimate is None:
        return ""
    value, low, high = map(round_places, (estimate.value, estimate.low, estimate.high))
    match finding.code:
        case ResultCode.BETTER:
            return f" by {value:.2f} places a game, {low:.2f} to {high:.2f}"
        case ResultCode.WORSE:
            value, low, high = (round_places(-each) for each in (value, high, low))
            return f" by {value:.2f} places a game, {low:.2f} to {high:.2f}"
        case _:
            return f": {value:+.2f} places a game, {low:+.2f} to {high:+.2f}"


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
    return f": {value:+.2f} places a game, {COVERAGE:.0%} interval {low:+.2f} to {high:+.2f}"


def headline_of(finding: ComparisonResult) -> str:
    """Return the answer as a heading of a few words."""
    if finding.code is ResultCode.ROUGH:
        return ROUGH_HEADLINE
    return TOO_FEW_HEADLINE if finding.has_too_few_games else finding.code.value.replace("_", " ")


def round_places(places: float) -> float:
    """Round to two digits, never to -0.00."""
    return round(places, 2) + 0.0


def finding_as_dict(finding: ComparisonResult, question: ComparisonQuestion, code: ExitCode) -> dict[str, Any]:
    """Return the comparison as plain values for JSON."""
    evidence, estimate, is_rough = finding.evidence, finding.estimate, finding.code is ResultCode.ROUGH
    return {
        "code": finding.code.value,
        "exit": int(code),
        "sentence": sentence_of(finding),
        "is_verdict": finding.is_verdict,
        "is_by_interval": finding.is_by_interval,
        "is_rough": is_rough,
        "first_look_games": finding.first_look_games or None,
        "mode": question.mode.value,
        "margin": question.margin,
        "error": question.error,
        "games": finding.games,
        "played_games": finding.played.games,
        "complete_blocks": finding.played.blocks,
        **lengths_as_dict(finding.played.lengths),
        "seconds": round(finding.seconds, 3),
        "estimate": None if estimate is None else {"value": estimate.value, "low": estimate.low, "high": estimate.high},
        "covered": COVERAGE,
        "blocks": 0 if evidence is None else evidence.count,
        "mean": None if evidence is None else evidence.mean,
        "deviation": None if evidence is None else evidence.variance**0.5,
        "deviation_reckoned": None if evidence is None else evidence.effective_variance(question) ** 0.5,
        "ratio": None if evidence is None or is_rough else evidence.log_likelihood_ratio(question),
        "bound": None if evidence is None or is_rough else evidence.bound(question),
        "candidate": {"decisions": finding.candidate.decisions, **finding.candidate.faults},
        "baseline": {"decisions": finding.baseline.decisions, **finding.baseline.faults},
        "voids": finding.voids,
        "spared": finding.spared,
        "losses": [asdict(loss) for loss in finding.losses],
        "reason": finding.reason,
    }
