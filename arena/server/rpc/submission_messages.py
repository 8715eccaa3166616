"""Converts submissions to messages. The client in the SDK converts them back."""

from collections.abc import Mapping
from typing import Final

from arena.bots.submissions.submission import LOGGED, Step, Submission, SubmissionState, step_name
from arena.errors import OptionError
from cheatarena.v1 import submission_pb2
from cheatarena.v1.submission_pb2 import SubmissionState as StateNumber

_NUMBERS: Final[Mapping[SubmissionState, "StateNumber.ValueType"]] = {
    state: StateNumber.Value(f"SUBMISSION_STATE_{state.upper()}") for state in SubmissionState
}
_STATES: Final = {number: state for state, number in _NUMBERS.items()}
_NO_STEP: Final = submission_pb2.SUBMISSION_STATE_UNSPECIFIED


def submission_message(row: Submission) -> submission_pb2.Submission:
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


def step_message(row: Step) -> submission_pb2.SubmissionStep:
    return submission_pb2.SubmissionStep(
        step=_NUMBERS[row.step],
        started_at_s=int(row.started_at),
        ended_at_s=None if row.ended_at is None else int(row.ended_at),
        is_passed=row.is_passed,
        sentence=row.sentence,
    )


def step_from_number(number: int) -> SubmissionState:
    """Raises OptionError for an unknown number."""
    state = _STATES.get(StateNumber.ValueType(number))
    if state not in LOGGED:
        raise OptionError("step", number, f"expected one of {', '.join(map(step_name, LOGGED))}")
    return state
