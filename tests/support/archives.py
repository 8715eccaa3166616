"""Archives for tests: whole ones, and ones that break a rule."""

import gzip
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MANIFEST = b'name = "counter"\nversion = "1.0"\n'
SCRIPT = b"print('hello')\n"
FILES: Mapping[str, bytes] = {"bot.toml": MANIFEST, "bot.py": SCRIPT}


def write_folder(folder: Path, files: Mapping[str, bytes] = FILES) -> Path:
    """Write the files of a package below a folder, and return the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def entry(path: str, content: bytes = b"", **fields: Any) -> tuple[tarfile.TarInfo, bytes]:
    """Return an entry of an archive with these fields of its header."""
    info = tarfile.TarInfo(path)
    info.size, info.mode = len(content), 0o644
    for name, value in fields.items():
        setattr(info, name, value)
    return info, content


def tar(*entries: tuple[tarfile.TarInfo, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    """Return a tar archive with these entries, after those of a whole package."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form, encoding="utf-8", errors="surrogateescape") as archive:
        for info, content in (*(entry(path, each) for path, each in FILES.items()), *entries):
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def tar_gz(*entries: tuple[tarfile.TarInfo, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    """Return `tar(...)` compressed."""
    return gzip.compress(tar(*entries, form=form), mtime=0)
