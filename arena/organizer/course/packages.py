"""Reads the files of submitted programs, and of the samples, to compare them."""

import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.bots.launch.programs import sample_folders
from arena.bots.submissions.submission import FINAL, Submission, SubmissionState
from arena.organizer.course.likeness import SUFFIXES, Program
from arena.server.intake.package_files import open_packages
from cheatarena.new_bot import BOT, TEST

MOST_BYTES: Final = 1 << 18
"""A larger file is nothing that a person wrote, and is left out."""


def read_programs(submissions: Iterable[Submission], data: Path) -> Iterator[Program]:
    """Yield the newest version of each bot that is neither refused nor withdrawn and whose package is there.

    With it the newest that has played and was refused then, because the organizer refused it, perhaps as a copy.
    `submissions` has the oldest first.
    """
    newest = {}
    for each in submissions:
        is_refused = each.state in FINAL
        if not is_refused or (each.state is SubmissionState.REFUSED and each.activated_at is not None):
            newest[each.bot, is_refused] = each
    packages = open_packages(data)
    for each in newest.values():
        with suppress(OSError, tarfile.TarError, zlib.error, EOFError):
            yield Program(each.owner, f"{each.bot}@{each.version}", _read_archive(packages.path(each.package)))


def read_samples() -> Iterator[Mapping[str, bytes]]:
    """Yield what everybody is given: the sources of each sample bot by path, and of a bot as `new` writes it."""
    yield {"bot.py": BOT.encode(), "test_bot.py": TEST.encode()}
    for folder in sample_folders():
        files = (path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())
        yield {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _read_archive(path: Path) -> dict[str, bytes]:
    files = dict[str, bytes]()
    with tarfile.open(path) as archive:  # the intake has checked it
        for entry in archive:
            if entry.isfile() and entry.size <= MOST_BYTES and (content := archive.extractfile(entry)) is not None:
                files[entry.name] = content.read()
    return files
