"""What was built of a submission goes when nobody needs it, and never sooner."""

from pathlib import Path

from arena.bots.submissions.submission import SubmissionState
from arena.fleet.submissions.kept_builds import KEPT_AFTER_WITHDRAWAL_S, Cleanup
from arena.fleet.submissions.submitted_programs import SubmittedPrograms, build_path
from arena.server.intake.package_files import open_packages
from tests.support.submitted import submit

ACTIVE, REFUSED = SubmissionState.ACTIVE, SubmissionState.REFUSED


def keep(data: Path, package: str) -> None:
    """Put the archive of a package there, and what was built of it."""
    open_packages(data).path(package).parent.mkdir(parents=True, exist_ok=True)
    open_packages(data).path(package).write_bytes(b"archive")
    build_path(data, package).mkdir(parents=True)
    (build_path(data, package) / "bot.py").write_text("pass")
    (build_path(data, package) / "bot.toml").write_text('name = "ann-bot"\nversion = "1"\n')


def what_is_left(data: Path, package: str) -> tuple[bool, bool]:
    return open_packages(data).path(package).exists(), build_path(data, package).exists()


async def test_refused_package_is_removed(store):
    row = await submit(store, "1", REFUSED)
    keep(store.folder, row.package)

    await Cleanup(store.folder, store.submissions).discard_untried(row.package)

    assert what_is_left(store.folder, row.package) == (False, False)


async def test_package_that_an_active_version_has_stays(store):
    row = await submit(store, "1", ACTIVE)
    keep(store.folder, row.package)
    cleanup = Cleanup(store.folder, store.submissions)

    await cleanup.discard_untried(row.package)
    await cleanup.discard_old(row.changed_at + 10 * KEPT_AFTER_WITHDRAWAL_S)

    assert what_is_left(store.folder, row.package) == (True, True)


async def test_withdrawn_version_stays_built_for_sealed_leagues_for_a_month(store):
    row = await submit(store, "1", ACTIVE)
    keep(store.folder, row.package)
    withdrawn = await store.submissions.withdraw("ann-bot", "1")
    cleanup, programs = Cleanup(store.folder, store.submissions), SubmittedPrograms(store.folder)

    await cleanup.discard_old(withdrawn.changed_at + KEPT_AFTER_WITHDRAWAL_S - 1)
    assert programs.find_content("ann-bot", row.package) is not None

    await cleanup.discard_old(withdrawn.changed_at + KEPT_AFTER_WITHDRAWAL_S + 1)
    assert programs.find_content("ann-bot", row.package) is None


async def test_folder_that_belongs_to_no_submission_is_left_alone(store):
    keep(store.folder, "unknown")

    await Cleanup(store.folder, store.submissions).discard_old(1e12)

    assert what_is_left(store.folder, "unknown") == (True, True)


async def test_part_of_a_build_that_was_killed_is_removed(store):
    part = build_path(store.folder, ".abc.01")
    part.mkdir(parents=True)

    await Cleanup(store.folder, store.submissions).discard_parts()

    assert not part.exists()
