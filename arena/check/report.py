"""Shows the results of a check: for people, as JSON, and as JUnit XML for CI."""

from collections import Counter
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

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


def results_as_junit(bot: str, results: Sequence[StepResult]) -> str:
    """Return the results as a JUnit file, in which a step is a test case. A step that is not reached is skipped."""
    counts = Counter(result.verdict for result in results)
    skipped = counts[Verdict.SKIPPED] + counts[Verdict.NOT_REACHED]
    seconds = sum(result.seconds for result in results)
    suite = ET.Element(
        "testsuite", name=f"arena check {bot}", tests=str(len(results)), failures=str(counts[Verdict.FAILED]),
        skipped=str(skipped), errors="0", time=f"{seconds:.3f}",
    )  # fmt: skip
    for result in results:
        case = ET.SubElement(suite, "testcase", classname=bot, name=result.step.name, time=f"{result.seconds:.3f}")
        if result.verdict is Verdict.FAILED:
            failure = ET.SubElement(case, "failure", message=result.findings[0].came)
            failure.text = "\n".join(f"expected {each.rule.value}; came: {each.came}" for each in result.findings)
        elif result.verdict is not Verdict.PASSED:
            ET.SubElement(case, "skipped", message=f"{result.verdict}: {result.note}")
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
