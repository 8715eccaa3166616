"""Reads submissions, their steps and their logs."""

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, select

from arena.bots.submissions.submission import FINAL, LOGGED, Step, Submission, SubmissionState, step_name
from arena.errors import UnknownNameError
from arena.server.store.bans import is_shut_out
from arena.server.store.database import StorePart, read_value, read_values, reads
from arena.server.store.tables import KEEPS_VERSION, SUBMISSION_STEPS, SUBMISSIONS

_ALL = select(SUBMISSIONS)
_C = SUBMISSIONS.c


class SubmissionReader(StorePart):
    @reads
    def get(self, connection: Connection, submission_id: str) -> Submission:
        """Raises UnknownNameError."""
        return get_submission(connection, submission_id)

    @reads
    def list_owned(
        self, connection: Connection, owner: str, bot: str = "", limit: int = 100, before: str = ""
    ) -> Sequence[Submission]:
        """Return submissions of an owner, the newest first.

        If `bot` is given, only those of this bot; if `before` is given, only those before this id.
        """
        wanted = _ALL.where(_C.owner == owner).order_by(_C.submission_id.desc()).limit(limit)
        if bot:
            wanted = wanted.where(_C.bot == bot)
        if before:
            wanted = wanted.where(_C.submission_id < before)
        return read_values(connection, wanted, Submission)

    @reads
    def list(self, connection: Connection) -> Sequence[Submission]:
        """Return the submissions of all owners, oldest first."""
        return read_values(connection, _ALL.order_by(_C.submission_id), Submission)

    @reads
    def find_version(self, connection: Connection, bot: str, version: str) -> Submission | None:
        """Return the newest submission of a version; None if there is none."""
        return find_version(connection, bot, version)

    @reads
    def has_version(self, connection: Connection, bot: str, version: str) -> bool:
        """Return whether a version of a bot was submitted, and may play or has played."""
        kept = _ALL.where(_C.bot == bot, _C.version == version, KEEPS_VERSION)
        return read_value(connection, kept.limit(1), Submission) is not None

    @reads
    def list_versions_since(self, connection: Connection, created_at: float) -> Collection[tuple[str, str]]:
        """Return bot and version of what was submitted after a time, in seconds since 1970, and may play."""
        rows = read_values(connection, _ALL.where(_C.created_at > created_at, KEEPS_VERSION), Submission)
        return {(row.bot, row.version) for row in rows}

    @reads
    def find_active(self, connection: Connection, bot: str) -> Submission | None:
        return find_active(connection, bot)

    @reads
    def list_active(self, connection: Connection) -> Sequence[Submission]:
        """Return the active submissions of all owners who are not shut out, by the name of the bot."""
        may_play = (_C.state == SubmissionState.ACTIVE) & ~is_shut_out(_C.owner)
        return read_values(connection, _ALL.where(may_play).order_by(_C.bot), Submission)

    @reads
    def find_archive(self, connection: Connection, owner: str, bot: str, archive: str) -> Submission | None:
        """Return the submission of an archive with this SHA-256 that is not over; None if there is none."""
        own = _ALL.where(_C.owner == owner, _C.bot == bot, _C.archive == archive, _C.state.not_in(FINAL))
        return read_value(connection, own.limit(1), Submission)

    @reads
    def has_package(self, connection: Connection, package: str) -> bool:
        """Return whether a submission that is not over needs the package with this content hash."""
        needed = _ALL.where(_C.package == package, _C.state.not_in(FINAL))
        return read_value(connection, needed.limit(1), Submission) is not None

    @reads
    def unneeded_since(self, connection: Connection, package: str) -> float | None:
        """Return when the last submission of a package was refused or withdrawn, in seconds since 1970.

        Return None if a submission still needs it, or if no submission has it.
        """
        rows = read_values(connection, _ALL.where(_C.package == package), Submission)
        if not rows or any(row.state not in FINAL for row in rows):
            return None
        return max(row.changed_at for row in rows)

    @reads
    def list_steps(self, connection: Connection, submission_id: str) -> Sequence[Step]:
        """Return the steps of a submission that have started, in their order."""
        columns = [each for each in SUBMISSION_STEPS.c if each.name != "log"]
        wanted = select(*columns).where(SUBMISSION_STEPS.c.submission_id == submission_id)
        return sorted(read_values(connection, wanted, Step), key=lambda row: LOGGED.index(row.step))

    @reads
    def read_log(self, connection: Connection, submission_id: str, step: str) -> str:
        """Return the log of a step. Raises UnknownNameError if the step has not started."""
        steps = SUBMISSION_STEPS.c
        wanted = select(steps.log).where(steps.submission_id == submission_id, steps.step == step)
        log: str | None = connection.scalar(wanted)
        if log is None:
            started = connection.scalars(select(steps.step).where(steps.submission_id == submission_id))
            known = [step_name(step) for step in sorted(map(SubmissionState, started), key=LOGGED.index)]
            raise UnknownNameError("step", step_name(SubmissionState(step)), known)
        return log


def get_submission(connection: Connection, submission_id: str) -> Submission:
    """Raises UnknownNameError."""
    row = read_value(connection, _ALL.where(_C.submission_id == submission_id), Submission)
    if row is None:
        raise UnknownNameError("submission", submission_id)
    return row


def find_active(connection: Connection, bot: str) -> Submission | None:
    return read_value(connection, _ALL.where(_C.bot == bot, _C.state == SubmissionState.ACTIVE), Submission)


def find_version(connection: Connection, bot: str, version: str) -> Submission | None:
    wanted = _ALL.where(_C.bot == bot, _C.version == version).order_by(_C.submission_id.desc()).limit(1)
    return read_value(connection, wanted, Submission)
