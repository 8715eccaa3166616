"""Reads submissions, their steps and their logs."""

import time
from collections.abc import Callable, Collection, Sequence

from sqlalchemy import Select, select

from arena.bots.submissions.submission import FINAL, LOGGED, Step, Submission, SubmissionState, step_name
from arena.errors import UnknownNameError
from arena.server.store.database import Database, shield_from_cancel, value_from_row
from arena.server.store.owner_checks import is_shut_out
from arena.server.store.tables import KEEPS_VERSION, SUBMISSION_STEPS, SUBMISSIONS

_ALL = select(SUBMISSIONS)
_C = SUBMISSIONS.c


class SubmissionReader:
    """Reads submissions. Every call raises StoreError if the store cannot be used."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        """`now` returns seconds since 1970."""
        self._database = database
        self._now = now

    @shield_from_cancel
    async def get(self, submission_id: str) -> Submission:
        """Return a submission. Raises UnknownNameError."""
        found = await self._rows(_ALL.where(_C.submission_id == submission_id))
        if not found:
            raise UnknownNameError("submission", submission_id)
        return found[0]

    @shield_from_cancel
    async def list_owned(self, owner: str, bot: str = "", limit: int = 100, before: str = "") -> Sequence[Submission]:
        """Return submissions of an owner, the newest first.

        If `bot` is given, only those of this bot; if `before` is given, only those before this id.
        """
        wanted = _ALL.where(_C.owner == owner).order_by(_C.submission_id.desc()).limit(limit)
        if bot:
            wanted = wanted.where(_C.bot == bot)
        if before:
            wanted = wanted.where(_C.submission_id < before)
        return await self._rows(wanted)

    @shield_from_cancel
    async def find_version(self, bot: str, version: str) -> Submission | None:
        """Return the newest submission of a version; None if there is none."""
        wanted = _ALL.where(_C.bot == bot, _C.version == version).order_by(_C.submission_id.desc()).limit(1)
        found = await self._rows(wanted)
        return found[0] if found else None

    @shield_from_cancel
    async def has_version(self, bot: str, version: str) -> bool:
        """Return whether a version of a bot was handed in, and may play or has played."""
        return bool(await self._rows(_ALL.where(_C.bot == bot, _C.version == version, KEEPS_VERSION).limit(1)))

    @shield_from_cancel
    async def list_versions_since(self, created_at: float) -> Collection[tuple[str, str]]:
        """Return bot and version of what was handed in after a time, in seconds since 1970, and may play."""
        rows = await self._rows(_ALL.where(_C.created_at > created_at, KEEPS_VERSION))
        return {(row.bot, row.version) for row in rows}

    @shield_from_cancel
    async def find_active(self, bot: str) -> Submission | None:
        """Return the active submission of a bot; None if there is none."""
        found = await self._rows(_ALL.where(_C.bot == bot, _C.state == SubmissionState.ACTIVE))
        return found[0] if found else None

    @shield_from_cancel
    async def list_active(self) -> Sequence[Submission]:
        """Return the active submissions of all owners who are not shut out, by the name of the bot."""
        may_play = (_C.state == SubmissionState.ACTIVE) & ~is_shut_out(_C.owner)
        return await self._rows(_ALL.where(may_play).order_by(_C.bot))

    @shield_from_cancel
    async def find_archive(self, owner: str, bot: str, archive: str) -> Submission | None:
        """Return the submission of an archive with this SHA-256 that is not over; None if there is none."""
        own = (_C.owner == owner) & (_C.bot == bot)
        found = await self._rows(_ALL.where(own, _C.archive == archive, _C.state.not_in(FINAL)).limit(1))
        return found[0] if found else None

    @shield_from_cancel
    async def has_package(self, package: str) -> bool:
        """Return whether a submission that is not over needs the package with this content hash."""
        return bool(await self._rows(_ALL.where(_C.package == package, _C.state.not_in(FINAL)).limit(1)))

    @shield_from_cancel
    async def unneeded_since(self, package: str) -> float | None:
        """Return when the last submission of a package was refused or withdrawn, in seconds since 1970.

        Return None if a submission still needs it, or if no submission has it.
        """
        rows = await self._rows(_ALL.where(_C.package == package))
        if not rows or any(row.state not in FINAL for row in rows):
            return None
        return max(row.changed_at for row in rows)

    @shield_from_cancel
    async def list_steps(self, submission_id: str) -> Sequence[Step]:
        """Return the steps of a submission that have started, in their order."""
        columns = [each for each in SUBMISSION_STEPS.c if each.name != "log"]
        wanted = select(*columns).where(SUBMISSION_STEPS.c.submission_id == submission_id)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return sorted((value_from_row(row, Step) for row in rows), key=lambda row: LOGGED.index(row.step))

    @shield_from_cancel
    async def read_log(self, submission_id: str, step: str) -> str:
        """Return the log of a step. Raises UnknownNameError if the step has not started."""
        steps = SUBMISSION_STEPS.c
        wanted = select(steps.log).where(steps.submission_id == submission_id, steps.step == step)
        log: str | None = await self._database.read(lambda connection: connection.scalar(wanted))
        if log is None:
            known = [step_name(row.step) for row in await self.list_steps(submission_id)]
            raise UnknownNameError("step", step_name(SubmissionState(step)), known)
        return log

    async def _rows(self, wanted: "Select[tuple[object, ...]]") -> list[Submission]:
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return [value_from_row(row, Submission) for row in rows]
