"""The states of a submission: which may follow which."""

import pytest

from arena.bots.submissions.submission import (
    FINAL,
    PENDING,
    STEPS,
    SubmissionState,
    TransitionError,
    check_transition,
)

S = SubmissionState


@pytest.mark.parametrize("state", list(S))
def test_end_can_follow_every_state_that_has_not_ended(state):
    for following in FINAL:
        if state in FINAL:
            with pytest.raises(TransitionError):
                check_transition(state, following)
        else:
            check_transition(state, following)


@pytest.mark.parametrize("step", STEPS)
def test_restart_queues_a_step_again_and_no_step_is_left_out(step):
    check_transition(step, S.QUEUED)
    for other in (*STEPS, S.ACTIVE):
        if [*STEPS, S.ACTIVE].index(other) != STEPS.index(step) + 1:
            with pytest.raises(TransitionError):
                check_transition(step, other)


@pytest.mark.parametrize("state", sorted(PENDING | {S.INACTIVE} | FINAL))
def test_nothing_plays_that_was_not_tried(state):
    if state in (S.TRYING, S.INACTIVE):
        check_transition(state, S.ACTIVE)
    else:
        with pytest.raises(TransitionError):
            check_transition(state, S.ACTIVE)
