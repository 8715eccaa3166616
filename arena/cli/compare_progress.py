"""How far a comparison has got: a picture on a terminal, a line for each batch elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from arena.cli.compare_words import line_of
from arena.cli.console import say, say_nothing
from arena.compare.finding import Finding
from arena.compare.lanes import Lanes
from arena.compare.sequential import Mode, Question

_HALF: Final = 28
"""Columns from the middle to either end of the picture: with its words it fits 80."""
_ENDS: Final = {Mode.BETTER: ("not better", "better"), Mode.NOT_WORSE: ("worse", "not worse"),
                Mode.SAME: ("different", "the same")}  # fmt: skip


@contextmanager
def progress(question: Question, lanes: Lanes, is_quiet: bool) -> Iterator[Callable[[Finding], None]]:
    """Give what shows how it stands."""
    put = say_nothing if is_quiet else say
    if is_quiet or not sys.stderr.isatty():
        yield lambda finding: put(line_of(finding, question, lanes))
        return
    with Live(console=Console(stderr=True, highlight=False, markup=False), transient=True) as live:
        yield lambda finding: live.update(
            Group(Text(scale_of(finding, question), no_wrap=True), Text(line_of(finding, question, lanes)))
        )


def scale_of(finding: Finding, question: Question) -> str:
    """Draw where the evidence stands between no and yes."""
    low, high = _ENDS[question.mode]
    evidence = finding.evidence
    share = 0.0 if evidence is None else evidence.ratio(question) / evidence.bound(question)
    at = round(max(-1.0, min(1.0, share)) * _HALF)
    cells = ["●" if place == at else "┼" if not place else "─" for place in range(-_HALF, _HALF + 1)]
    return f"{low} ├{''.join(cells)}┤ {high}"
