"""Shows the progress of a comparison: a live scale on a terminal, otherwise lines."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from arena.cli.compare.answer import round_places
from arena.cli.compare.figures import evidence_text
from arena.cli.console import discard_status, print_status
from arena.cli.match.standings import stopped_text
from arena.competition.compare.comparison_result import ComparisonProgress, ComparisonResult, ResultCode
from arena.competition.compare.estimate import expected_blocks
from arena.competition.compare.lanes import Lanes
from arena.competition.compare.plain_estimate import MIN_PLAIN_BLOCKS
from arena.competition.compare.sequential import (
    BATCH_BLOCKS,
    MIN_BLOCKS,
    ComparisonMode,
    ComparisonQuestion,
    ScoreSummary,
)
from arena.plurals import format_count
from arena.replays.narration.text_format import format_rough_duration

_HALF_WIDTH: Final = 28
"""Columns from the middle to either end of the scale. The scale and its labels fit into 80 columns."""
_END_LABELS: Final = {ComparisonMode.BETTER: ("not better", "better"), ComparisonMode.NOT_WORSE: ("worse", "not worse"),
                ComparisonMode.SAME: ("different", "the same")}  # fmt: skip


@contextmanager
def show_progress(
    question: ComparisonQuestion, lanes: Lanes, is_quiet: bool
) -> Iterator[Callable[[ComparisonProgress], None]]:
    """Yield a function that shows the state of the comparison. If `is_quiet`, it shows nothing."""
    put = discard_status if is_quiet else print_status
    if is_quiet or not sys.stderr.isatty():
        yield lambda progress: put(progress_line(progress, question, lanes))
        return

    console = Console(stderr=True, highlight=False, markup=False)

    def draw(progress: ComparisonProgress) -> Group:
        scale = [draw_scale(progress.finding, question)] if progress.finding.first_look_games else []
        lines = fill_lines(_progress_parts(progress, question, lanes), console.width)
        return Group(*(Text(line) for line in (*scale, *lines)))

    with Live(console=console, transient=True) as live:
        yield lambda progress: live.update(draw(progress))


def fill_lines(parts: Sequence[str], width: int) -> list[str]:
    """Put parts of a sentence on as few lines as possible. A line breaks only between parts, if they fit."""
    lines = [""]
    for part, end in zip(parts, [*[";"] * (len(parts) - 1), ""], strict=True):
        joined = f"{lines[-1]} {part}{end}".strip()
        if len(joined) <= width or not lines[-1]:
            lines[-1] = joined
        else:
            lines.append(f"{part}{end}")
    return lines


def draw_scale(finding: ComparisonResult, question: ComparisonQuestion) -> str:
    """Return a scale from no to yes with a dot at the position of the evidence."""
    low, high = _END_LABELS[question.mode]
    evidence = finding.evidence
    share = 0.0 if evidence is None else evidence.log_likelihood_ratio(question) / evidence.bound(question)
    at = round(max(-1.0, min(1.0, share)) * _HALF_WIDTH)
    cells = ["●" if place == at else "┼" if not place else "─" for place in range(-_HALF_WIDTH, _HALF_WIDTH + 1)]
    return f"{low} ├{''.join(cells)}┤ {high}"


_PACE_SHARE: Final = 0.2
"""The share of a budget after which the speed so far tells how many games the budget will allow."""

_IDLE_SHARE: Final = 0.5
"""The share of a budget after which it will not do if no game is over yet."""


def progress_line(progress: ComparisonProgress, question: ComparisonQuestion, lanes: Lanes) -> str:
    """Return the state of a comparison in one line."""
    return "; ".join(_progress_parts(progress, question, lanes))


def _progress_parts(progress: ComparisonProgress, question: ComparisonQuestion, lanes: Lanes) -> Sequence[str]:
    """Return the parts of this line."""
    return [part for part in _describe_parts(progress, question, lanes) if part]


def _describe_parts(progress: ComparisonProgress, question: ComparisonQuestion, lanes: Lanes) -> Iterator[str]:
    """Yield the parts of the line; parts about which nothing is known are empty."""
    finding = progress.finding
    evidence = finding.evidence
    yield f"{_played_text(finding, lanes)}, {_decisions_text(progress)}"
    yield stopped_text(finding.played.lengths)
    if evidence is not None:
        yield f"{round_places(evidence.mean):+.2f} places a game"
    if not finding.first_look_games:
        left_s = max(0.0, (progress.limit_s or 0.0) - finding.seconds)
        yield f"the rough answer comes in {format_rough_duration(left_s)}"
        if _ends_before(MIN_PLAIN_BLOCKS * 2 * lanes.seats, progress):
            yield "at this speed it will have too few games for an interval"
        return
    has_looked = evidence is not None and evidence.count >= MIN_BLOCKS
    if evidence is not None and has_looked:
        yield f"evidence {evidence_text(evidence, question)}"
    if finding.code is ResultCode.UNDECIDED:
        yield _look_text(progress, lanes, "next" if has_looked else "first")
        if evidence is not None and has_looked:
            yield _answer_text(progress, evidence, question, lanes)
        else:
            yield _budget_text(progress) if _ends_before(finding.first_look_games, progress) else ""


def _played_text(finding: ComparisonResult, lanes: Lanes) -> str:
    """Return how many games are over, and how many blocks of those that the next look needs are complete."""
    wanted = _next_look_games(finding, lanes) // (2 * lanes.seats) if finding.first_look_games else None
    return finding.played.describe(wanted)


def _decisions_text(progress: ComparisonProgress) -> str:
    return f"{format_count(progress.decisions, 'decision')} in {format_rough_duration(progress.finding.seconds)}"


def _next_look_games(finding: ComparisonResult, lanes: Lanes) -> int:
    """Return after how many games the next look of the test comes."""
    return max(finding.first_look_games, finding.games + BATCH_BLOCKS * 2 * lanes.seats)


def _look_text(progress: ComparisonProgress, lanes: Lanes, name: str) -> str:
    """Return after how many games the next look of the test comes, and in how much time.

    Games count in the order of their blocks. So the look may wait for a long game even if enough others are over.
    """
    games = _next_look_games(progress.finding, lanes)
    text = f"the {name} look is after {games} games"
    if not _is_pace_known(progress, lanes):
        return text
    left = games - progress.finding.played.games
    return f"{text}, in {_duration_of(left, progress)}" if left > 0 else f"{text} and waits for a long one"


def _budget_text(progress: ComparisonProgress) -> str:
    """Return that the budget ends before the first look."""
    budget = format_rough_duration(progress.limit_s or 0.0)
    return f"the budget of {budget} will end before that: a rough estimate, no verdict"


def _ends_before(wanted: int, progress: ComparisonProgress) -> bool:
    """Return whether the budget will probably end before this many games are over; False if that is unknown."""
    finding, limit_s, games = progress.finding, progress.limit_s, progress.finding.played.games
    if limit_s is None or finding.seconds < limit_s * (_PACE_SHARE if games else _IDLE_SHARE):
        return False
    return not games or wanted * finding.seconds / games > limit_s


def _is_pace_known(progress: ComparisonProgress, lanes: Lanes) -> bool:
    """Return whether enough games are over. The first games to end say little about the speed."""
    return progress.finding.played.games >= 2 * lanes.seats


def _answer_text(
    progress: ComparisonProgress, evidence: ScoreSummary, question: ComparisonQuestion, lanes: Lanes
) -> str:
    """Return how many games and how much time are expected until the answer, which takes at least one more batch."""
    blocks = max(expected_blocks(evidence, question), evidence.count + BATCH_BLOCKS) - evidence.count
    games = blocks * 2 * lanes.seats
    return f"about {games:.0f} games, {_duration_of(games, progress)} to go"


def _duration_of(games: float, progress: ComparisonProgress) -> str:
    """Return how long some games take at the speed so far. At least one game is over."""
    return format_rough_duration(games * progress.finding.seconds / progress.finding.played.games)
