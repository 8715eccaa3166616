"""Stores submissions: adds them within the quotas of their owner, and changes their states exactly once."""

import time
from collections.abc import Callable, Collection, Iterable
from typing import Final

from sqlalchemy import Connection, func, select, true, update

from arena.bots.submissions.submission import (
    LEFT_BY_ROLL_BACK,
    STEPS,
    WITHOUT_POOLS,
    NewSubmission,
    RunNote,
    Submission,
    SubmissionState,
    check_transition,
    shorten_log,
)
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.errors import RequestError, UnknownNameError
from arena.ids import AscendingIds
from arena.server.store.bans import is_shut_out
from arena.server.store.database import Database, columns_of, read_value, reads, writes
from arena.server.store.dialect import upsert
from arena.server.store.owner_store import check_claim
from arena.server.store.submission_admission import accept_submission, check_quotas
from arena.server.store.submission_reader import SubmissionReader, find_active, find_version, get_submission
from arena.server.store.tables import SUBMISSION_STEPS, SUBMISSIONS

_C = SUBMISSIONS.c
_S = SubmissionState
_NO_LIMIT: Final = 1_000_000


class SubmissionStore(SubmissionReader):
    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        super().__init__(database, now)
        self._ids = AscendingIds(now)

    @writes
    def accept(self, connection: Connection, new: NewSubmission, quotas: SubmissionSettings) -> Submission:
        """Add a submission in the state `accepted`, and its bot if the owner does not have it yet.

        If the same package of the same bot is there already and not over, return that submission. Raises OptionError
        for a name that the owner cannot have, and for a version that the bot has already. Raises CapacityError beyond
        the owner's bot limit or a quota.
        """
        identity, now = self._ids.new_id(), self._now()
        row = Submission(identity, **columns_of(new), state=_S.ACCEPTED, created_at=now, changed_at=now)
        return accept_submission(connection, row, quotas)

    @reads
    def check_admission(
        self, connection: Connection, owner: str, bot: str, byte_count: int, quotas: SubmissionSettings
    ) -> None:
        """Raise what `accept` would raise for an archive of this bot and size, whatever its version is."""
        now = self._now()
        check_claim(connection, owner, bot, now)
        check_quotas(connection, owner, byte_count, quotas, now)

    @reads
    def may_go_on(self, connection: Connection, submission_id: str, state: SubmissionState) -> bool:
        """Return whether a submission is in this state, and its owner is not shut out."""
        may = (_C.submission_id == submission_id) & (_C.state == state) & ~is_shut_out(_C.owner)
        return connection.scalar(select(_C.submission_id).where(may)) is not None

    @writes
    def move(
        self,
        connection: Connection,
        submission_id: str,
        state: SubmissionState,
        following: SubmissionState,
        *,
        sentence: str = "",
    ) -> bool:
        """Move a submission from one state to another, and return whether this call did it.

        False means that the submission was no longer in this state. A submission that becomes active makes the bot's
        active one inactive; but one that was tried while a newer one plays, or that names no pools while one plays in
        pools, becomes inactive itself. Of a refusal, `sentence` says why, and `state` is stored as the step that
        refused.

        Raises TransitionError if the second state cannot follow the first, and UnknownNameError.
        """
        check_transition(state, following)
        row, now = get_submission(connection, submission_id), self._now()
        if row.state is not state:
            return False
        active = find_active(connection, row.bot) if following is _S.ACTIVE else None
        if active is not None and active.submission_id > row.submission_id:
            _move(connection, row, _S.INACTIVE, now, sentence)
        elif active is not None and active.pools and not row.pools:
            _move(connection, row, _S.INACTIVE, now, WITHOUT_POOLS.format(active.version))
        else:
            _move(connection, row, following, now, sentence)
        return True

    @writes
    def take_next(
        self, connection: Connection, packages: Collection[str] = (), most_an_owner: int = _NO_LIMIT
    ) -> Submission | None:
        """Move the next queued submission to `building`, and return it; None if none may be taken now.

        Note that this step starts. Submissions of these `packages` wait, because they are under way, and so do those of
        an owner who is shut out, or has `most_an_owner` under way. The owner comes first whose last step began longest
        ago, with the oldest submission. So nobody waits for more than one submission of each other owner, and one that
        the machine fails on does not hold up the others.
        """
        others = SUBMISSIONS.alias()
        is_own = others.c.owner == _C.owner
        steps_of_owner = SUBMISSION_STEPS.join(others, others.c.submission_id == SUBMISSION_STEPS.c.submission_id)
        last_step = select(func.max(SUBMISSION_STEPS.c.started_at)).select_from(steps_of_owner)
        last_turn = last_step.where(is_own, SUBMISSION_STEPS.c.step.in_(STEPS)).scalar_subquery()
        under_way = select(func.count()).select_from(others).where(is_own, others.c.state.in_(STEPS)).scalar_subquery()
        order = (func.coalesce(last_turn, 0), _C.submission_id)
        may_start = (_C.state == _S.QUEUED, _C.package.not_in(packages), under_way < most_an_owner)
        wanted = select(SUBMISSIONS).where(*may_start, ~is_shut_out(_C.owner)).order_by(*order).limit(1)
        found, now = read_value(connection, wanted, Submission), self._now()
        if found is None:
            return None
        _start_step(connection, found.submission_id, _S.BUILDING, now)
        return _move(connection, found, _S.BUILDING, now)

    @writes
    def requeue_interrupted(self, connection: Connection, submission_id: str = "") -> int:
        """Queue the submissions again that were being worked on when that stopped, or only this one of them.

        Return their number.
        """
        is_meant = _C.submission_id == submission_id if submission_id else true()
        change = (
            update(SUBMISSIONS)
            .where(_C.state.in_((_S.ACCEPTED, *STEPS)), is_meant)
            .values(state=_S.QUEUED, changed_at=self._now())
        )
        return connection.execute(change).rowcount

    # ---- versions, at the owner's request

    @writes
    def activate(self, connection: Connection, bot: str, version: str) -> Submission:
        """Let a version play that was tried before, and return it. Do nothing if it plays already.

        Raises UnknownNameError, and TransitionError for a version that is neither active nor inactive.
        """
        row = _get_version(connection, bot, version)
        if row.state is _S.ACTIVE:
            return row
        if row.is_pending:
            raise RequestError(f"version {version!r} of {bot!r} is {row.state}: it plays once it was tried")
        check_transition(row.state, _S.ACTIVE)
        return _move(connection, row, _S.ACTIVE, self._now())

    @writes
    def roll_back(self, connection: Connection, bot: str) -> Submission:
        """Let the version play that was active before the present one, and return it. Repeated calls go further back.

        A version that was left so is active again only if its owner activates it.

        Raises RequestError if no version is active, or none was active before.
        """
        active = find_active(connection, bot)
        if active is None:
            raise RequestError(f"no version of {bot!r} is active: activate one by its name")
        own = (_C.bot == bot) & (_C.state == _S.INACTIVE)
        earlier = own & (_C.activated_at > LEFT_BY_ROLL_BACK) & (_C.activated_at < active.activated_at)
        newest_first = select(SUBMISSIONS).where(earlier).order_by(_C.activated_at.desc())
        before = read_value(connection, newest_first.limit(1), Submission)
        if before is None:
            raise RequestError(f"no version of {bot!r} was active before {active.version!r}: activate one by its name")
        left = update(SUBMISSIONS).where(_C.submission_id == active.submission_id)
        connection.execute(left.values(activated_at=LEFT_BY_ROLL_BACK))  # no later roll back leads to it
        return _move(connection, before, _S.ACTIVE, self._now(), is_roll_back=True)

    @writes
    def withdraw(self, connection: Connection, bot: str, version: str) -> Submission:
        """Withdraw a version for ever, and return it. Do nothing if it is withdrawn already.

        Raises UnknownNameError, and TransitionError for a version that is refused.
        """
        row = _get_version(connection, bot, version)
        if row.state is _S.WITHDRAWN:
            return row
        check_transition(row.state, _S.WITHDRAWN)
        return _move(connection, row, _S.WITHDRAWN, self._now())

    @writes
    def refuse_active(self, connection: Connection, bot: str, sentence: str) -> Submission:
        """Refuse the active version of a bot for ever, at the organizer's request, and return it.

        Raises RequestError if no version is active.
        """
        active = find_active(connection, bot)
        if active is None:
            raise RequestError(f"no version of {bot!r} is active")
        return _move(connection, active, _S.REFUSED, self._now(), sentence)

    # ---- steps

    @writes
    def start_step(self, connection: Connection, submission_id: str, step: SubmissionState) -> None:
        """Note that a step starts. An earlier run of the same step is forgotten."""
        _start_step(connection, submission_id, step, self._now())

    @writes
    def end_step(
        self,
        connection: Connection,
        submission_id: str,
        step: SubmissionState,
        *,
        is_passed: bool,
        sentence: str,
        log: str,
    ) -> None:
        """Store the end of a step that has started. A long log is shortened."""
        steps = SUBMISSION_STEPS.c
        change = update(SUBMISSION_STEPS).where(steps.submission_id == submission_id, steps.step == step)
        end = change.values(ended_at=self._now(), is_passed=is_passed, sentence=sentence, log=shorten_log(log))
        connection.execute(end)

    @writes
    def note_runs(self, connection: Connection, notes: Iterable[RunNote]) -> None:
        """Store how the versions that play are doing. A long log is shortened."""
        for note in notes:
            _note_run(connection, note, self._now())


