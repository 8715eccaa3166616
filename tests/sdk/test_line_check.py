"""A session notices a line that is dead one way, and takes no pause of a program for one."""

import math

import pytest

from cheatarena.errors import ProtocolError
from cheatarena.line_check import ANSWER_TIMEOUT_S, LineCheck

LATE_S = 100 + ANSWER_TIMEOUT_S
"""When a decision that was sent at 100 s is overdue."""


def see_frames(check: LineCheck, *frames: tuple[float, float], delay_s: float = 0.01) -> None:
    """Let frames arrive. Of each, say when the server sent it, and since when a decision has waited."""
    for sent_s, since_s in frames:
        if check.is_due(sent_s, sent_s + delay_s):
            check.look(sent_s, since_s)


def test_line_is_dead_if_frames_arrive_and_a_decision_stays_without_an_answer():
    check = LineCheck()
    see_frames(check, (LATE_S - 1, 100), (LATE_S, 100), (LATE_S + 0.5, 100))

    with pytest.raises(ProtocolError, match="answered nothing for 11 s, although its messages arrive"):
        see_frames(check, (LATE_S + 1, 100))


def test_answers_that_come_are_enough():
    see_frames(LineCheck(), *[(each, each - 5) for each in range(100, 200)], (300, math.inf), (400, math.inf))


def test_server_that_has_stalled_may_write_before_it_reads():
    """Its first frame after the stall comes before the answers. Another decision may wait for the same reason."""
    see_frames(LineCheck(), (LATE_S + 20, 100), (LATE_S + 20.2, 100), (LATE_S + 21, math.inf), (LATE_S + 50, 120))


def test_frames_that_waited_for_this_process_tell_nothing():
    """A bot that thinks for long reads old frames before it sends what it decided."""
    see_frames(LineCheck(), *[(LATE_S + each, 100) for each in range(20)], delay_s=5)
