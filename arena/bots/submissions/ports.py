"""What SubmissionService needs of the server: what receives archives, and what an owner may see and do."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from arena.bots.submissions.submission import Step, Submission

UPLOAD: Final = "upload"
"""The kind of an UnknownNameError for an upload that has ended. Begin it again to hear what became of the archive."""


@dataclass(frozen=True, slots=True)
class UploadStart:
    """An upload that has begun, or the submission of an archive that was accepted before."""

    upload_id: str = ""
    offset: int = 0
    """How many bytes have arrived."""
    submission: Submission | None = None
    """None if there are bytes to upload."""


class UploadPort(Protocol):
    """Receives archives. Every method raises RequestError for what it refuses, and StoreError.

    Several callers may upload the same archive at once. All of them get the same submission.
    """

    async def begin(self, owner: str, bot: str, sha256: str, byte_count: int) -> UploadStart:
        """Return where the upload of an archive goes on, or its submission if it was accepted before."""

    async def receive(self, owner: str, upload_id: str, offset: int, pieces: AsyncIterator[bytes]) -> None:
        """Add pieces to an upload from an offset. What arrives before `pieces` raises is kept."""

    async def finish(self, owner: str, upload_id: str) -> Submission:
        """Check a whole upload, and return its submission."""


class OwnSubmissionsPort(Protocol):
    """Reads and changes the submissions of an owner. Those of other owners count as unknown.

    Every method raises RequestError for what it refuses, and StoreError.
    """

    async def list(self, owner: str, bot: str, limit: int, before: str) -> Sequence[Submission]:
        """Return a page of submissions, the newest first; of all bots if `bot` is empty."""

    async def get(self, owner: str, submission_id: str) -> Submission:
        """Return a submission."""

    async def list_steps(self, owner: str, submission_id: str) -> Sequence[Step]:
        """Return the steps of a submission that have started, in their order."""

    async def read_log(self, owner: str, submission_id: str, step: str) -> str:
        """Return the log of a step."""

    async def activate(self, owner: str, bot: str, version: str) -> Submission:
        """Let a version play that was tried before."""

    async def roll_back(self, owner: str, bot: str) -> Submission:
        """Let the version play that was active before."""

    async def withdraw(self, owner: str, bot: str, version: str) -> Submission:
        """Withdraw a version for ever."""


HasVersion = Callable[[str, str], Awaitable[bool]]
"""Returns whether a version of a bot was handed in, and may play or has played. Raises StoreError."""


@dataclass(frozen=True, slots=True)
class SubmissionParts:
    """What a server needs to take submissions."""

    uploads: UploadPort
    own: OwnSubmissionsPort
    has_version: HasVersion
    revoke: Callable[[str], Awaitable[object]]
    """Revokes a token by its public part. Raises UnknownNameError and StoreError."""
    list_new_versions: Callable[[], Awaitable[Collection[tuple[str, str]]]]
    """Returns bot and version of what was handed in within the last minute. Raises StoreError."""
