"""A data folder is copied while its server runs: what the database refers to is in the copy, as of one instant."""

import asyncio
import itertools
import os
import shutil
import sqlite3
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.errors import RequestError, StoreError, StoreVersionError
from arena.server.store import folder_copy
from arena.server.store.data_folder import acquire_folder_lock
from arena.server.store.folder_copy import copy_data_folder, restore_data_folder
from arena.server.store.open_store import Store, open_store


@pytest.fixture
async def filled(tmp_path: Path, match_row):
    """A data folder with something in every place, whose server runs."""
    folder = tmp_path / "data"
    with acquire_folder_lock(folder) as held:
        async with await open_store(folder, held) as store:
            await store.results.add_match(match_row())
            for name in (
                "receipt.key",
                "journals/one.journal",
                "leagues/one.secret",
                "pools/one/report.html",
                "submissions/packages/one.tar.gz",
                "submissions/builds/one/bin/bot",
                "of/a/later/version",
                "submissions/uploads/one.part",
                "bots/one.log",
            ):
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(name)
                path.chmod(0o700 if name.endswith("bot") else 0o600)
            yield store


def contents(folder: Path) -> dict[str, tuple[str, int]]:
    """Return the content and the permissions of each file, except those that the server has for itself."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("arena."))
    return {
        path.relative_to(folder).as_posix(): (path.read_text(), stat.S_IMODE(path.stat().st_mode)) for path in files
    }


async def test_copy_of_a_copy_has_everything_but_uploads_and_the_output_of_bots(filled: Store, tmp_path: Path):
    wanted = contents(filled.folder)
    for name in ("submissions/uploads/one.part", "bots/one.log"):
        del wanted[name]

    copy_data_folder(filled.folder, tmp_path / "backup")
    restore_data_folder(tmp_path / "backup", tmp_path / "restored")

    assert contents(tmp_path / "backup") == contents(tmp_path / "restored") == wanted
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "restored").rglob("*") if path.is_dir()}
    assert (modes <= {0o700, 0o755}, stat.S_IMODE((tmp_path / "restored").stat().st_mode)) == (True, 0o700)
    assert stat.S_IMODE((tmp_path / "restored" / "arena.db").stat().st_mode) == 0o600
    with acquire_folder_lock(tmp_path / "restored") as held:
        assert held.number == 2, "the journals of the next server are told from those before"
        async with await open_store(tmp_path / "restored", held) as store:
            assert len(await store.results.unfinished_matches()) == 1


async def test_what_goes_and_comes_while_it_is_copied_fits_the_database(filled: Store, tmp_path: Path, monkeypatch):
    """A version is withdrawn and a league sealed just before the snapshot, and a match goes on just after it."""
    folder, copy_database = filled.folder, folder_copy._copy_database

    def copy_amid_changes(source: Path, target: Path) -> Mapping[Path, int]:
        (folder / "submissions/packages/one.tar.gz").unlink()
        (folder / "leagues/two.secret").write_text("new")
        sizes = copy_database(source, target)
        (folder / "journals/one.journal").write_text("journals/one.journal and more")
        (folder / "journals/two.journal").write_text("a node that starts")
        return sizes

    monkeypatch.setattr(folder_copy, "_copy_database", copy_amid_changes)
    copy_data_folder(folder, tmp_path / "backup")

    files = contents(tmp_path / "backup")
    assert {"submissions/packages/one.tar.gz", "leagues/two.secret"} <= files.keys()
    assert files["journals/one.journal"][0] == "journals/one.journal"
    assert "journals/two.journal" not in files


async def test_database_is_of_one_instant_however_long_it_takes(filled: Store, tmp_path: Path):
    """Nobody who writes waits for the copy."""
    writes = asyncio.create_task(add_owners(filled))
    await asyncio.to_thread(copy_data_folder, filled.folder, tmp_path / "backup")
    writes.cancel()

    async with await open_store(tmp_path / "backup") as store:
        names = [int(owner.name.removeprefix("ann-")) for owner in await store.owners.list()]
    assert sorted(names) == [*range(len(names))]


async def add_owners(store: Store) -> None:
    for number in itertools.count():
        await store.owners.add(f"ann-{number}", "", 1)


async def test_interrupted_copy_is_no_data_folder(filled: Store, tmp_path: Path, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("arena.server.store.folder_copy._copy_beginning", fail)
    with pytest.raises(StoreError, match="the disk is full"):
        copy_data_folder(filled.folder, tmp_path / "backup")

    with pytest.raises(RequestError, match="no whole copy"):
        restore_data_folder(tmp_path / "backup", tmp_path / "restored")


@pytest.mark.skipif(os.name != "posix", reason="sockets are no files there")
async def test_sockets_are_left_out_and_links_stay_links(filled: Store, tmp_path: Path):
    os.mkfifo(filled.folder / "bots.sock")
    (filled.folder / "submissions/builds/one/link").symlink_to("bin/bot")

    copy_data_folder(filled.folder, tmp_path / "backup")

    assert not (tmp_path / "backup" / "bots.sock").exists()
    assert (tmp_path / "backup/submissions/builds/one/link").readlink() == Path("bin/bot")


async def test_folder_that_was_moved_to_another_disk_is_in_the_copy(filled: Store, tmp_path: Path):
    wanted = contents(filled.folder)
    for name in ("submissions", "journals"):
        (filled.folder / name).rename(tmp_path / name)
        (filled.folder / name).symlink_to(tmp_path / name)

    copy_data_folder(filled.folder, tmp_path / "backup")

    copied = contents(tmp_path / "backup")
    assert copied.items() <= wanted.items()
    assert {"submissions/packages/one.tar.gz", "journals/one.journal"} <= copied.keys()
    assert not any((tmp_path / "backup" / name).is_symlink() for name in ("submissions", "journals"))


async def test_folders_that_cannot_be_written_are_copied(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    builds, copy = filled.folder / "submissions/builds/one/bin", shutil.copy2
    builds.chmod(0o555)

    def copy_without_being_root(source: Path, target: Path, *, follow_symlinks: bool) -> None:
        assert target.parent.stat().st_mode & stat.S_IWUSR, f"{target.parent} cannot be written"
        copy(source, target, follow_symlinks=follow_symlinks)

    monkeypatch.setattr("shutil.copy2", copy_without_being_root)
    copy_data_folder(filled.folder, tmp_path / "backup")
    builds.chmod(0o700)

    copied = tmp_path / "backup/submissions/builds/one/bin"
    assert stat.S_IMODE(copied.stat().st_mode) == 0o555
    copied.chmod(0o700)  # so that the test can be cleaned up


async def test_backup_that_cannot_be_written_is_restored(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    backup = tmp_path / "backup"
    copy_data_folder(filled.folder, backup)
    before, restored = sorted(backup.iterdir()), tmp_path / "restored"
    opened = list[str]()
    connect = sqlite3.connect

    def connect_and_note(path: str | Path, **options: Any) -> Any:
        opened.append(str(path))
        return connect(path, **options)

    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != backup)
    monkeypatch.setattr("sqlite3.connect", connect_and_note)
    restore_data_folder(backup, restored)

    assert all("immutable" in each for each in opened if str(backup) in each)
    assert sorted(backup.iterdir()) == before
    assert contents(restored) == contents(backup)


async def test_nothing_is_written_over_or_into_itself(filled: Store, tmp_path: Path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()

    with pytest.raises(RequestError, match="not an empty folder"):
        copy_data_folder(filled.folder, tmp_path / "full")
    with pytest.raises(RequestError, match="cannot be inside"):
        copy_data_folder(filled.folder, filled.folder / "backup")
    with pytest.raises(RequestError, match="no data folder"):
        copy_data_folder(tmp_path / "full", tmp_path / "other")


async def test_backup_of_a_newer_version_is_refused(filled: Store, tmp_path: Path):
    copy_data_folder(filled.folder, tmp_path / "backup")
    connection = sqlite3.connect(tmp_path / "backup" / "arena.db")
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()

    with pytest.raises(StoreVersionError):
        restore_data_folder(tmp_path / "backup", tmp_path / "restored")
    assert not (tmp_path / "restored").exists()
