"""What a submission is: its states and which may follow which, its steps, and what is told of both.

    accepted ──▶ queued ──▶ building ──▶ checking ──▶ trying ──▶ active ◀──▶ inactive
                   ▲            │            │           │
                   └────────────┴────────────┴───────────┘   the server stopped meanwhile

A submission that was tried while a newer one of its bot plays becomes inactive at once. From every state in the
drawing, a submission may become refused or withdrawn, and stays that.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from arena.errors import RequestError
from arena.ids import WallTime
from arena.match.value_class import value_class

MAX_LOG_CHARACTERS: Final = 128 * 1024
"""The most characters of the log of a step. Of a longer one, the first and the last are kept."""
UPLOAD: Final = "upload"
"""The kind of an UnknownNameError for an upload that has ended. Begin it again to hear what became of the archive."""
LEFT_BY_ROLL_BACK: Final = 0.0
"""The `activated_at` of a version that a roll back has left: no other roll back leads to it."""

WITHOUT_POOLS: Final = "its bot.toml names no `pools`, so version {} plays on: activate this one to replace it"
"""The sentence of a version that was tried while another one plays in pools."""
STOPPED: Final = "its token was revoked: activate it to let it play"
"""The sentence of a version that became inactive because somebody revoked the token with which the arena ran it."""


class SubmissionState(StrEnum):
    """How far a submission has come."""

    ACCEPTED = "accepted"
    """Its package follows the rules and is stored."""
    QUEUED = "queued"
    """It waits for its turn."""
    BUILDING = "building"
    CHECKING = "checking"
    """It is checked as `arena check` does."""
    TRYING = "trying"
    """It plays its trial games."""
    ACTIVE = "active"
    """It plays. At most one submission of a bot is active."""
    INACTIVE = "inactive"
    """It was tried, and another version plays in its place."""
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    """Its owner took it back."""


class TransitionError(RequestError):
    """A submission cannot go from its state to another one."""

    def __init__(self, state: SubmissionState, following: SubmissionState) -> None:
        self.state, self.following = state, following
        super().__init__(f"a submission that is {state} cannot become {following}")


_S: Final = SubmissionState
STEPS: Final = (_S.BUILDING, _S.CHECKING, _S.TRYING)
"""The states in which the arena works on a submission, in their order. Each has a log."""
RUNNING: Final = "running"
"""What the step is called in which a version plays. Its state is `active`, and later perhaps another one."""
LOGGED: Final = (*STEPS, _S.ACTIVE)
"""The states that have a log, in their order."""
PENDING: Final = frozenset({_S.ACCEPTED, _S.QUEUED, *STEPS})
"""The states that end by themselves."""
FINAL: Final = frozenset({_S.REFUSED, _S.WITHDRAWN})
"""The states that never end."""

_FOLLOWING: Final[Mapping[SubmissionState, frozenset[SubmissionState]]] = {
    _S.ACCEPTED: frozenset({_S.QUEUED}) | FINAL,
    _S.QUEUED: frozenset({_S.BUILDING}) | FINAL,
    _S.BUILDING: frozenset({_S.CHECKING, _S.QUEUED}) | FINAL,
    _S.CHECKING: frozenset({_S.TRYING, _S.QUEUED}) | FINAL,
    _S.TRYING: frozenset({_S.ACTIVE, _S.INACTIVE, _S.QUEUED}) | FINAL,
    _S.ACTIVE: frozenset({_S.INACTIVE}) | FINAL,
    _S.INACTIVE: frozenset({_S.ACTIVE}) | FINAL,
    _S.REFUSED: frozenset(),
    _S.WITHDRAWN: frozenset(),
}


@value_class()
class NewSubmission:
    """A package to submit."""

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


@value_class()
class Submission:
    """A submission. A server tells neither `owner` nor what follows `changed_at`."""

    submission_id: str
    bot: str
    owner: str
    version: str
    package: str
    """The content hash."""
    byte_count: int
    """Bytes of the archive."""
    pools: tuple[str, ...]
    state: SubmissionState
    sentence: str = ""
    """Why it is refused or inactive; of an active one, what is wrong with it; empty if there is nothing to say."""
    refused_step: str = ""
    """The step that it did not pass; empty if it is not refused."""
    created_at: WallTime = 0.0
    changed_at: WallTime = 0.0
    """When its state changed last."""
    activated_at: WallTime | None = None
    """When it was activated last, roll backs not counted; None if it never was; LEFT_BY_ROLL_BACK."""
    archive: str = ""
    """SHA-256 of the archive, in hex."""

    @property
    def is_pending(self) -> bool:
        """Whether its state will change by itself."""
        return self.state in PENDING


@value_class()
class Step:
    """The newest run of a step, without its log. The step `active` is that in which the version plays."""

    step: SubmissionState
    started_at: WallTime
    ended_at: WallTime | None = None
    """None while it runs."""
    is_passed: bool | None = None
    """None while the step runs, and for the step in which the version plays."""
    sentence: str = ""
    """What was found, for the owner; empty while the step runs."""

    @property
    def name(self) -> str:
        """What the step is called: `building`, `checking`, `trying` or `running`."""
        return step_name(self.step)


@value_class()
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


@value_class()
class UploadRow:
    upload_id: str
    owner: str
    bot: str
    sha256: str
    """SHA-256 of the whole archive, in hex."""
    byte_count: int
    """Bytes of the whole archive."""
    created_at: WallTime


@value_class()
class UploadStart:
    """An upload that has begun, or the submission of an archive that was accepted before."""

    upload_id: str = ""
    offset: int = 0
    """How many bytes have arrived."""
    submission: Submission | None = None
    """None if there are bytes to upload."""


def step_name(state: SubmissionState) -> str:
    """Return the name of a step.

    >>> step_name(SubmissionState.BUILDING), step_name(SubmissionState.ACTIVE)
    ('building', 'running')
    """
    return RUNNING if state is _S.ACTIVE else state.value


def check_transition(state: SubmissionState, following: SubmissionState) -> None:
    """Raise TransitionError unless `following` may follow `state`.

    >>> check_transition(SubmissionState.QUEUED, SubmissionState.BUILDING)
    """
    if following not in _FOLLOWING[state]:
        raise TransitionError(state, following)


def shorten_log(text: str, most: int = MAX_LOG_CHARACTERS) -> str:
    """Return a log. If it is too long, return only its beginning and its end."""
    if len(text) <= most:
        return text
    cut = f"\n[{len(text) - most:,} characters are left out]\n"
    start = most // 4
    return text[:start] + cut + text[len(text) - (most - start - len(cut)) :]
