"""Receives archives in pieces, checks the packages in them, and makes submissions of them."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from arena.bots.packages.package_check import Package
from arena.bots.packages.rules import MEBIBYTE, PackageLimits, Rule, format_size
from arena.bots.packages.unpacking import check_archive
from arena.bots.submissions.submission import (
    UPLOAD,
    NewSubmission,
    Submission,
    SubmissionState,
    UploadRow,
    UploadStart,
)
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.errors import CapacityError, OptionError, PackageRefusedError, RequestError, StoreError, UnknownNameError
from arena.server.intake.package_files import StoredPackages, UploadFile
from arena.server.store.submission_store import SubmissionStore
from arena.server.store.taken_names import normalize_name
from arena.server.store.upload_store import UploadStore

UPLOAD_AGE_S: Final = 86_400.0
"""Seconds after its beginning for which an upload may go on."""
_DIGEST_LENGTH: Final = 64
_PIECE_BYTES: Final = 1 << 20
_ATTEMPTS: Final = 5
"""How often an upload is begun, because another stream has ended the one before it."""


class Intake:
    """Receives uploads. Every call raises StoreError if the store or its folder cannot be used."""

    def __init__(
        self,
        packages: StoredPackages,
        uploads_folder: Path,
        settings: SubmissionSettings,
        submissions: SubmissionStore,
        uploads: UploadStore,
        pools: Mapping[str, str],
    ) -> None:
        """`pools` has the game of each of the server's pools, by the pool's name."""
        self._packages = packages
        self._uploads_folder = uploads_folder
        self._submissions, self._uploads = submissions, uploads
        self._pools = pools
        self._limits = package_limits(settings)
        self._quotas = settings
        self._checking = asyncio.Lock()
        """Held while a package is checked and accepted: one at a time."""

    @property
    def archive_bytes(self) -> int:
        return self._limits.archive_bytes

    async def submit(self, owner: str, archive: IO[bytes]) -> Submission:
        """The archive has arrived whole; the bot is what the package names.

        Raises what the other methods raise, and OSError if the archive cannot be read.
        """
        async with self._checking:
            bot = (await asyncio.to_thread(_check_whole, archive, self._limits)).manifest.name
        sha256, byte_count = await asyncio.to_thread(_measure, archive)
        for attempt in range(1, _ATTEMPTS + 1):
            start = await self.begin(owner, bot, sha256, byte_count)
            if start.submission is not None:
                return start.submission
            try:
                await self.receive(owner, start.upload_id, start.offset, _read_pieces(archive, start.offset))
                return await self.finish(owner, start.upload_id)
            except UnknownNameError as error:
                if error.kind != UPLOAD or attempt == _ATTEMPTS:
                    raise  # otherwise somebody else has submitted the same archive meanwhile
        raise AssertionError("the last attempt returns or raises")

    async def begin(self, owner: str, bot: str, sha256: str, byte_count: int) -> UploadStart:
        """Return where the upload of an archive goes on, or its submission if it was accepted before.

        Raises OptionError for a bad value or a bot that the owner cannot have, PackageRefusedError for an archive that
        is too large, and CapacityError beyond a quota.
        """
        name = normalize_name(bot, "bot")
        if len(sha256) != _DIGEST_LENGTH:
            raise OptionError("sha256", sha256, "expected the 32 bytes of the archive's SHA-256")
        if byte_count < 1:
            raise OptionError("byte_count", byte_count, "expected the size of the archive in bytes")
        if byte_count > self._limits.archive_bytes:
            allowed = format_size(self._limits.archive_bytes)
            raise PackageRefusedError(Rule.TOO_LARGE, f"the archive is too large: at most {allowed}")
        accepted = await self._submissions.find_archive(owner, name, sha256)
        if accepted is not None:
            return UploadStart(submission=accepted)
        await self._discard_old_uploads()
        await self._submissions.check_admission(owner, name, byte_count, self._quotas)
        row = await self._uploads.begin(owner, name, sha256, byte_count)
        file = self._file(row)
        with _file_errors(row):
            await asyncio.to_thread(file.create)
            return UploadStart(row.upload_id, await asyncio.to_thread(file.size))

    async def receive(self, owner: str, upload_id: str, offset: int, pieces: AsyncIterator[bytes]) -> None:
        """What arrives before `pieces` raises is kept.

        Several streams may bring the same upload; bytes that have arrived already are skipped. Raises UnknownNameError
        for an upload that the owner does not have, or that has ended. Raises OptionError for an offset beyond the bytes
        that have arrived, and RequestError if more bytes come than were announced.
        """
        row = await self._find(owner, upload_id)
        file = self._file(row)
        with _file_errors(row):
            size = await asyncio.to_thread(file.size)
            if offset > size:
                raise OptionError("offset", offset, f"expected at most {size}: that many bytes have arrived")
            async for piece in pieces:
                if offset + len(piece) > row.byte_count:
                    raise RequestError(f"the upload must be {row.byte_count} bytes, as announced, got more")
                await asyncio.to_thread(file.write, piece, offset)
                offset += len(piece)

    async def finish(self, owner: str, upload_id: str) -> Submission:
        """Check a whole upload, and return its submission, which is queued.

        Raises PackageRefusedError if the package breaks a rule, OptionError if its name, its version or a pool does not
        fit, and CapacityError beyond a quota. A refused archive is discarded, but not one beyond a quota. Raises
        UnknownNameError if another stream has ended the upload: then `begin` says what has become of the archive.
        """
        async with self._checking:
            row = await self._find(owner, upload_id)
            file = self._file(row)
            with _file_errors(row):
                size = await asyncio.to_thread(file.size)
            if size < row.byte_count:
                raise RequestError(f"{size} of {row.byte_count} bytes have arrived: go on from there")
            await self._submissions.check_admission(owner, row.bot, row.byte_count, self._quotas)  # before slow work
            try:
                with _file_errors(row):
                    package = await asyncio.to_thread(self._check, row, file)
                    submission = await self._accept(row, file, package)
            except (CapacityError, StoreError):
                raise
            except RequestError:
                await self._discard(row)
                raise
            await self._discard(row)
        await self._submissions.move(submission.submission_id, SubmissionState.ACCEPTED, SubmissionState.QUEUED)
        return await self._submissions.get(submission.submission_id)

    def _check(self, row: UploadRow, file: UploadFile) -> Package:
        """This takes long, so it needs a thread of its own."""
        if file.sync() != row.sha256:
            raise PackageRefusedError(Rule.DAMAGED, "the archive is not the one that was announced: try again")
        with file.path.open("rb") as archive:
            package = check_archive(archive, self._limits)
        manifest = package.manifest
        if normalize_name(manifest.name) != row.bot:
            raise OptionError("bot", row.bot, f"the package is for the bot {manifest.name!r}")
        for pool in manifest.pools:
            self._check_pool(pool, manifest.games)
        return package

    def _check_pool(self, pool: str, games: Collection[str]) -> None:
        """Raise UnknownNameError if there is no such pool, OptionError if it plays none of these games.

        Without games, a bot plays all.
        """
        if pool not in self._pools:
            raise UnknownNameError("pool", pool, sorted(self._pools))
        game = self._pools[pool]
        if games and game not in games:
            raise OptionError("pools", pool, f"the pool plays {game}, and the bot only {' and '.join(games)}")

    async def _accept(self, row: UploadRow, file: UploadFile, package: Package) -> Submission:
        """The archive is stored first, and removed again if no submission needs it.

        It is stored once more at the end, because another process may have removed it before it was needed.
        """
        manifest = package.manifest
        new = NewSubmission(
            row.owner, row.bot, manifest.version, package.hash, row.byte_count, manifest.pools, row.sha256
        )
        await asyncio.to_thread(self._packages.keep, file.path, package.hash)
        try:
            submission = await self._submissions.accept(new, self._quotas)
        except RequestError:
            await self._packages.discard_unneeded(package.hash, self._submissions)
            raise
        await asyncio.to_thread(self._packages.keep, file.path, package.hash)
        return submission

    async def _find(self, owner: str, upload_id: str) -> UploadRow:
        row = await self._uploads.find(upload_id)
        if row is None or row.owner != owner:
            raise UnknownNameError(UPLOAD, upload_id)
        return row

    async def _discard(self, row: UploadRow) -> None:
        with _file_errors(row):
            await asyncio.to_thread(self._file(row).discard)
        await self._uploads.end(row.upload_id)

    async def _discard_old_uploads(self) -> None:
        for upload_id in await self._uploads.end_older(UPLOAD_AGE_S):
            with _as_store_errors():
                await asyncio.to_thread(UploadFile(self._uploads_folder, upload_id).discard)

    def _file(self, row: UploadRow) -> UploadFile:
        return UploadFile(self._uploads_folder, row.upload_id)


def package_limits(settings: SubmissionSettings) -> PackageLimits:
    return PackageLimits(
        files=settings.files,
        unpacked_bytes=settings.unpacked_mb * MEBIBYTE,
        archive_bytes=settings.archive_mb * MEBIBYTE,
    )


def _check_whole(archive: IO[bytes], limits: PackageLimits) -> Package:
    archive.seek(0)
    return check_archive(archive, limits)


def _measure(archive: IO[bytes]) -> tuple[str, int]:
    """Return the SHA-256 in hex, and the size in bytes."""
    archive.seek(0)
    sha256 = hashlib.file_digest(archive, "sha256").hexdigest()  # type: ignore[arg-type]  # every binary file fits
    return sha256, archive.seek(0, os.SEEK_END)


async def _read_pieces(archive: IO[bytes], offset: int) -> AsyncIterator[bytes]:
    archive.seek(offset)
    while piece := await asyncio.to_thread(archive.read, _PIECE_BYTES):
        yield piece


@contextmanager
def _file_errors(row: UploadRow) -> Iterator[None]:
    """Raise UnknownNameError if the file of an upload is gone, because it has ended, and otherwise StoreError."""
    with _as_store_errors():
        try:
            yield
        except FileNotFoundError as error:
            raise UnknownNameError(UPLOAD, row.upload_id) from error


@contextmanager
def _as_store_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"the packages cannot be stored: {error.strerror}") from error
