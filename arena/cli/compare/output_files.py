"""Writes the answer of a comparison to files: JUnit XML for CI, Markdown for a pull request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.bots.launch.output import sanitize_for_terminal
from arena.cli.compare.text import headline_of, replay_file_name, sentence_of
from arena.cli.exit_codes import ExitCode
from arena.cli.junit import JunitCase, junit_document
from arena.cli.output_file import check_writable, is_stream, write_file
from arena.competition.compare.comparison_result import ComparisonResult, ResultCode
from arena.competition.compare.scores import MAX_LISTED_GAMES
from arena.errors import OptionError

_NEVER_JUDGED_CODES: Final = {ResultCode.NOT_STARTED, ResultCode.SILENT, ResultCode.OTHER_GAME, ResultCode.CRASHED}
_JUNIT_SUITE: Final = "arena compare"
_NO_BATCH_TEXT: Final = "no batch of blocks was finished"


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """The files to which the answer is also written. None means that a file was not requested."""

    markdown: Path | None = None
    junit: Path | None = None
    replays: Path | None = None
    """Folder for the replays of the games that cost the candidate most."""

    def check_distinct(self) -> None:
        """Raise OptionError if two answers would go to the same file."""
        if self.markdown is not None and self.markdown == self.junit:
            raise OptionError("junit", str(self.junit), "expected another file than for --markdown")

    def prepare(self) -> None:
        """Check that all files can be written, then delete the files of an earlier run. Raises EnvironmentFaultError.

        Streams such as /dev/stdout are left alone.
        """
        replays = (
            []
            if self.replays is None
            else [self.replays / replay_file_name(number) for number in range(1, MAX_LISTED_GAMES + 1)]
        )
        paths = [path for path in (self.junit, self.markdown, *replays) if path is not None]
        for path in paths:
            check_writable(path)
        for path in paths:
            if path.is_file() and not is_stream(path):
                write_file(path, "")
                if not path.is_symlink():
                    path.unlink()

    def write(
        self, finding: ComparisonResult, figures: Sequence[str], code: ExitCode, at: float, replays: Mapping[str, str]
    ) -> None:
        """Write the files. Raises EnvironmentFaultError.

        `at` is the end of the comparison in seconds since 1970. `replays` maps file names to texts.
        """
        if self.junit is not None:
            write_file(self.junit, junit_xml(finding, figures, code, at))
        if self.markdown is not None:
            write_file(self.markdown, markdown_text(finding, figures))
        if self.replays is not None:
            for name, text in replays.items():
                write_file(self.replays / name, text)


def junit_xml(finding: ComparisonResult, figures: Sequence[str], code: ExitCode, at: float) -> str:
    """Return a JUnit report with three cases: the candidate starts and stays; it has few faults; it is strong enough.

    `at` is the end of the comparison in seconds since 1970.
    """
    sentence = sentence_of(finding)
    return junit_document(_JUNIT_SUITE, _junit_cases(finding, code, sentence), at, [sentence, *figures])


def _junit_cases(finding: ComparisonResult, code: ExitCode, sentence: str) -> Sequence[JunitCase]:
    """Return the three cases.

    A case that could not be examined is skipped. If the machine was too unsteady, the case `strength` is an error, not
    a failure. The number of faults is then unknown, because faults in void blocks never count.
    """
    is_there, is_unsteady = finding.code not in _NEVER_JUDGED_CODES, finding.code is ResultCode.UNSTEADY
    is_unseen = finding.code in (ResultCode.UNDECIDED, ResultCode.ROUGH) and finding.evidence is None
    has_faults = finding.code is ResultCode.FAULTS
    is_rough = finding.code is ResultCode.ROUGH
    is_judged = is_there and not has_faults and not is_unsteady and not is_rough
    return (
        JunitCase("starts", failure="" if is_there else sentence, skipped=_NO_BATCH_TEXT if is_unseen else ""),
        JunitCase("no_faults", failure=sentence if has_faults else "", skipped=_why_faults_unknown(finding)),
        JunitCase(
            "strength",
            finding.seconds,
            failure=sentence if is_judged and code is not ExitCode.YES else "",
            error=sentence if is_unsteady else "",
            skipped=sentence if is_rough else "" if is_judged or is_unsteady else "the strength was not judged",
        ),
    )


def _why_faults_unknown(finding: ComparisonResult) -> str:
    """Return why the number of the candidate's faults is unknown; empty if it is known."""
    if finding.code is ResultCode.FAULTS:
        return ""
    if finding.code in _NEVER_JUDGED_CODES:
        return "the candidate did not play"
    if finding.code is ResultCode.UNSTEADY:
        return "faults in void blocks do not count"
    return _NO_BATCH_TEXT if finding.evidence is None else ""


def markdown_text(finding: ComparisonResult, figures: Sequence[str]) -> str:
    """Return the answer as a heading and a code block with the sentence and the figures.

    Text from bots cannot act as Markdown inside the block.
    """
    text = "\n".join(map(sanitize_for_terminal, [sentence_of(finding), *figures])).replace("```", "'''")
    return f"## arena compare: {headline_of(finding)}\n\n```text\n{text}\n```\n"
