"""The answer of a comparison as files: JUnit for CI, Markdown for the page of a pull request."""

from collections.abc import Sequence
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from arena.cli.compare_words import sentence_of
from arena.cli.exits import Exit
from arena.compare.finding import Code, Finding
from arena.launch.output import harmless

_NOT_THERE: Final = {Code.NOT_STARTED, Code.SILENT, Code.OTHER_GAME, Code.CRASHED}
_SUITE: Final = "arena compare"


def junit_of(finding: Finding, figures: Sequence[str], code: Exit) -> str:
    """Three cases: that it starts and stays, that it has few faults, and how strong it is.

    What could not be looked at is skipped; a machine that was too unsteady is an error, no failure.
    """
    suite = Element("testsuite", name=_SUITE)
    sentence = sentence_of(finding)
    is_there = finding.code not in _NOT_THERE
    _case(suite, "starts", 0.0, failure="" if is_there else sentence)
    _case(
        suite,
        "no_faults",
        0.0,
        failure=sentence if finding.code is Code.FAULTS else "",
        skipped="" if is_there else "it was not there",
    )
    is_judged = is_there and finding.code not in (Code.FAULTS, Code.UNSTEADY)
    strength = _case(
        suite,
        "strength",
        finding.seconds,
        failure=sentence if is_judged and code is not Exit.YES else "",
        error=sentence if finding.code is Code.UNSTEADY else "",
        skipped="" if is_judged or finding.code is Code.UNSTEADY else "it was not judged",
    )
    SubElement(strength, "system-out").text = "\n".join(map(harmless, [sentence, *figures]))
    for kind, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(kind, str(sum(1 for _ in suite.iter(tag))))
    suite.set("time", f"{finding.seconds:.3f}")
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    return tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: Element, name: str, seconds: float, failure: str = "", error: str = "", skipped: str = "") -> Element:
    case = SubElement(suite, "testcase", name=name, classname=_SUITE, time=f"{seconds:.3f}")
    for tag, text in (("failure", failure), ("error", error), ("skipped", skipped)):
        if text:
            SubElement(case, tag, {"message": harmless(text), **({} if tag == "skipped" else {"type": tag})})
    return case


def markdown_of(finding: Finding, figures: Sequence[str]) -> str:
    """The sentence, then the figures; nothing of it acts as Markdown."""
    told = "\n".join(map(harmless, figures)).replace("```", "'''")
    return f"## {_escaped(harmless(sentence_of(finding)))}\n\n```text\n{told}\n```\n"


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in r"\`*_{}[]<>#|!&" else letter for letter in text)
