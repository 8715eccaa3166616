"""Writes what is stored about an owner, rows and packages, into one file."""

import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from arena.errors import EnvironmentFaultError
from arena.server.intake.package_files import open_packages
from arena.server.store.open_store import Store

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
