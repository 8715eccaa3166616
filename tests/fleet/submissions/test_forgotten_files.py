"""The files of an owner are in the export, and go when the owner is forgotten, unless somebody else needs them."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, insert

from arena.errors import EnvironmentFaultError, StoreError
from arena.fleet.submissions.forgotten_files import discard_files
from arena.fleet.submissions.submitted_programs import build_path
from arena.server.intake.owner_export import write_export
from arena.server.intake.package_files import StoredPackages, UploadFile
from arena.server.store.open_store import Store, open_store
from arena.server.store.tables import SUBMISSIONS, UPLOADS

OWN, SHARED = "aa" * 32, "bb" * 32


def add_rows(connection: Connection) -> None:
    row: dict[str, Any] = {"archive": "", "byte_count": 1, "pools": [], "state": "inactive", "sentence": ""}
    row |= {"refused_step": "", "created_at": 1.0, "changed_at": 1.0}
    for number, (owner, package) in enumerate([("ann", OWN), ("ann", SHARED), ("bob", SHARED)]):
        own = {"submission_id": f"S{number}", "owner": owner, "bot": f"{owner}bot", "version": str(number)}
        connection.execute(insert(SUBMISSIONS).values(**row, **own, package=package))
    upload = {"upload_id": "U1", "owner": "ann", "bot": "annbot", "sha256": "0", "byte_count": 9, "created_at": 1.0}
    connection.execute(insert(UPLOADS).values(upload))


@pytest.fixture
async def store(tmp_path: Path):
    async with await open_store(tmp_path / "data") as opened:
        for owner in ("ann", "bob"):
            await opened.owners.add(owner, "", 2)
            await opened.owners.create_bot(owner, f"{owner}bot")
        await opened.database.write(add_rows)
        upload = UploadFile(opened.submissions_folder / "uploads", "U1")
        upload.create()
        upload.write(b"half of it", 0)
        packages = StoredPackages(opened.submissions_folder / "packages")
        for package in (OWN, SHARED):
            packages.keep(upload.path, package)
            build = build_path(opened.folder, package)
            build.mkdir(parents=True)
            (build / f"{package}.program").touch()
        yield opened


def files(store: Store) -> set[str]:
    return {path.name for path in store.submissions_folder.rglob("*") if path.is_file()}


async def test_export_has_the_rows_and_the_packages(store: Store, tmp_path: Path):
    path = tmp_path / "ann.zip"

    count = write_export(store, await store.personal.export("ann"), path)

    with zipfile.ZipFile(path) as export:
        assert set(export.namelist()) == {"data.json", f"packages/{OWN}.tar.gz", f"packages/{SHARED}.tar.gz"}
        assert [row["submission_id"] for row in json.loads(export.read("data.json"))["submission"]] == ["S0", "S1"]
    assert (count, path.stat().st_mode & 0o777) == (2, 0o600)


async def test_export_replaces_no_file_and_follows_no_link(store: Store, tmp_path: Path):
    rows = await store.personal.export("ann")
    (tmp_path / "there.zip").write_text("somebody's")
    (tmp_path / "link.zip").symlink_to(tmp_path / "elsewhere.zip")

    for name in ("there.zip", "link.zip", "none/ann.zip"):
        with pytest.raises(EnvironmentFaultError, match="cannot be written"):
            write_export(store, rows, tmp_path / name)

    assert (tmp_path / "there.zip").read_text() == "somebody's"
    assert not (tmp_path / "elsewhere.zip").exists()


async def test_files_of_a_forgotten_owner_go_unless_somebody_else_needs_them(store: Store):
    left = await store.personal.shut_out("ann")

    await discard_files(store, left)
    await discard_files(store, left)  # as after an interruption

    assert files(store) == {f"{SHARED}.tar.gz", f"{SHARED}.program"}


async def test_file_that_cannot_be_removed_is_named_and_nothing_is_forgotten_yet(store: Store, monkeypatch):
    def fail(_: UploadFile) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(UploadFile, "discard", fail)
    left = await store.personal.shut_out("ann")

    with pytest.raises(StoreError, match="Read-only file system; run the command again"):
        await discard_files(store, left)

    assert (await store.owners.get("ann")).name == "ann"
