"""Converts submissions to messages and back."""

from typing import Final

from arena.bots.submissions.submission_rows import StepRow, SubmissionRow
from arena.bots.submissions.submission_states import LOGGED, SubmissionState, parse_step, step_name
from arena.errors import OptionError
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
    if state not in LOGGED:
        raise OptionError("step", number, f"one of {', '.join(map(step_name, LOGGED))}")
    return state


def state_name(number: int) -> str:
    """Return the name of a state; `unknown` for a number that this release does not know."""
    return _STATES.get(StateNumber.ValueType(number), "unknown")


def name_of_step(number: int) -> str:
    """Return the name of a step; `unknown` for a number that this release does not know."""
    state = _STATES.get(StateNumber.ValueType(number))
    return "unknown" if state is None else step_name(state)


def number_of_step(name: str) -> "StateNumber.ValueType":
    """Return the number of a step. Raises OptionError for an unknown name."""
    return _NUMBERS[parse_step(name)]
