"""Describes a comparison in words: one sentence, then the figures behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from arena.cli.exit_codes import ExitCode
from arena.cli.match.replay_hint import replay_command
from arena.cli.replay.lessons_hint import lessons_command
from arena.compare.comparison_result import ComparisonResult, ResultCode
from arena.compare.estimate import COVERAGE
from arena.compare.sequential import ComparisonMode, ComparisonQuestion, ScoreSummary
from arena.match.terms import Terms
from arena.plurals import format_count
from arena.replays.text_format import format_rough_duration
from arena.report.play_columns import PLAY_COLUMNS
from arena.report.play_view import BotPlay

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
    played = f"after {format_count(finding.games, 'game')}, {format_rough_duration(finding.seconds)}"
    if finding.code is ResultCode.ROUGH:
        return f"{ROUGH_HEADLINE}: {_rough_effect(finding)}, {played}"
    if finding.has_too_few_games:
        counted = f"{finding.games} of {finding.first_look_games}"
        return f"{TOO_FEW_HEADLINE} ({counted}){_interval(finding)}, after {format_rough_duration(finding.seconds)}"
    if finding.code in _VERDICTS:
        return f"{_VERDICTS[finding.code]}{_effect(finding)}, {played}"
    if finding.code is ResultCode.FAULTS:
        record = finding.candidate
        share = f"{record.fault_share:.2%} of the candidate's {record.asked_count} decisions"
        return f"faults: {share} were late, illegal or missing, or the candidate was gone, {played}"
    if finding.code is ResultCode.UNSTEADY:
        return f"unsteady: {finding.reason}, {played}; try again when it is quiet"
    who, _, how = finding.reason.partition(": ")
    return f"{who} {_FAILURES[finding.code]}, {played}: {how.partition(chr(10))[0]}"


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


def figure_lines(finding: ComparisonResult, question: ComparisonQuestion) -> list[str]:
    """Return the figures behind the sentence, as lines."""
    evidence = finding.evidence
    lines = []
    if evidence is not None:
        blocks = format_count(evidence.count, "block")
        lines += [
            f"question    {_question_text(finding, question)}",
            *([] if finding.estimate is None else [f"interval    {COVERAGE:.0%}, {_interval_note(finding, question)}"]),
            f"evidence    {_evidence_text(finding, evidence, question)}",
            f"plain mean  {evidence.mean:+.3f} places a game in {blocks} of one deal each",
            f"            with a standard deviation of {_deviation_text(evidence, question)}",
            f"played      {finding.games / max(finding.seconds, 1e-9):.1f} games a second",
        ]
    lines += [f"said        {line.strip()}" for line in finding.reason.splitlines()[-1:] if line.startswith(" ")]
    sides = {"candidate": finding.candidate, "baseline": finding.baseline}
    for side, record in sides.items():
        if record.asked_count:
            faults = ", ".join(f"{count} {kind}" for kind, count in record.faults.items() if count) or "no fault"
            lines.append(f"{side:12}{format_count(record.asked_count, 'decision')}, {faults}")
    if finding.voids:
        blocks = format_count(finding.voids, "block")
        causes = f"{finding.spared} of them because the candidate had to wait for a core"
        lines.append(f"void        {blocks} disturbed by the machine, {causes}; each is played again")
    return lines


def _question_text(finding: ComparisonResult, question: ComparisonQuestion) -> str:
    if finding.code is ResultCode.ROUGH:
        return "none was tested; without --quick a sequential test gives a verdict"
    return f"{question.mode.value}, margin {question.margin:g} places a game, errors {question.error:.1%}"


def _interval_note(finding: ComparisonResult, question: ComparisonQuestion) -> str:
    """Return how the interval was computed."""
    if finding.code is ResultCode.ROUGH or finding.has_too_few_games:
        return "around the plain mean, by Student's t distribution; it is no verdict"
    if question.mode is ComparisonMode.SAME:
        return "around the plain mean"
    return "adjusted for stopping early; the estimate is too high as often as too low"


def _evidence_text(finding: ComparisonResult, evidence: ScoreSummary, question: ComparisonQuestion) -> str:
    if finding.code is ResultCode.ROUGH:
        return "none was computed: the answer is rough"
    if finding.has_too_few_games:
        return f"none yet: the first look of the test is after {finding.first_look_games} games"
    return f"{evidence.log_likelihood_ratio(question):+.3f}, bounds ±{evidence.bound(question):.3f}"


def loss_lines(finding: ComparisonResult, data: Path, replays: Path | None) -> list[str]:
    """Return where to read the games that cost the candidate most: a file in `replays`, or a command."""
    places = [f"{replay_command(loss.match_id, data)} --seat {loss.seat}" for loss in finding.losses]
    if replays is not None:
        places = [str(replays / replay_file_name(number + 1)) for number in range(len(places))]
    costs = [format_count(loss.places, "place", "g") for loss in finding.losses]
    return [f"cost        {cost}: {place}" for cost, place in zip(costs, places, strict=True)]


def lesson_lines(finding: ComparisonResult, data: Path, terms: Terms) -> list[str]:
    """Return the command that explains the most costly game, if there is one and its game has lessons."""
    for loss in finding.losses[:1]:
        if command := lessons_command(terms, loss.match_id, data, "--seat", loss.seat):
            return [f"why         {command}"]
    return []


def play_lines(plays: Sequence[BotPlay]) -> list[str]:
    """Return how often both sides bluff and call, as lines; empty unless both have played."""
    if len(plays) < 2:
        return []
    mine, its = (play.figures for play in plays)
    texts = [
        f"{measure.heading.lower()}: {measure.write(mine[what])}, the baseline {measure.write(its[what])}"
        for what, measure in PLAY_COLUMNS.items()
        if what in mine and what in its
    ]
    return [f"{'plays' if not index else '':12}{text}" for index, text in enumerate(texts)]


def _deviation_text(evidence: ScoreSummary, question: ComparisonQuestion) -> str:
    """Return the observed standard deviation. If the test assumes a larger deviation, the text mentions it too."""
    observed, assumed = (variance**0.5 for variance in (evidence.variance, evidence.effective_variance(question)))
    return f"{observed:.3f}" + (f"; {assumed:.3f} is assumed" if assumed > observed else "")


def finding_as_dict(finding: ComparisonResult, question: ComparisonQuestion, code: ExitCode) -> dict[str, Any]:
    """Return the comparison as plain values for JSON."""
    evidence, estimate, is_rough = finding.evidence, finding.estimate, finding.code is ResultCode.ROUGH
    return {
        "code": finding.code.value,
        "exit": int(code),
        "sentence": sentence_of(finding),
        "is_verdict": finding.is_verdict,
        "is_rough": is_rough,
        "first_look_games": finding.first_look_games or None,
        "mode": question.mode.value,
        "margin": question.margin,
        "error": question.error,
        "games": finding.games,
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
