"""Discards the files of an owner who is forgotten: uploads, packages, and what was built of them."""

from arena.errors import StoreError
from arena.fleet.submissions.kept_builds import Cleanup
from arena.server.intake.package_files import UploadFile
from arena.server.store.open_store import Store
from arena.server.store.personal_data import OwnFiles


async def discard_files(store: Store, files: OwnFiles) -> None:
    """Nothing is removed that another owner needs. It may be done again. Raises StoreError."""
    cleanup = Cleanup(store.folder, store.submissions)
    try:
        for upload_id in files.uploads:
            UploadFile(store.submissions_folder / "uploads", upload_id).discard()
        for package in files.packages:
            await cleanup.discard_untried(package)
    except OSError as error:
        raise StoreError(f"a file of the owner cannot be removed: {error}; run the command again") from error
