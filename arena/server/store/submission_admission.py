"""Decides what submissions are admitted: within the claims, limits and quotas of their owner.

The functions work within a transaction that also does other work.
"""

from typing import Final

from sqlalchemy import Connection, func, insert, select

from arena.bots.submissions.submission import FINAL, PENDING, Submission
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.errors import CapacityError, RequestError
from arena.plurals import format_count
from arena.server.store.database import columns_of, read_value
from arena.server.store.owner_store import claim_bot
from arena.server.store.pool_tables import POOL_SEATS
from arena.server.store.tables import KEEPS_VERSION, SUBMISSIONS

_C: Final = SUBMISSIONS.c
_DAY_S: Final = 86_400.0
_MEGABYTE: Final = 1 << 20


def accept_submission(connection: Connection, row: Submission, quotas: SubmissionSettings) -> Submission:
    """Add a submission, and its bot if the owner does not have it yet; see `SubmissionStore.accept`."""
    claim_bot(connection, row.owner, row.bot, row.created_at)
    same = select(SUBMISSIONS).where(_C.bot == row.bot, _C.version == row.version, KEEPS_VERSION)
    if (earlier := read_value(connection, same, Submission)) is not None:
        if earlier.package == row.package and earlier.state not in FINAL:
            return earlier
        fault = f"{row.bot}@{row.version} was submitted before and is {earlier.state}"
        raise RequestError(f"{fault}: give the package another version in its bot.toml")
    _check_unplayed(connection, row)
    check_quotas(connection, row.owner, row.byte_count, quotas, row.created_at)
    connection.execute(insert(SUBMISSIONS).values(columns_of(row) | {"pools": list(row.pools)}))
    return row


def _check_unplayed(connection: Connection, row: Submission) -> None:
    """Raise RequestError if another program has played as this version in a pool: its results would count for both."""
    seats = POOL_SEATS.c
    played = select(POOL_SEATS).where(seats.bot == row.bot, seats.version == row.version).limit(1)
    if connection.execute(played).first() is not None:
        fault = f"{row.bot}@{row.version} has already played in a pool, from a program that was not submitted"
        raise RequestError(f"{fault}: give the package another version in its bot.toml")


def check_quotas(connection: Connection, owner: str, byte_count: int, quotas: SubmissionSettings, now: float) -> None:
    """Raise CapacityError if the owner cannot submit another archive of this size."""
    own = _C.owner == owner
    pending = connection.scalar(select(func.count()).where(own, _C.state.in_(PENDING))) or 0
    if pending >= quotas.queued:
        count = format_count(pending, "submission")
        raise CapacityError(f"{owner!r} has {count} under way, the most at once: wait until one is active or refused")
    today = connection.scalar(select(func.count()).where(own, _C.created_at > now - _DAY_S)) or 0
    if today >= quotas.versions_a_day:
        count = format_count(today, "version")
        raise CapacityError(f"{owner!r} submitted {count} within 24 hours, the most a day: submit this one tomorrow")
    kept = own & _C.state.not_in(FINAL)
    stored = connection.scalar(select(func.coalesce(func.sum(_C.byte_count), 0)).where(kept)) or 0
    if stored + byte_count > quotas.stored_mb * _MEGABYTE:
        sizes = f"{stored / _MEGABYTE:.1f} of {quotas.stored_mb} MB"
        raise CapacityError(f"{owner!r} has {sizes} of packages stored, too much for this one: withdraw old versions")
