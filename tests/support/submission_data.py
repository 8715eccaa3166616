"""Submissions of two owners, and archives to submit, made without a server."""

import hashlib
import io
import tarfile
from pathlib import Path

from arena.bots.submissions.submission import STEPS, NewSubmission, Submission, SubmissionState
from arena.bots.submissions.submission_settings import IntakeOffer, SubmissionSettings
from arena.server.intake.intake import Intake
from arena.server.intake.server_intake import open_intake
from arena.server.store.open_store import Store
from tests.support.archives import SCRIPT, entry

SETTINGS = SubmissionSettings(enabled=True, archive_mb=1, unpacked_mb=2, queued=2)
OFFER = IntakeOffer(SETTINGS, {"open": "cheat"})


def make_archive(version: str = "1.0", name: str = "counter", more: str = "", ballast: bytes = b"") -> bytes:
    """Return the archive of a package; `ballast` is one more file."""
    manifest = f'name = "{name}"\nversion = "{version}"\n{more}'.encode()
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz", format=tarfile.GNU_FORMAT) as archive:
        for info, content in (entry("bot.toml", manifest), entry("bot.py", SCRIPT), entry("ballast", ballast)):
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def intake_of(store: Store, offer: IntakeOffer = OFFER) -> Intake:
    """Return the intake of a server that takes submissions."""
    return open_intake(store, offer)


async def add_owners(store: Store) -> None:
    """Add the owners Ada and Bea."""
    for owner in ("Ada", "Bea"):
        await store.owners.add(owner, "", 3)
        await store.tokens.create(owner, ["own"], owner=owner)


async def add_submission(store: Store, version: str, bot: str = "counter", owner: str = "Ada") -> Submission:
    """Add a submission, which is queued."""
    new = NewSubmission(owner, bot, version, hashlib.sha256(version.encode()).hexdigest(), 1_000, ("open",))
    row = await store.submissions.accept(new, SubmissionSettings(queued=99, versions_a_day=99))
    await store.submissions.move(row.submission_id, SubmissionState.ACCEPTED, SubmissionState.QUEUED)
    return await store.submissions.get(row.submission_id)


async def try_submission(store: Store, submission_id: str, sentence: str = "It holds.", log: str = "") -> None:
    """Take a queued submission through all steps, as the worker does. Each has this sentence and log."""
    for state, following in zip((SubmissionState.QUEUED, *STEPS), (*STEPS, SubmissionState.ACTIVE), strict=True):
        if state in STEPS:
            await store.submissions.start_step(submission_id, state)
            await store.submissions.end_step(submission_id, state, is_passed=True, sentence=sentence, log=log)
        await store.submissions.move(submission_id, state, following)


async def refuse_submission(store: Store, submission_id: str, sentence: str, log: str) -> None:
    """Let the build of a queued submission fail."""
    await store.submissions.move(submission_id, SubmissionState.QUEUED, SubmissionState.BUILDING)
    await store.submissions.start_step(submission_id, SubmissionState.BUILDING)
    await store.submissions.end_step(
        submission_id, SubmissionState.BUILDING, is_passed=False, sentence=sentence, log=log
    )
    await store.submissions.move(submission_id, SubmissionState.BUILDING, SubmissionState.REFUSED, sentence=sentence)


def stored_files(store: Store) -> list[str]:
    """Return the paths of everything that was kept of packages and uploads."""
    folder: Path = store.submissions_folder
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
