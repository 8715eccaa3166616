"""Writes the answer of a comparison to files: JUnit XML for CI, Markdown for a pull request."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Final

from arena.bots.launch.output import sanitize_for_terminal
from arena.cli.compare.answer import headline_of, sentence_of
from arena.cli.compare.options import OutputFiles
from arena.cli.exit_codes import ExitCode
from arena.cli.junit import JunitCase, junit_document
from arena.cli.output_file import check_writable, is_stream, write_file
from arena.cli.replay.text import header_lines, line_texts
from arena.competition.compare.comparison_result import ComparisonResult, ResultCode
from arena.competition.compare.scores import MAX_LISTED_GAMES, CostlyGame
from arena.games.catalogue import games, phrasing_of
from arena.plurals import format_count
from arena.replays.library.library import Library
from arena.replays.narration.move_numbers import number_lines
from arena.replays.narration.narrate import narrate

_NEVER_JUDGED_CODES: Final = {ResultCode.NOT_STARTED, ResultCode.SILENT, ResultCode.OTHER_GAME, ResultCode.CRASHED}
_JUNIT_SUITE: Final = "arena compare"
_NO_BATCH_TEXT: Final = "no batch of blocks was finished"


def replay_file_name(number: int) -> str:
    """Number 1 is the most costly game."""
    return f"costly-{number}.txt"


def prepare_files(files: OutputFiles) -> None:
    """Check that all files can be written, then delete the files of an earlier run. Raises EnvironmentFaultError.

    Streams such as /dev/stdout are left alone.
    """
    folder, numbers = files.replays, range(1, MAX_LISTED_GAMES + 1)
    replays = [] if folder is None else [folder / replay_file_name(number) for number in numbers]
    paths = [path for path in (files.junit, files.markdown, *replays) if path is not None]
    for path in paths:
        check_writable(path)
    for path in paths:
        if path.is_file() and not is_stream(path):
            write_file(path, "")
            if not path.is_symlink():
                path.unlink()


def write_answer(
    files: OutputFiles,
    finding: ComparisonResult,
    figures: Sequence[str],
    code: ExitCode,
    at: float,
    replays: Mapping[str, str],
) -> None:
    """`at` is the end of the comparison in seconds since 1970. `replays` maps file names to texts.

    Raises EnvironmentFaultError.
    """
    if files.junit is not None:
        write_file(files.junit, junit_xml(finding, figures, code, at))
    if files.markdown is not None:
        write_file(files.markdown, markdown_text(finding, figures))
    if files.replays is not None:
        for name, text in replays.items():
            write_file(files.replays / name, text)


def junit_xml(finding: ComparisonResult, figures: Sequence[str], code: ExitCode, at: float) -> str:
    """Return a JUnit report with three cases: the candidate starts and stays; it has few faults; it is strong enough.

    `at` is the end of the comparison in seconds since 1970.
    """
    sentence = sentence_of(finding)
    return junit_document(_JUNIT_SUITE, _junit_cases(finding, code, sentence), at, [sentence, *figures])


def _junit_cases(finding: ComparisonResult, code: ExitCode, sentence: str) -> Sequence[JunitCase]:
    """A case that could not be examined is skipped. If the machine was too unsteady, the case `strength` is an error,
    not a failure. The number of faults is then unknown, because faults in void blocks never count.
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
    """Empty if the number is known."""
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


_SEPARATOR: Final = "=" * 100


async def render_replays(losses: Sequence[CostlyGame], roles: Mapping[str, str], library: Library) -> dict[str, str]:
    """Return the texts of these games by file name. `roles` maps names at the table to roles.

    Each text has three chapters:

    1. what the candidate knew, decision by decision;
    2. the whole game, with all hands;
    3. the baseline's game with the same hand.

    Raises RequestError if a game is still being played.
    """
    return {
        replay_file_name(number): "\n".join([line async for line in _render_lines(loss, roles, library)]) + "\n"
        for number, loss in enumerate(losses, 1)
    }


async def _render_lines(loss: CostlyGame, roles: Mapping[str, str], library: Library) -> AsyncIterator[str]:
    chapters: Iterable[tuple[str, str, int | None]] = (
        (f"what the candidate knew, in seat {loss.seat}", loss.match_id, loss.seat),
        ("the whole game, with all hands", loss.match_id, None),
        (f"the baseline in seat {loss.seat}: the same hand, the same opponents", loss.same_hand, None),
    )
    places = format_count(loss.places, "place", "g")
    yield f"The candidate finished {places} below the baseline, which held the same hand."
    for title, match_id, seat in chapters:
        entry, lines, remark = await narrate(library, match_id, games(), phrasing_of, seat=seat)
        who = ", ".join(f"seat {seat} is {name}: {roles[name]}" for seat, name in enumerate(entry.entrants))
        texts = [f"\n{_SEPARATOR}", f"{title}\n{_SEPARATOR}", *header_lines(entry), who]
        numbered = number_lines(lines, phrasing_of(games()[entry.terms["game"]]))
        for text in [*texts, *(text for line, turn in numbered for text in line_texts(line, turn)), remark]:
            yield "\n".join(map(sanitize_for_terminal, text.split("\n")))
