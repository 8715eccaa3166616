"""The answer of a comparison as files: JUnit for CI, Markdown for the page of a pull request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from arena.cli.compare_words import replay_name, sentence_of
from arena.cli.exits import Exit
from arena.compare.finding import Code, Finding
from arena.compare.scores import TOLD
from arena.errors import EnvironmentFaultError
from arena.launch.output import harmless

_NOT_THERE: Final = {Code.NOT_STARTED, Code.SILENT, Code.OTHER_GAME, Code.CRASHED}
_SUITE: Final = "arena compare"
_UNSEEN: Final = "no batch of blocks was over"


@dataclass(frozen=True, slots=True)
class Files:
    """Where the answer is wanted besides; None: not there."""

    markdown: Path | None = None
    junit: Path | None = None
    replays: Path | None = None
    """A folder."""

    def check(self) -> None:
        """See to it that all can be written, and that none is left of another time. Raises EnvironmentFaultError.

        What is no file of its own, such as /dev/stdout, stays.
        """
        replays = [] if self.replays is None else [self.replays / replay_name(number) for number in range(1, TOLD + 1)]
        paths = [path for path in (self.junit, self.markdown, *replays) if path is not None]
        for path in paths:
            _check(path)
        for path in paths:
            if path.is_file():
                write_file(path, "")
                if not path.is_symlink():
                    path.unlink()

    def write(
        self, finding: Finding, figures: Sequence[str], code: Exit, at: float, replays: Mapping[str, str]
    ) -> None:
        """Write what is wanted; `at`: seconds since 1970, `replays` by name of their file.

        Raises EnvironmentFaultError.
        """
        if self.junit is not None:
            write_file(self.junit, junit_of(finding, figures, code, at))
        if self.markdown is not None:
            write_file(self.markdown, markdown_of(finding, figures))
        if self.replays is not None:
            for name, text in replays.items():
                write_file(self.replays / name, text)


def _check(path: Path) -> None:
    """See to it that a file can be written, and leave all as it was. Raises EnvironmentFaultError."""
    is_new = not (path.exists() or path.is_symlink())
    write_file(path, "", mode="a")
    if is_new:
        path.unlink()


def write_file(path: Path, text: str, mode: Literal["w", "a"] = "w") -> None:
    """Write a file, or add to it, and make its folder if there is none. Raises EnvironmentFaultError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise EnvironmentFaultError(f"{path} cannot be written: {error.strerror}") from error


def junit_of(finding: Finding, figures: Sequence[str], code: Exit, at: float) -> str:
    """Three cases: that it starts and stays, that it has few faults, and how strong it is.

    What could not be looked at is skipped; a machine that was too unsteady is an error, no failure, and says nothing
    about faults: those of blocks that are void do not count, whoever brought that about. `at`: when it was
    over, seconds since 1970. There is no standard: this is what the schemas of Jenkins (`junit-10.xsd` of its xUnit
    plugin) and of Ant (`JUnit.xsd` of windyroad) both allow.
    """
    sentence = sentence_of(finding)
    suite = _suite(datetime.fromtimestamp(at - finding.seconds, UTC))
    _add_cases(suite, finding, code, sentence)
    SubElement(suite, "system-out").text = "\n".join(map(harmless, [sentence, *figures]))
    SubElement(suite, "system-err")
    for kind, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(kind, str(sum(1 for _ in suite.iter(tag))))
    suite.set("time", f"{finding.seconds:.3f}")
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    return tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _suite(begun: datetime) -> Element:
    """What stands before the cases."""
    begun_text = begun.strftime("%Y-%m-%dT%H:%M:%S")
    suite = Element("testsuite", id="0", name=_SUITE, package="arena", hostname="localhost", timestamp=begun_text)
    SubElement(suite, "properties")
    return suite


def _add_cases(suite: Element, finding: Finding, code: Exit, sentence: str) -> None:
    is_there, is_unsteady = finding.code not in _NOT_THERE, finding.code is Code.UNSTEADY
    is_unseen = finding.code is Code.UNDECIDED and finding.evidence is None
    has_faults = finding.code is Code.FAULTS
    is_judged = is_there and not has_faults and not is_unsteady
    _case(suite, "starts", 0.0, failure="" if is_there else sentence, skipped=_UNSEEN if is_unseen else "")
    _case(suite, "no_faults", 0.0, failure=sentence if has_faults else "", skipped=_why_not_looked_at(finding))
    _case(
        suite,
        "strength",
        finding.seconds,
        failure=sentence if is_judged and code is not Exit.YES else "",
        error=sentence if is_unsteady else "",
        skipped="" if is_judged or is_unsteady else "it was not judged",
    )


def _why_not_looked_at(finding: Finding) -> str:
    """Say why nobody knows how many faults it has; empty: one does."""
    if finding.code is Code.FAULTS:
        return ""
    if finding.code in _NOT_THERE:
        return "it was not there"
    if finding.code is Code.UNSTEADY:
        return "faults of blocks that are void do not count"
    return _UNSEEN if finding.evidence is None else ""


def _case(suite: Element, name: str, seconds: float, failure: str = "", error: str = "", skipped: str = "") -> None:
    case = SubElement(suite, "testcase", name=name, classname=_SUITE, time=f"{seconds:.3f}")
    for tag, text in (("failure", failure), ("error", error), ("skipped", skipped)):
        if text:
            SubElement(case, tag, {"message": harmless(text), **({} if tag == "skipped" else {"type": tag})})


def markdown_of(finding: Finding, figures: Sequence[str]) -> str:
    """The answer in a word, then the sentence and the figures as they are: nothing of them acts as Markdown."""
    told = "\n".join(map(harmless, [sentence_of(finding), *figures])).replace("```", "'''")
    return f"## arena compare: {finding.code.value.replace('_', ' ')}\n\n```text\n{told}\n```\n"
