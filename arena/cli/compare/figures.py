"""Lists the figures behind the answer of a comparison, one line each, with a label on the left."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from arena.cli.compare.answer import baseline_share_of, round_places
from arena.cli.compare.output_files import replay_file_name
from arena.cli.match.replay_hint import lessons_command, replay_command
from arena.cli.match.standings import length_text
from arena.cli.result_console import wrap_line
from arena.competition.compare.comparison_result import ComparisonResult, ResultCode
from arena.competition.compare.dependence import Dependence
from arena.competition.compare.estimate import COVERAGE
from arena.competition.compare.plain_estimate import MIN_PLAIN_BLOCKS
from arena.competition.compare.rating_points import margin_points, odds_of
from arena.competition.compare.sequential import BATCH_BLOCKS, ComparisonMode, ComparisonQuestion, ScoreSummary
from arena.competition.compare.unseen_blow import find_unseen_blow
from arena.match.referee.terms import Terms
from arena.organizer.compare.lane_folders import KeptState
from arena.organizer.report.play_view import PLAY_COLUMNS, BotPlay
from arena.plurals import format_count
from arena.replays.narration.text_format import format_rough_duration

_QUESTIONS: Final = {
    ComparisonMode.BETTER: "is the candidate better?",
    ComparisonMode.NOT_WORSE: "is the candidate no worse?",
    ComparisonMode.SAME: "are both equally good?",
}
_WRONG_ENDS: Final = {
    ComparisonMode.BETTER: ("the candidate would be no better", "the candidate would be better by the margin"),
    ComparisonMode.NOT_WORSE: ("the candidate would be worse by the margin", "the candidate would be no worse"),
    ComparisonMode.SAME: ("one would be better by the margin", "both would be equally good"),
}
"""What would be true if a yes were wrong, and if a no were."""
_LABEL_WIDTH: Final = 12
_COMMAND_LABELS: Final = ("cost ", "why ", "error ", "kept ")
"""The labels of lines with a command or a path, which are never wrapped."""


def figure_lines(finding: ComparisonResult, question: ComparisonQuestion) -> list[str]:
    return [f"{label:{_LABEL_WIDTH}}{text}" for label, text in _figures(finding, question)]


def _figures(finding: ComparisonResult, question: ComparisonQuestion) -> Iterator[tuple[str, str]]:
    """Yield labels and texts. A line without a label belongs to the one above."""
    if finding.evidence is not None:
        yield from _evidence_figures(finding, finding.evidence, question)
        yield from _caveats(finding, finding.evidence, question)
    if finding.has_no_look or finding.is_by_interval:
        when = "before the first look of the test" if finding.has_no_look else "before the test decided"
        by_interval = "; no, because the whole interval is beyond the margin" if finding.is_by_interval else ""
        yield "ended", f"the budget ended {when}{by_interval}"
    games = max(finding.played.games, finding.games)
    if games:
        rate = f"{format_count(games, 'game')}, {games / max(finding.seconds, 1e-9):.1f} games a second"
        yield "played", rate + (f"; {_counting_text(finding)}" if finding.games != games else "")
        if turns := length_text(finding.played.lengths):
            yield "turns", turns
    if advice := _advice(finding, question, games):
        yield "next", advice
    if (said := finding.reason.splitlines()[-1:]) and said[0].startswith(" "):
        yield "said", said[0].strip()
    for side, record in (("candidate", finding.candidate), ("baseline", finding.baseline)):
        if record.asked_count:
            faults = ", ".join(f"{count} {kind}" for kind, count in record.faults.items() if count) or "no fault"
            yield side, f"{format_count(record.asked_count, 'decision')}, {faults}"
    if finding.voids:
        blocks = format_count(finding.voids, "block")
        causes = f"{finding.spared} of them because the candidate had to wait for a core"
        yield "void", f"{blocks} disturbed by the machine, {causes}; each is played again"


def _evidence_figures(
    finding: ComparisonResult, evidence: ScoreSummary, question: ComparisonQuestion
) -> Iterator[tuple[str, str]]:
    is_rough = finding.code is ResultCode.ROUGH
    share = baseline_share_of(finding)
    margin = f"margin {question.margin:g} places a game, about {margin_points(question, share):.0f} rating points"
    asked = f"{_QUESTIONS[question.mode]} ({margin}; error {question.error:.1%})"
    yield "question", "none was tested; without --quick a sequential test gives a verdict" if is_rough else asked
    if question.number is not None:
        own = f"its own error is {100 * question.own_error:.2g}%"
        yield "try", f"{question.number}: {own}, that of all tries of the branch together {question.error:.1%}"
    if finding.estimate is not None:
        yield "interval", f"{COVERAGE:.0%}, {_interval_note(finding, question)}"
    if is_rough:
        yield "evidence", "none was computed: the answer is rough"
    elif finding.has_no_look:
        yield "evidence", f"none yet: the first look of the test is after {finding.first_look_games} games"
    else:
        yield "evidence", evidence_text(evidence, question)
    blocks = format_count(evidence.count, "block")
    yield "plain mean", f"{evidence.mean:+.3f} places a game in {blocks} of one deal each"
    observed, assumed = (variance**0.5 for variance in (evidence.variance, evidence.assumed_variance(question)))
    larger = f"; {assumed:.3f} is assumed" if assumed > observed else ""
    yield "", f"with a standard deviation of {observed:.3f}{larger}"
    if finding.points is not None:  # the sentence gives them as rating points
        odds = odds_of(finding.points)
        times = f"{odds.value:.2f} times the baseline's, {odds.low:.2f} to {odds.high:.2f}"
        yield "odds", f"the odds of finishing ahead of an opponent are {times}"
        yield "", f"the baseline finishes ahead of {share:.0%} of its opponents"


def _caveats(
    finding: ComparisonResult, evidence: ScoreSummary, question: ComparisonQuestion
) -> Iterator[tuple[str, str]]:
    """Yield what about the blocks makes the answer less sure, and what that means for it."""
    factor = evidence.tail_factor(question)
    if factor > 1:
        way = "worse" if evidence.third_moment < 0 else "better"
        yield "tail", f"the candidate does much {way} in a few blocks than in the others, and more may follow:"
        yield "", f"the variance counts {factor:.1f} times, so test and interval need more games"
    if finding.is_verdict or finding.code is ResultCode.UNDECIDED:
        yield from zip(("unseen", ""), _unseen_text(evidence, question), strict=False)
    if evidence.dependence is not Dependence.NONE:
        verb = "seem to resemble" if evidence.dependence is Dependence.LIKELY else "resemble"
        costs = f"the variance counts {evidence.variance_factor:.1f} times, so test and interval need more games"
        likeness = f"blocks {verb} the ones before them (autocorrelation {evidence.autocorrelation:+.2f})"
        yield "dependence", f"{likeness}: {costs}"
    trend = finding.trend
    if trend is not None:
        way, answer = "better" if trend.is_upward else "worse", "verdict" if finding.is_verdict else "estimate"
        first, second = f"{round_places(trend.first_half):+.2f}", f"{round_places(trend.second_half):+.2f}"
        halves = f"{first} places a game in the first half of the blocks, {second} in the second"
        yield "trend", f"compared with the baseline, the candidate gets {way} over the comparison: {halves}"
        yield "", f"the {answer} is about the mean of these games; later games may differ"


def _unseen_text(evidence: ScoreSummary, question: ComparisonQuestion) -> Iterator[str]:
    """Yield the lines of a sentence about the rare blocks that the evidence cannot exclude; none if there are none."""
    unseen = find_unseen_blow(evidence, question)
    if unseen is not None:
        alike = f"in {question.own_error:.1%} of comparisons, {evidence.count} blocks as alike as these miss"
        blow = f"a {'win' if unseen.places > 0 else 'loss'} of {abs(unseen.places):.1f} places"
        yield f"{alike} {blow} in {unseen.share:.0%} of all blocks;"
        yield f"with it, {_WRONG_ENDS[question.mode][question.lead(evidence.mean) < 0]}"


def _counting_text(finding: ComparisonResult) -> str:
    """Return how many games count, and why others do not."""
    is_rough = finding.code is ResultCode.ROUGH
    if not finding.games:
        return f"none counts, as no {'block' if is_rough else f'batch of {BATCH_BLOCKS} blocks'} is complete"
    return f"{finding.games} count, {'those of complete' if is_rough else f'in whole batches of {BATCH_BLOCKS}'} blocks"


def _advice(finding: ComparisonResult, question: ComparisonQuestion, games: int) -> str:
    """Return what to do if the budget ended before the first look, or before a rough answer has an interval."""
    if finding.code is ResultCode.ROUGH and finding.estimate is None:
        least = MIN_PLAIN_BLOCKS * 2 * question.seats
        needed = f"an interval needs {MIN_PLAIN_BLOCKS} complete blocks, which are {least} games"
        return f"give a --budget instead of --quick: {needed}"
    if not finding.has_too_few_games:
        return ""
    if not games:
        return "give a larger --budget: no game was over yet"
    needed_s = finding.first_look_games * finding.seconds / games
    return f"give a larger --budget: at this speed the first look needs {format_rough_duration(needed_s)}"


def _interval_note(finding: ComparisonResult, question: ComparisonQuestion) -> str:
    if finding.code is ResultCode.ROUGH or finding.has_no_look:
        note = "around the plain mean, by Student's t distribution"
        return note if finding.is_verdict else f"{note}; it is no verdict"
    if question.mode is ComparisonMode.SAME:
        return "around the plain mean"
    return "adjusted for stopping early; the estimate is too high as often as too low"


def evidence_text(evidence: ScoreSummary, question: ComparisonQuestion) -> str:
    """Return how far the evidence is, and where the test says yes and no."""
    ratio, bound = evidence.log_likelihood_ratio(question), evidence.bound(question)
    return f"{ratio:+.2f} (yes from {bound:+.2f}, no from {-bound:+.2f})"


def fit_line(line: str, console: Console) -> str:
    """Return a line of the answer as it is printed. On a terminal it is wrapped beside its label, except commands."""
    if line.startswith(_COMMAND_LABELS):
        return line
    has_label = line[:_LABEL_WIDTH].endswith("  ")
    return wrap_line(line, console, " " * _LABEL_WIDTH if has_label else "  ")


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
    return [f"{'plays' if not index else '':{_LABEL_WIDTH}}{text}" for index, text in enumerate(texts)]


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
