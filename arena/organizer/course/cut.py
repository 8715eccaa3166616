"""Which version of each bot counts at a deadline: the last one submitted by then that passed its steps.

A version was submitted when the server had the whole package and said so (`Submission.created_at`), in time if that is
not after the deadline. How long its steps took does not matter. A version that was refused or withdrawn does not count,
and the one before it does instead. Rolling back changes nothing: what plays is one thing, what was submitted another.
No bot of an owner who is banned counts.
"""

import hashlib
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from arena.bots.submissions.submission import FINAL, Submission
from arena.errors import OptionError, RequestError
from arena.ids import WallTime
from arena.plain_data import canonical_json
from arena.plurals import format_count


@dataclass(frozen=True, slots=True)
class Counting:
    """A bot at the deadline."""

    bot: str
    owner: str
    version: str
    """The version that counts."""
    package: str
    """Its content hash."""
    handed_in: str
    """When, to the microsecond, in UTC."""
    later: tuple[str, ...] = ()
    """Versions that were submitted after the deadline, oldest first."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What counts at a deadline."""

    deadline: str
    """To the microsecond, in UTC."""
    bots: tuple[Counting, ...]
    """By name."""

    def as_json(self) -> bytes:
        """Return the canonical JSON, whose SHA-256 seals the cut."""
        return canonical_json(self) + b"\n"

    @property
    def seal(self) -> str:
        """The line to post."""
        return f"cheatarena cut {self.deadline}: {hashlib.sha256(self.as_json()).hexdigest()}"


def parse_deadline(text: str, now: WallTime) -> WallTime:
    """Return a time such as `2026-12-10 23:59+01:00`, in seconds since 1970.

    Raises OptionError for anything else, for a time without its offset from UTC, which would mean two moments when
    clocks go back, and for one that has not passed, because versions may still be submitted.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise OptionError("deadline", text, "expected a time such as '2026-12-10 23:59+01:00'") from error
    if moment.tzinfo is None:
        raise OptionError("deadline", text, "expected its offset from UTC too, such as +01:00, or Z for UTC")
    if moment.timestamp() >= now:
        raise OptionError("deadline", text, "it has not passed: make the cut afterwards")
    return moment.timestamp()


def make_cut(submissions: Iterable[Submission], deadline: WallTime, banned: Container[str] = ()) -> Cut:
    """Return the versions that count at a deadline, without those of banned owners.

    Raises RequestError while a version that was submitted by then is on its way through its steps.
    """
    versions = defaultdict[str, list[Submission]](list)
    for submission in sorted(submissions, key=lambda each: each.submission_id):
        if submission.owner not in banned:
            versions[submission.bot].append(submission)
    in_time = [each for rows in versions.values() for each in rows if each.created_at <= deadline]
    if pending := [f"{each.bot}@{each.version} is {each.state}" for each in in_time if each.is_pending]:
        count = format_count(len(pending), "version")
        raise RequestError(f"{count} submitted by the deadline must end first: {', '.join(sorted(pending))}")
    return Cut(_utc(deadline), tuple(_counting(versions[bot], deadline) for bot in _bots_of(in_time)))


def _bots_of(submissions: Sequence[Submission]) -> Iterator[str]:
    yield from sorted({each.bot for each in submissions if each.state not in FINAL})


def _counting(versions: Sequence[Submission], deadline: WallTime) -> Counting:
    """`versions` are all of a bot, oldest first, with one that counts."""
    last = [each for each in versions if each.created_at <= deadline and each.state not in FINAL][-1]
    later = tuple(each.version for each in versions if each.created_at > deadline)
    return Counting(last.bot, last.owner, last.version, last.package, _utc(last.created_at), later)


def _utc(at: WallTime) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(" ", "microseconds")
