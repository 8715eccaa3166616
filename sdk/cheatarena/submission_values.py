"""An owner's submissions as plain values: the bots that a server builds, checks, tries and runs."""

from dataclasses import dataclass
from typing import Final

from cheatarena.errors import RequestError
from cheatarena.v1 import submission_pb2
from cheatarena.v1.submission_pb2 import SubmissionState

RUNNING: Final = "running"
"""What the step is called in which a version plays. Its state is `active`."""
UNKNOWN: Final = "unknown"
"""A state that only a newer server knows."""
STEPS: Final = ("building", "checking", "trying", RUNNING)
"""The steps that have a log, in their order."""
PENDING: Final = frozenset({"accepted", "queued", *STEPS[:3]})
"""The states that end by themselves."""
FINAL: Final = frozenset({"refused", "withdrawn"})
"""The states that never end."""

_PREFIX: Final = "SUBMISSION_STATE_"
_ACTIVE: Final = "active"


@dataclass(frozen=True, slots=True)
class OwnSubmission:
    """A version of a bot that its owner submitted. Times are in seconds since 1970."""

    submission_id: str
    bot: str
    version: str
    state: str
    """`accepted`, `queued`, `building`, `checking`, `trying`, `active`, `inactive`, `refused`, `withdrawn` or
    `unknown`."""
    sentence: str
    """Why it is refused or inactive; of an active one, what is wrong with it; empty if there is nothing to say."""
    refused_step: str
    """The state in which it was refused; empty if it is not refused."""
    package: str
    """The content hash."""
    byte_count: int
    """Bytes of the archive."""
    pools: tuple[str, ...]
    """The pools in which it plays."""
    created_at: int
    changed_at: int
    """When its state changed last."""

    @property
    def is_pending(self) -> bool:
        """Whether its state will change by itself."""
        return self.state in PENDING


@dataclass(frozen=True, slots=True)
class SubmissionStep:
    """The newest run of a step. Times are in seconds since 1970."""

    step: str
    """The state of the submission during the step; `active` is that in which the version plays."""
    started_at: int
    ended_at: int | None
    """None while it runs."""
    is_passed: bool | None
    """None while the step runs, and for the step in which the version plays."""
    sentence: str
    """What was found; empty while the step runs."""

    @property
    def name(self) -> str:
        """What the step is called: `building`, `checking`, `trying` or `running`."""
        return RUNNING if self.step == _ACTIVE else self.step


def read_submission(message: submission_pb2.Submission) -> OwnSubmission:
    """Return the `OwnSubmission` in a message."""
    return OwnSubmission(
        submission_id=message.submission_id,
        bot=message.bot,
        version=message.version,
        state=_read_state(message.state),
        sentence=message.sentence,
        refused_step=_read_state(message.refused_step) if message.refused_step else "",
        package=message.package_hash,
        byte_count=message.byte_count,
        pools=tuple(message.pools),
        created_at=message.created_at_s,
        changed_at=message.changed_at_s,
    )


def read_step(message: submission_pb2.SubmissionStep) -> SubmissionStep:
    """Return the `SubmissionStep` in a message."""
    return SubmissionStep(
        step=_read_state(message.step),
        started_at=message.started_at_s,
        ended_at=message.ended_at_s if message.HasField("ended_at_s") else None,
        is_passed=message.is_passed if message.HasField("is_passed") else None,
        sentence=message.sentence,
    )


def step_number(name: str) -> "SubmissionState.ValueType":
    """Return the number of a step in the protocol. Raises RequestError for an unknown name."""
    if name not in STEPS:
        raise RequestError(f"step {name!r}: expected one of {', '.join(STEPS)}")
    return SubmissionState.Value(f"{_PREFIX}{(_ACTIVE if name == RUNNING else name).upper()}")


def _read_state(number: int) -> str:
    known = SubmissionState.DESCRIPTOR.values_by_number.get(number)
    name = known.name.removeprefix(_PREFIX).lower() if known else UNKNOWN
    return UNKNOWN if name == "unspecified" else name
