"""The files of an owner: written into an export, and discarded when the owner is forgotten."""

import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from arena.errors import EnvironmentFaultError, StoreError
from arena.server.intake.package_files import UploadFile, open_packages
from arena.server.store.open_store import Store
from arena.server.store.personal_data import OwnFiles

DATA_FILE: Final = "data.json"


def write_export(store: Store, rows: Mapping[str, Sequence[Any]], path: Path) -> int:
    """Write the rows of `PersonalDataStore.export` and the owner's packages to a new ZIP file, readable by this user.

    Return how many packages it has. Raises EnvironmentFaultError if the file is there already or cannot be written.
    """
    packages, count = open_packages(store.folder), 0
    try:
        with (
            os.fdopen(
                os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o600), "wb"
            ) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as export,
        ):
            export.writestr(DATA_FILE, json.dumps(rows, indent=1, ensure_ascii=False))
            for package in sorted({row["package"] for row in rows["submission"]}):
                with suppress(FileNotFoundError):  # it was withdrawn
                    export.write(packages.path(package), f"packages/{package}.tar.gz")
                    count += 1
    except OSError as error:
        raise EnvironmentFaultError(f"{path} cannot be written: {error.strerror}") from error
    return count


async def discard_files(store: Store, files: OwnFiles) -> None:
    """Discard the uploads of an owner, and the packages that nobody else needs. Raises StoreError."""
    packages = open_packages(store.folder)
    try:
        for upload_id in files.uploads:
            UploadFile(store.submissions_folder / "uploads", upload_id).discard()
        for package in files.packages:
            await packages.discard_unneeded(package, store.submissions)
    except OSError as error:
        raise StoreError(f"a file of the owner cannot be removed: {error}; run the command again") from error
