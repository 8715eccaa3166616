"""What owners may see of their own submissions, and do with them."""

from collections.abc import Sequence

from arena.bots.submissions.submission import Step, Submission
from arena.errors import UnknownNameError
from arena.server.intake.package_files import StoredPackages
from arena.server.store.owner_store import OwnerStore
from arena.server.store.submission_store import SubmissionStore


class OwnSubmissions:
    """Reads and changes submissions for their owners. A submission or bot of somebody else counts as unknown.

    Every call raises UnknownNameError for an unknown submission or bot, and StoreError if the store cannot be used.
    """

    def __init__(self, submissions: SubmissionStore, owners: OwnerStore, packages: StoredPackages) -> None:
        self._submissions = submissions
        self._owners = owners
        self._packages = packages

    async def list(self, owner: str, bot: str, limit: int, before: str) -> Sequence[Submission]:
        """Return a page of submissions, the newest first; of all bots if `bot` is empty."""
        if bot:
            await self._require_bot(owner, bot)
        return await self._submissions.list_owned(owner, bot, limit, before)

    async def get(self, owner: str, submission_id: str) -> Submission:
        row = await self._submissions.get(submission_id)
        if row.owner != owner:
            raise UnknownNameError("submission", submission_id)
        return row

    async def list_steps(self, owner: str, submission_id: str) -> Sequence[Step]:
        """Return the steps that have started, in their order."""
        await self.get(owner, submission_id)
        return await self._submissions.list_steps(submission_id)

    async def read_log(self, owner: str, submission_id: str, step: str) -> str:
        """Raises UnknownNameError too if the step has not started."""
        await self.get(owner, submission_id)
        return await self._submissions.read_log(submission_id, step)

    async def activate(self, owner: str, bot: str, version: str) -> Submission:
        """Let a version play that was tried before. Raises RequestError if it was not."""
        await self._require_bot(owner, bot)
        return await self._submissions.activate(bot, version)

    async def roll_back(self, owner: str, bot: str) -> Submission:
        """Let the version play that was active before. Raises RequestError if there is none."""
        await self._require_bot(owner, bot)
        return await self._submissions.roll_back(bot)

    async def withdraw(self, owner: str, bot: str, version: str) -> Submission:
        """Withdraw a version for ever, and remove its archive if no other version needs it.

        Raises RequestError for a version that is refused.
        """
        await self._require_bot(owner, bot)
        row = await self._submissions.withdraw(bot, version)
        await self._packages.discard_unneeded(row.package, self._submissions)
        return row

    async def _require_bot(self, owner: str, bot: str) -> None:
        if await self._owners.owner_of(bot) != owner:
            known = [each.name for each in (await self._owners.get(owner)).bots]
            raise UnknownNameError("bot of yours", bot, known)
