"""Declares the settings for submissions: whether a server takes packages of bots, and how much of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from annotated_types import Interval

_HOST_PATTERN: Final = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*")
_DEFAULT_CHECK_STEPS: Final = (
    *("standard", "split-frames", "joined-frames", "unknown", "unnumbered", "closed-at-once"),
    *("refused", "late", "lost-question", "lost-answer", "lost-in-break", "stop"),
)


@dataclass(frozen=True, slots=True)
class SubmissionSettings:
    """Whether a server takes submissions, how it runs them, and how much one owner may submit.

    How many bots an owner may have is the owner's bot limit (`arena owner add --bots`).
    """

    enabled: bool = False
    """Whether owners may submit."""
    runs_boxes: bool = True
    """Whether the server starts the process that builds and runs bots. If not, `arena boxes` has to run beside it."""
    trial_games: Annotated[int, Interval(ge=1, le=100)] = 2
    """Unrated games that a submission plays before it becomes active."""
    check_steps: tuple[str, ...] = _DEFAULT_CHECK_STEPS
    """The steps of `arena check` that a submission has to pass, except those of games that it does not play."""
    workers: Annotated[int, Interval(ge=1, le=32)] = 2
    """How many submissions are built, checked or tried at once. Of two and more, one is left for other owners."""
    package_indexes: tuple[str, ...] = ()
    """Names of the hosts from which builds may fetch packages, over HTTPS. Without any, builds have no network."""
    archive_mb: Annotated[int, Interval(ge=1, le=1024)] = 32
    """The most megabytes of an archive."""
    unpacked_mb: Annotated[int, Interval(ge=1, le=4096)] = 64
    """The most megabytes of all files of a package."""
    files: Annotated[int, Interval(ge=1, le=100_000)] = 2_000
    """The most files of a package."""
    stored_mb: Annotated[int, Interval(ge=1, le=1_000_000)] = 512
    """The most megabytes of archives that an owner may keep. Refused and withdrawn ones do not count."""
    versions_a_day: Annotated[int, Interval(ge=1, le=10_000)] = 20
    """The most submissions of an owner within 24 hours."""
    queued: Annotated[int, Interval(ge=1, le=1_000)] = 3
    """The most submissions of an owner that are under way at once."""


def is_index_host(text: str) -> bool:
    """Return whether `package_indexes` may have this text: a host in small letters, without a scheme and a port."""
    return _HOST_PATTERN.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class IntakeOffer:
    """By which rules a server takes submissions, and for which pools. It says so to other processes."""

    settings: SubmissionSettings
    pools: Mapping[str, str]
    """The game of each pool, by the pool's name."""
