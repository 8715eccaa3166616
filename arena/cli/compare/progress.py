"""Shows the progress of a comparison: a live scale on a terminal, otherwise lines."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from arena.cli.compare.progress_text import progress_line, progress_parts
from arena.cli.console import discard_status, print_status
from arena.competition.compare.comparison_result import ComparisonProgress, ComparisonResult
from arena.competition.compare.lanes import Lanes
from arena.competition.compare.sequential import ComparisonMode, ComparisonQuestion

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
        lines = fill_lines(progress_parts(progress, question, lanes), console.width)
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
