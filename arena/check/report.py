"""Shows the results of a check to people and to programs."""

from collections import Counter
from collections.abc import Iterator, Sequence

from arena.check.step import StepResult, Verdict

MAX_FINDINGS = 5
"""The most findings of a step that are shown; later ones usually follow from the first."""


def result_lines(result: StepResult) -> Iterator[str]:
    """Yield the lines about a step: its verdict, then what was expected and what came."""
    step = result.step
    yield f"{result.verdict:<12} {step.name:<20} {step.title}"
    if result.note:
        yield f"    {result.note}"
    for finding in result.findings[:MAX_FINDINGS]:
        yield f"    expected  {finding.rule.value}"
        yield f"    came      {finding.came}"
    if len(result.findings) > MAX_FINDINGS:
        yield f"    and {len(result.findings) - MAX_FINDINGS} more"


def summary(results: Sequence[StepResult]) -> str:
    """Return how many steps have which verdict: "39 passed, 1 failed"."""
    counts = Counter(result.verdict for result in results)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])


def results_as_dict(bot: str, results: Sequence[StepResult]) -> dict[str, object]:
    """Return the results as plain values."""
    return {
        "bot": bot,
        "steps": [
            {
                "name": result.step.name,
                "title": result.step.title,
                "verdict": result.verdict.value,
                "note": result.note,
                "seconds": round(result.seconds, 3),
                "findings": [{"expected": each.rule.value, "came": each.came} for each in result.findings],
            }
            for result in results
        ],
    }
