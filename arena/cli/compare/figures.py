"""Lists the figures behind the answer of a comparison, one line each, with a label on the left."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from arena.cli.compare.answer import baseline_share_of, round_places
from arena.cli.compare.options import replay_file_name
from arena.cli.match.replay_hint import replay_command
from arena.cli.match.standings import length_text
from arena.cli.replay.lessons_hint import lessons_command
from arena.cli.wrapped import wrap_line
from arena.competition.compare.comparison_result import ComparisonResult, ResultCode
from arena.competition.compare.dependence import Dependence
from arena.competition.compare.estimate import COVERAGE
from arena.competition.compare.plain_estimate import MIN_PLAIN_BLOCKS
from arena.competition.compare.rating_points import margin_points, odds_of
from arena.competition.compare.sequential import BATCH_BLOCKS, ComparisonMode, ComparisonQuestion, ScoreSummary
from arena.match.referee.terms import Terms
from arena.organizer.compare.kept_state import KeptState
from arena.organizer.report.play_columns import PLAY_COLUMNS
from arena.organizer.report.play_view import BotPlay
from arena.plurals import format_count
from arena.replays.narration.text_format import format_rough_duration

_QUESTIONS: Final = {
    ComparisonMode.BETTER: "is the candidate better?",
    ComparisonMode.NOT_WORSE: "is the candidate no worse?",
    ComparisonMode.SAME: "are both equally good?",
}
_LABEL_INDENT: Final = " " * 12
"""The width of the labels before the figures."""
_COMMAND_LABELS: Final = ("cost ", "why ", "error ", "kept ")
"""The labels of lines with a command or a path, which are never wrapped."""


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
            *_odds_lines(finding),
            *_dependence_lines(evidence),
            *_trend_lines(finding),
        ]
    lines += [*_end_lines(finding), *_play_length_lines(finding), *_next_lines(finding, question)]
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


def _odds_lines(finding: ComparisonResult) -> list[str]:
    """Return the estimate as odds against the field. The sentence gives it as rating points."""
    if finding.points is None:
        return []
    odds = odds_of(finding.points)
    return [
        (
            f"odds        the odds of finishing ahead of an opponent are {odds.value:.2f} times the baseline's,"
            f" {odds.low:.2f} to {odds.high:.2f}"
        ),
        f"            the baseline finishes ahead of {baseline_share_of(finding):.0%} of its opponents",
    ]


def _dependence_lines(evidence: ScoreSummary) -> list[str]:
    """Return that blocks depend on each other, and what that changes."""
    if evidence.dependence is Dependence.NONE:
        return []
    verb = "seem to resemble" if evidence.dependence is Dependence.LIKELY else "resemble"
    return [
        (
            f"dependence  blocks {verb} the ones before them (autocorrelation {evidence.autocorrelation:+.2f}):"
            f" the variance counts {evidence.variance_factor:.1f} times, so test and interval need more games"
        )
    ]


def _trend_lines(finding: ComparisonResult) -> list[str]:
    """Return that the candidate gets better or worse from block to block, and what that means for the answer."""
    trend = finding.trend
    if trend is None:
        return []
    way, answer = "better" if trend.is_upward else "worse", "verdict" if finding.is_verdict else "estimate"
    halves = f"{round_places(trend.first_half):+.2f} places a game in the first half of the blocks"
    return [
        (
            f"trend       compared with the baseline, the candidate gets {way} over the comparison: {halves},"
            f" {round_places(trend.second_half):+.2f} in the second"
        ),
        f"            the {answer} is about the mean of these games; later games may differ",
    ]


def _play_length_lines(finding: ComparisonResult) -> list[str]:
    """Return how many games were played, how many of them count, and how long they were."""
    games = max(finding.played.games, finding.games)
    if not games:
        return []
    rate = f"{format_count(games, 'game')}, {games / max(finding.seconds, 1e-9):.1f} games a second"
    counting = f"; {_counting_text(finding)}" if finding.games != games else ""
    turns = length_text(finding.played.lengths)
    return [f"played      {rate}{counting}", *([f"turns       {turns}"] if turns else ())]


def _counting_text(finding: ComparisonResult) -> str:
    """Return how many games count, and why others do not."""
    is_rough = finding.code is ResultCode.ROUGH
    if not finding.games:
        return f"none counts, as no {'block' if is_rough else f'batch of {BATCH_BLOCKS} blocks'} is complete"
    return f"{finding.games} count, {'those of complete' if is_rough else f'in whole batches of {BATCH_BLOCKS}'} blocks"


def _end_lines(finding: ComparisonResult) -> list[str]:
    """Return how the budget ended, if it ended before the test looked at the scores or decided."""
    by_interval = "; no, because the whole interval is beyond the margin" if finding.is_by_interval else ""
    if finding.has_no_look:
        return [f"ended       the budget ended before the first look of the test{by_interval}"]
    return [f"ended       the budget ended before the test decided{by_interval}"] if finding.is_by_interval else []


def _next_lines(finding: ComparisonResult, question: ComparisonQuestion) -> list[str]:
    """Return what to do if the budget ended before the first look, or before a rough answer has an interval."""
    if finding.code is ResultCode.ROUGH and finding.estimate is None:
        games = MIN_PLAIN_BLOCKS * 2 * question.seats
        needed = f"an interval needs {MIN_PLAIN_BLOCKS} complete blocks, which are {games} games"
        return [f"next        give a --budget instead of --quick: {needed}"]
    if not finding.has_too_few_games:
        return []
    games = max(finding.played.games, finding.games)
    needed_s = finding.first_look_games * finding.seconds / max(games, 1)
    reason = (
        f"at this speed the first look needs {format_rough_duration(needed_s)}" if games else "no game was over yet"
    )
    return [f"next        give a larger --budget: {reason}"]


def _question_text(finding: ComparisonResult, question: ComparisonQuestion) -> str:
    if finding.code is ResultCode.ROUGH:
        return "none was tested; without --quick a sequential test gives a verdict"
    points = margin_points(question, baseline_share_of(finding))
    margin = f"margin {question.margin:g} places a game, about {points:.0f} rating points"
    return f"{_QUESTIONS[question.mode]} ({margin}; error {question.error:.1%})"


def _interval_note(finding: ComparisonResult, question: ComparisonQuestion) -> str:
    """Return how the interval was computed."""
    if finding.code is ResultCode.ROUGH or finding.has_no_look:
        note = "around the plain mean, by Student's t distribution"
        return note if finding.is_verdict else f"{note}; it is no verdict"
    if question.mode is ComparisonMode.SAME:
        return "around the plain mean"
    return "adjusted for stopping early; the estimate is too high as often as too low"


def _evidence_text(finding: ComparisonResult, evidence: ScoreSummary, question: ComparisonQuestion) -> str:
    if finding.code is ResultCode.ROUGH:
        return "none was computed: the answer is rough"
    if finding.has_no_look:
        return f"none yet: the first look of the test is after {finding.first_look_games} games"
    return evidence_text(evidence, question)


def evidence_text(evidence: ScoreSummary, question: ComparisonQuestion) -> str:
    """Return how far the evidence is, and where the test says yes and no."""
    ratio, bound = evidence.log_likelihood_ratio(question), evidence.bound(question)
    return f"{ratio:+.2f} (yes from {bound:+.2f}, no from {-bound:+.2f})"


def fit_line(line: str, console: Console) -> str:
    """Return a line of the answer as it is printed. On a terminal it is wrapped beside its label, except commands."""
    if line.startswith(_COMMAND_LABELS):
        return line
    has_label = line[:12].endswith("  ")
    return wrap_line(line, console, _LABEL_INDENT if has_label else "  ")


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
    observed, assumed = (variance**0.5 for variance in (evidence.variance, evidence.assumed_variance(question)))
    return f"{observed:.3f}" + (f"; {assumed:.3f} is assumed" if assumed > observed else "")


def state_lines(kept: KeptState | None) -> Sequence[str]:
    """Return the lines for the answer; none if the lanes keep nothing."""
    if kept is None:
        return []
    return [
        f"state       kept; at the start, bots could remember {kept.before.describe()}",
        "            so blocks depend on each other, and the answer is about bots with this experience",
        f"kept in     {kept.folder} (delete this folder to start afresh)",
    ]


def state_as_dict(kept: KeptState | None) -> Mapping[str, Any] | None:
    """Return the same as plain values for JSON; None if the lanes keep nothing."""
    if kept is None:
        return None
    before = kept.before
    return {
        "folder": str(kept.folder),
        "comparisons_before": before.comparisons,
        "games_before": before.games,
        "unfinished_before": len(before.unfinished),
    }
