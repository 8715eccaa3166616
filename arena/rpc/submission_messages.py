"""Converts submissions to messages and back."""

from typing import Final

from arena.errors import OptionError
from arena.store.submission_rows import StepRow, SubmissionRow
from arena.store.submission_states import STEPS, SubmissionState
from cheatarena.v1 import submission_pb2
from cheatarena.v1.submission_pb2 import SubmissionState as StateNumber

_NUMBERS: Final = {state: StateNumber.Value(f"SUBMISSION_STATE_{state.upper()}") for state in SubmissionState}
_STATES: Final = {number: state for state, number in _NUMBERS.items()}
_NO_STEP: Final = submission_pb2.SUBMISSION_STATE_UNSPECIFIED


def submission_message(row: SubmissionRow) -> submission_pb2.Submission:
    """Return the message of a submission."""
    return submission_pb2.Submission(
        submission_id=row.submission_id,
        bot=row.bot,
        version=row.version,
        state=_NUMBERS[row.state],
        sentence=row.sentence,
        refused_step=_NUMBERS[SubmissionState(row.refused_step)] if row.refused_step else _NO_STEP,
        package_hash=row.package,
        byte_count=row.byte_count,
        pools=row.pools,
        created_at_s=int(row.created_at),
        changed_at_s=int(row.changed_at),
    )


def step_message(row: StepRow) -> submission_pb2.SubmissionStep:
    """Return the message of a step."""
    return submission_pb2.SubmissionStep(
        step=_NUMBERS[row.step],
        started_at_s=int(row.started_at),
        ended_at_s=None if row.ended_at is None else int(row.ended_at),
        is_passed=row.is_passed,
        sentence=row.sentence,
    )


def step_from_number(number: int) -> SubmissionState:
    """Return the step with this number. Raises OptionError if there is none."""
    state = _STATES.get(StateNumber.ValueType(number))
    if state not in STEPS:
        raise OptionError("step", number, f"one of {', '.join(STEPS)}")
    return state


def state_name(number: int) -> str:
    """Return the name of a state; `unknown` for a number that this release does not know."""
    return _STATES.get(StateNumber.ValueType(number), "unknown")


def state_number(name: str) -> "StateNumber.ValueType":
    """Return the number of a state. Raises OptionError for an unknown name."""
    if name not in _NUMBERS:
        raise OptionError("step", name, f"one of {', '.join(STEPS)}")
    return _NUMBERS[SubmissionState(name)]
