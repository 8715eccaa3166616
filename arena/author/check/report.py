"""Shows the results of a check to people and to programs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import wrap
from typing import Final

from arena.author.check.findings import Rule
from arena.author.check.step import ExitStep, Step, StepResult, Verdict

MAX_FINDINGS = 5
"""The most findings of a step that are shown; later ones usually follow from the first."""
_NAME_COLUMN: Final = 13
_TITLE_COLUMN: Final = 34
_TEXT_COLUMN: Final = 14


def step_lines(step: Step | ExitStep, width: int | None) -> Iterator[str]:
    """Yield the lines that say what a step checks. `width` is the number of columns; None for long lines."""
    yield from _wrap(step.name, step.title, _TITLE_COLUMN - _NAME_COLUMN, width)


def result_lines(result: StepResult, width: int | None) -> Iterator[str]:
    """Yield the lines about a step: its verdict, then what was expected and what came."""
    name = f"{result.verdict:<{_NAME_COLUMN}}{result.step.name}"
    yield from _wrap(name, result.step.title, _TITLE_COLUMN, width)
    if result.note:
        yield from _wrap("    because", result.note, _TEXT_COLUMN, width)
    for rule, findings in groupby(result.findings[:MAX_FINDINGS], lambda finding: finding.rule):
        yield from _wrap("    expected", expectation_of(rule), _TEXT_COLUMN, width)
        for finding in findings:
            yield from _wrap("    came", finding.came, _TEXT_COLUMN, width)
    if len(result.findings) > MAX_FINDINGS:
        yield f"    and {len(result.findings) - MAX_FINDINGS} more"
    if result.findings and result.output is not None:
        yield f"    output    {result.output}"


def expectation_of(rule: Rule) -> str:
    """Return what a rule expects, with the section of the protocol guide that states it."""
    return f"{rule.text} (guide, section {rule.section})"


def _wrap(name: str, text: str, column: int, width: int | None) -> list[str]:
    """Return a text that begins in a column to the right of a name, on as many lines as it needs."""
    first = f"{name:<{column - 1}} "
    if width is None:
        return [first + text]
    return wrap(first + text, max(width, 2 * column), subsequent_indent=" " * column, break_on_hyphens=False)


def summary(results: Sequence[StepResult]) -> str:
    """Return how many steps got each verdict: "39 passed, 1 failed"."""
    counts = Counter(result.verdict for result in results)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])


def results_as_dict(bot: str, results: Sequence[StepResult]) -> dict[str, object]:
    return {"bot": bot, "steps": [_result_as_dict(result) for result in results]}


def _result_as_dict(result: StepResult) -> dict[str, object]:
    return {
        "name": result.step.name,
        "title": result.step.title,
        "verdict": result.verdict.value,
        "note": result.note,
        "seconds": round(result.seconds, 3),
        "output": None if result.output is None else str(result.output),
        "findings": [
            {"expected": each.rule.text, "section": each.rule.section, "came": each.came} for each in result.findings
        ],
    }
