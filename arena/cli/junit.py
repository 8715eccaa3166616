"""Writes JUnit reports.

JUnit has no standard. The reports satisfy the schemas of both Jenkins (`junit-10.xsd` of its xUnit plugin) and Ant
(`JUnit.xsd` of windyroad).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from arena.bots.launch.output import sanitize_for_terminal


@dataclass(frozen=True, slots=True)
class JunitCase:
    """It has passed if all of its texts are empty."""

    name: str
    seconds: float = 0.0
    failure: str = ""
    error: str = ""
    skipped: str = ""


def junit_document(name: str, cases: Sequence[JunitCase], ended_at: float, output: Sequence[str] = ()) -> str:
    """`ended_at` is in seconds since 1970. `output` is shown as the suite's output."""
    seconds = sum(case.seconds for case in cases)
    started = datetime.fromtimestamp(ended_at - seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    suite = Element("testsuite", id="0", name=name, package="arena", hostname="localhost", timestamp=started)
    SubElement(suite, "properties")
    for case in cases:
        _add_case(suite, name, case)
    SubElement(suite, "system-out").text = "\n".join(map(sanitize_for_terminal, output))
    SubElement(suite, "system-err")
    for kind, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(kind, str(sum(1 for _ in suite.iter(tag))))
    suite.set("time", f"{seconds:.3f}")
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    return tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(suite: Element, class_name: str, case: JunitCase) -> None:
    element = SubElement(suite, "testcase", classname=class_name, name=case.name, time=f"{case.seconds:.3f}")
    for tag, text in (("failure", case.failure), ("error", case.error), ("skipped", case.skipped)):
        if text:
            kind = {} if tag == "skipped" else {"type": tag}
            SubElement(element, tag, {"message": sanitize_for_terminal(text), **kind})
