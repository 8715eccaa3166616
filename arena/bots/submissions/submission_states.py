"""The states of a submission, and which state may follow which. Nothing here knows the database.

    accepted ──▶ queued ──▶ building ──▶ checking ──▶ trying ──▶ active ◀──▶ inactive
                   ▲            │            │           │
                   └────────────┴────────────┴───────────┘   the server stopped meanwhile

A submission that was tried while a newer one of its bot plays becomes inactive at once. From every state in the
drawing, a submission may become refused or withdrawn, and stays that.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from arena.errors import OptionError, RequestError


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


def step_name(state: SubmissionState) -> str:
    """Return what a step is called.

    >>> step_name(SubmissionState.BUILDING), step_name(SubmissionState.ACTIVE)
    ('building', 'running')
    """
    return RUNNING if state is _S.ACTIVE else state.value


def parse_step(name: str) -> SubmissionState:
    """Return the step with a name. Raises OptionError for an unknown name."""
    for state in LOGGED:
        if step_name(state) == name:
            return state
    raise OptionError("step", name, f"one of {', '.join(map(step_name, LOGGED))}")


def check_transition(state: SubmissionState, following: SubmissionState) -> None:
    """Raise TransitionError unless the second state may follow the first.

    >>> check_transition(SubmissionState.QUEUED, SubmissionState.BUILDING)
    """
    if following not in _FOLLOWING[state]:
        raise TransitionError(state, following)
