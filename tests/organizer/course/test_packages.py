"""Programs to compare are those that may play, and those that were refused when they had played."""

import io
import tarfile
from pathlib import Path

from arena.bots.submissions.submission import Submission, SubmissionState
from arena.organizer.course.packages import read_programs
from arena.server.intake.package_files import open_packages


def submitted(data: Path, version: str, state: SubmissionState, activated_at: float | None) -> Submission:
    path = open_packages(data).path(version)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo("bot.py")
        entry.size = len(version)
        archive.addfile(entry, io.BytesIO(version.encode()))
    return Submission(version, "b", "ann", version, version, 1, (), state, activated_at=activated_at)


def test_version_that_was_refused_when_it_had_played_stays(tmp_path: Path):
    rows = [
        submitted(tmp_path, "1", SubmissionState.INACTIVE, 10.0),
        submitted(tmp_path, "2", SubmissionState.INACTIVE, 20.0),
        submitted(tmp_path, "3", SubmissionState.REFUSED, 30.0),
        submitted(tmp_path, "4", SubmissionState.REFUSED, None),
        submitted(tmp_path, "5", SubmissionState.WITHDRAWN, 50.0),
    ]

    programs = {each.name: each.files for each in read_programs(rows, tmp_path)}

    assert programs == {"b@2": {"bot.py": b"2"}, "b@3": {"bot.py": b"3"}}
