"""Shows the progress of a comparison: a live scale on a terminal, otherwise lines."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from arena.cli.compare.progress_text import progress_line
from arena.cli.console import discard_status, print_status
from arena.compare.comparison_result import ComparisonProgress, ComparisonResult
from arena.compare.lanes import Lanes
from arena.compare.sequential import ComparisonMode, ComparisonQuestion

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

    def draw(progress: ComparisonProgress) -> Group:
        line, finding = Text(progress_line(progress, question, lanes)), progress.finding
        return (
            Group(Text(draw_scale(finding, question), no_wrap=True), line) if finding.first_look_games else Group(line)
        )

    with Live(console=Console(stderr=True, highlight=False, markup=False), transient=True) as live:
        yield lambda progress: live.update(draw(progress))


def draw_scale(finding: ComparisonResult, question: ComparisonQuestion) -> str:
    """Return a scale from no to yes with a dot at the position of the evidence."""
    low, high = _END_LABELS[question.mode]
    evidence = finding.evidence
    share = 0.0 if evidence is None else evidence.log_likelihood_ratio(question) / evidence.bound(question)
    at = round(max(-1.0, min(1.0, share)) * _HALF_WIDTH)
    cells = ["●" if place == at else "┼" if not place else "─" for place in range(-_HALF_WIDTH, _HALF_WIDTH + 1)]
    return f"{low} ├{''.join(cells)}┤ {high}"
