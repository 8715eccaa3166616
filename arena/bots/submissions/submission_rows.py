"""Submissions as values, and how much an owner may hand in."""

from dataclasses import dataclass
from typing import Final

from arena.bots.submissions.submission_states import PENDING, SubmissionState

MAX_LOG_CHARACTERS: Final = 128 * 1024
"""The most characters of the log of a step. Of a longer one, the first and the last are kept."""
LEFT_BY_ROLL_BACK: Final = 0.0
"""The `activated_at` of a version that a roll back has left: no other roll back leads to it."""

WITHOUT_POOLS: Final = "its bot.toml names no `pools`, so version {} plays on: activate this one to replace it"
"""The sentence of a version that was tried while another one plays in pools."""
STOPPED: Final = "its token was revoked: activate it to let it play"
"""The sentence of a version that became inactive because somebody revoked the token with which the arena ran it."""


@dataclass(frozen=True, slots=True)
class SubmissionQuotas:
    """How much one owner may hand in. How many bots the owner may have is the owner's bot limit."""

    stored_mb: int = 512
    """The most megabytes of stored archives, of all submissions that are not refused or withdrawn."""
    versions_a_day: int = 20
    """The most submissions within 24 hours."""
    queued: int = 3
    """The most submissions that are built, checked or tried, or wait for it, at once."""


@dataclass(frozen=True, slots=True)
class NewSubmission:
    """A package to hand in."""

    owner: str
    bot: str
    version: str
    package: str
    """The content hash."""
    byte_count: int
    """Bytes of the archive."""
    pools: tuple[str, ...] = ()
    archive: str = ""
    """SHA-256 of the archive, in hex."""


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """A submission. Times are in seconds since 1970."""

    submission_id: str
    bot: str
    owner: str
    version: str
    package: str
    byte_count: int
    pools: tuple[str, ...]
    state: SubmissionState
    sentence: str
    """Why it is refused or inactive; of an active one, what is wrong with it; empty if there is nothing to say."""
    refused_step: str
    """The step that it did not pass; empty if it is not refused."""
    created_at: float
    changed_at: float
    """When its state changed last."""
    activated_at: float | None = None
    """When it was activated last, roll backs not counted; None if it never was; LEFT_BY_ROLL_BACK."""
    archive: str = ""
    """SHA-256 of the archive, in hex."""

    @property
    def is_pending(self) -> bool:
        """Whether its state will change by itself."""
        return self.state in PENDING


@dataclass(frozen=True, slots=True)
class StepRow:
    """The newest run of a step, without its log. Times are in seconds since 1970.

    The step `active` is that in which the version plays.
    """

    submission_id: str
    step: SubmissionState
    started_at: float
    sentence: str
    """What was found, for the owner; empty while the step runs."""
    ended_at: float | None = None
    is_passed: bool | None = None
    """None while the step runs, and for the step in which the version plays."""


@dataclass(frozen=True, slots=True)
class RunNote:
    """How a version that plays is doing, for its owner."""

    submission_id: str
    sentence: str
    trouble: str
    """What is wrong with it; empty if nothing is."""
    log: str
    """The last lines that it wrote."""
    is_over: bool = False
    """Whether it does not run any more."""


@dataclass(frozen=True, slots=True)
class UploadRow:
    """An upload that has begun."""

    upload_id: str
    owner: str
    bot: str
    sha256: str
    """SHA-256 of the whole archive, in hex."""
    byte_count: int
    """Bytes of the whole archive."""
    created_at: float


def shorten_log(text: str, most: int = MAX_LOG_CHARACTERS) -> str:
    """Return a log. If it is too long, return only its beginning and its end."""
    if len(text) <= most:
        return text
    cut = f"\n[{len(text) - most:,} characters are left out]\n"
    start = most // 4
    return text[:start] + cut + text[len(text) - (most - start - len(cut)) :]
