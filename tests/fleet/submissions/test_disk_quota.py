"""Built programs of one owner have a limit together, and the disk of the server is never filled."""

import os
import shutil
from types import SimpleNamespace

import pytest

from arena.bots.submissions.submission import Submission, SubmissionState
from arena.errors import EnvironmentFaultError
from arena.fleet.submissions.kept_builds import FREE_BYTES, DiskQuota, measure_folder
from arena.fleet.submissions.submitted_programs import build_path
from arena.server.store.open_store import Store
from tests.support.submitted import submit

ACTIVE, REFUSED = SubmissionState.ACTIVE, SubmissionState.REFUSED


async def build(store: Store, version: str, megabytes: float, state: SubmissionState = ACTIVE) -> Submission:
    row = await submit(store, version, state)
    place = build_path(store.folder, row.package)
    place.mkdir(parents=True)
    (place / "bot").write_bytes(bytes(int(megabytes * (1 << 20))))
    return row


async def test_built_programs_of_an_owner_have_a_limit_together(store):
    quota = DiskQuota(store.folder, store.submissions, stored_mb=3)
    first = await build(store, "1", 2)
    assert await quota.find_excess(first) == ""

    second = await build(store, "2", 1.5)

    assert (await quota.find_excess(second)).startswith(
        "with it, what was built of your versions has 3.5 MB, more than the 3 MB allowed: `kept` in bot.toml"
    )


async def test_withdrawn_versions_leave_room_for_others(store):
    quota = DiskQuota(store.folder, store.submissions, stored_mb=3)
    await build(store, "1", 2, REFUSED)
    await build(store, "2", 2)
    await store.submissions.withdraw("ann-bot", "2")

    assert await quota.find_excess(await build(store, "3", 2)) == ""


async def test_withdrawn_versions_fill_no_disk(store):
    """They stay built for a while, because a league may have sealed them."""
    quota = DiskQuota(store.folder, store.submissions, stored_mb=3)
    for version in "123":
        row = await build(store, version, 2)
        assert await quota.find_excess(row) == ""
        await store.submissions.withdraw("ann-bot", version)

    assert await quota.find_excess(await build(store, "4", 1)) == (
        "with it, what was built of your versions and of those withdrawn within 30 days has 7 MB, "
        "more than the 6 MB allowed: `kept` in bot.toml leaves out what is not needed, or wait until those are removed"
    )


def test_links_of_a_bot_are_not_followed(tmp_path):
    (tmp_path / "bot").write_bytes(b"x" * 100)
    outside = tmp_path.parent / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "large").write_bytes(bytes(10_000))
    (tmp_path / "folder").symlink_to(outside)
    (tmp_path / "file").symlink_to(outside / "large")

    assert measure_folder(tmp_path) < 1_000
    assert measure_folder(tmp_path / "nowhere") == 0


def test_file_that_is_removed_meanwhile_does_not_count(tmp_path, monkeypatch):
    """Otherwise the machine would seem to have failed, and the build would be done again."""
    (tmp_path / "bot").write_bytes(b"x" * 100)
    monkeypatch.setattr(os, "walk", lambda _: [(str(tmp_path), [], ["bot", "gone"])])

    assert measure_folder(tmp_path) == 100


async def test_no_build_begins_on_a_full_disk(store, monkeypatch):
    quota = DiskQuota(store.folder, store.submissions, stored_mb=3)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=FREE_BYTES))
    quota.check_free()

    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=FREE_BYTES - 1))
    with pytest.raises(EnvironmentFaultError, match="builds wait: 1024 MB of the disk are free, less than 1024 MB"):
        quota.check_free()