def _start_step(connection: Connection, submission_id: str, step: SubmissionState, now: float) -> None:
    empty = {"started_at": now, "ended_at": None, "is_passed": None, "sentence": "", "log": ""}
    add = upsert(SUBMISSION_STEPS).values(submission_id=submission_id, step=step, **empty)
    connection.execute(add.on_conflict_do_update(index_elements=["submission_id", "step"], set_=empty))


def _note_run(connection: Connection, note: RunNote, now: float) -> None:
    """Store how a version that plays is doing. Nobody hears of the trouble of one that has been replaced."""
    news = {"ended_at": now if note.is_over else None, "sentence": note.sentence, "log": shorten_log(note.log)}
    row = news | {"submission_id": note.submission_id, "step": _S.ACTIVE, "started_at": now, "is_passed": None}
    add = upsert(SUBMISSION_STEPS).values(row)
    connection.execute(add.on_conflict_do_update(index_elements=["submission_id", "step"], set_=news))
    told = update(SUBMISSIONS).where(_C.submission_id == note.submission_id, _C.state == _S.ACTIVE)
    connection.execute(told.values(sentence=note.trouble))


def _get_version(connection: Connection, bot: str, version: str) -> Submission:
    """Return the newest submission of a version. Raises UnknownNameError."""
    row = find_version(connection, bot, version)
    if row is None:
        known = connection.scalars(select(_C.version).where(_C.bot == bot).distinct().limit(20)).all()
        raise UnknownNameError(f"version of {bot}", version, known)
    return row


def _move(
    connection: Connection,
    row: Submission,
    following: SubmissionState,
    now: float,
    sentence: str = "",
    *,
    is_roll_back: bool = False,
) -> Submission:
    """Change the state of a submission within a transaction that has read it, and return the changed row."""
    values: dict[str, object] = {"state": following, "changed_at": now, "sentence": sentence}
    if following is _S.ACTIVE:
        others = update(SUBMISSIONS).where(_C.bot == row.bot, _C.state == _S.ACTIVE)
        connection.execute(others.values(state=_S.INACTIVE, changed_at=now))
        values |= {} if is_roll_back else {"activated_at": now}
    if following is _S.REFUSED:
        values["refused_step"] = row.state
    connection.execute(update(SUBMISSIONS).where(_C.submission_id == row.submission_id).values(values))
    return get_submission(connection, row.submission_id)
