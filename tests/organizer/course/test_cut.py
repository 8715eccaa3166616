"""What counts at a deadline is the last version that was submitted by then and passed."""

import pytest

from arena.bots.submissions.submission import Submission, SubmissionState
from arena.errors import OptionError, RequestError
from arena.organizer.course.cut import make_cut, parse_deadline

DEADLINE = 1_000.0


def submitted(version: str, at: float, state: SubmissionState = SubmissionState.INACTIVE, bot: str = "b") -> Submission:
    return Submission(f"{at:020.6f}", bot, "ann", version, "5e" * 32, 100, (), state, created_at=at)


def counting(*submissions: Submission) -> list[tuple[str, str]]:
    return [(each.bot, each.version) for each in make_cut(submissions, DEADLINE).bots]


def test_last_version_in_time_counts_and_later_ones_are_named():
    cut = make_cut([submitted("3", DEADLINE + 0.001), submitted("1", 10), submitted("2", DEADLINE)], DEADLINE)

    assert [(each.version, each.later, each.handed_in) for each in cut.bots] == [
        ("2", ("3",), "1970-01-01 00:16:40.000000+00:00")
    ]


@pytest.mark.parametrize("state", [SubmissionState.REFUSED, SubmissionState.WITHDRAWN])
def test_version_that_did_not_pass_does_not_count(state):
    assert counting(submitted("1", 10), submitted("2", 20, state)) == [("b", "1")]
    assert counting(submitted("2", 20, state)) == []


def test_version_on_its_way_has_to_end_first():
    with pytest.raises(RequestError, match="1 version submitted by the deadline must end first: b@2 is building"):
        make_cut([submitted("1", 10), submitted("2", 20, SubmissionState.BUILDING)], DEADLINE)


def test_version_on_its_way_that_came_late_is_not_waited_for():
    assert counting(submitted("1", 10), submitted("2", DEADLINE + 1, SubmissionState.TRYING)) == [("b", "1")]


def test_bots_of_banned_owners_are_left_out_and_not_waited_for():
    rows = [submitted("1", 10), submitted("2", 20, SubmissionState.QUEUED)]

    assert make_cut(rows, DEADLINE, banned={"ann"}).bots == ()


def test_seal_depends_on_every_value_and_on_no_order():
    rows = [submitted("1", 10), submitted("1", 20, bot="c")]

    assert make_cut(rows, DEADLINE).seal == make_cut(rows[::-1], DEADLINE).seal
    assert make_cut(rows, DEADLINE).seal != make_cut(rows, DEADLINE + 1).seal
    assert make_cut(rows, DEADLINE).seal != make_cut(rows[:1], DEADLINE).seal


@pytest.mark.parametrize("text", ["1970-01-01 01:16:40+01:00", "1970-01-01T00:16:40Z"])
def test_deadline_has_an_offset(text):
    assert parse_deadline(text, DEADLINE + 1) == DEADLINE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-10-25 02:30", "its offset from UTC too"),
        ("tomorrow", "a time such as"),
        ("1970-01-01 00:16:41Z", "it has not passed"),
    ],
)
def test_deadline_that_means_no_moment_of_the_past_is_refused(text, said):
    with pytest.raises(OptionError, match=said):
        parse_deadline(text, DEADLINE + 1)
