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
    return "; ".join(_progress_parts(progress, question, lanes))


def _progress_parts(progress: ComparisonProgress, question: ComparisonQuestion, lanes: Lanes) -> Sequence[str]:
    finding, evidence = progress.finding, progress.finding.evidence
    block_games = 2 * lanes.seats
    wanted = _next_look_games(finding, lanes) // block_games if finding.first_look_games else None
    decisions = f"{format_count(progress.decisions, 'decision')} in {format_rough_duration(finding.seconds)}"
    parts = [f"{finding.played.describe(wanted)}, {decisions}", stopped_text(finding.played.lengths)]
    if evidence is not None:
        parts.append(f"{round_places(evidence.mean):+.2f} places a game")
    if not finding.first_look_games:
        left_s = max(0.0, (progress.limit_s or 0.0) - finding.seconds)
        parts.append(f"the rough answer comes in {format_rough_duration(left_s)}")
        if _ends_before(MIN_PLAIN_BLOCKS * block_games, progress):
            parts.append("at this speed it will have too few games for an interval")
    elif evidence is not None and evidence.count >= MIN_BLOCKS:
        parts.append(f"evidence {evidence_text(evidence, question)}")
        if finding.code is ResultCode.UNDECIDED:
            blocks = max(expected_blocks(evidence, question), evidence.count + BATCH_BLOCKS) - evidence.count
            left = blocks * block_games  # the answer takes at least one more batch
            parts += [
                _look_text(progress, lanes, "next"),
                f"about {left:.0f} games, {_duration_of(left, progress)} to go",
            ]
    elif finding.code is ResultCode.UNDECIDED:
        parts.append(_look_text(progress, lanes, "first"))
        if _ends_before(finding.first_look_games, progress):
            budget = format_rough_duration(progress.limit_s or 0.0)
            parts.append(f"the budget of {budget} will end before that: a rough estimate, no verdict")
    return [part for part in parts if part]


def _next_look_games(finding: ComparisonResult, lanes: Lanes) -> int:
    return max(finding.first_look_games, finding.games + BATCH_BLOCKS * 2 * lanes.seats)


def _look_text(progress: ComparisonProgress, lanes: Lanes, name: str) -> str:
    """Games count in the order of their blocks. So the look may wait for a long game even if enough others are over."""
    games, played = _next_look_games(progress.finding, lanes), progress.finding.played.games
    text = f"the {name} look is after {games} games"
    if played < 2 * lanes.seats:  # the first games to end say little about the speed
        return text
    return (
        f"{text}, in {_duration_of(games - played, progress)}" if games > played else f"{text} and waits for a long one"
    )


def _ends_before(wanted: int, progress: ComparisonProgress) -> bool:
    """Return whether the budget will probably end before this many games are over; False if that is unknown."""
    finding, limit_s, games = progress.finding, progress.limit_s, progress.finding.played.games
    if limit_s is None or finding.seconds < limit_s * (_PACE_SHARE if games else _IDLE_SHARE):
        return False
    return not games or wanted * finding.seconds / games > limit_s


def _duration_of(games: float, progress: ComparisonProgress) -> str:
    """At least one game has to be over."""
    return format_rough_duration(games * progress.finding.seconds / progress.finding.played.games)
