"""A match goes from stage to stage as drawn, and never back."""

from types import SimpleNamespace
from typing import Any

import pytest

from arena.server.node.hosted_match import OVER, HostedMatch, MatchStage, may_follow


def match_in(stage: MatchStage) -> HostedMatch:
    unused: Any = SimpleNamespace()
    return HostedMatch(1, unused, unused, (), unused, unused, unused, 0.0, unused, unused, stage=stage)


@pytest.mark.replaces_code
@pytest.mark.parametrize("stage", [each for each in MatchStage if each in OVER])
def test_nothing_follows_the_end_of_a_match(stage: MatchStage):
    assert not any(may_follow(stage, each) for each in MatchStage)
    assert match_in(stage).is_over
    assert match_in(stage).due is None


def test_match_may_be_taken_from_its_node_until_it_is_over():
    assert {each for each in MatchStage if may_follow(each, MatchStage.RELEASED)} == set(MatchStage) - OVER


def test_match_that_has_begun_is_ended_and_one_that_has_not_is_dropped():
    assert [each for each in MatchStage if may_follow(each, MatchStage.ENDED)] == [MatchStage.RUNNING]
    assert not may_follow(MatchStage.RUNNING, MatchStage.DROPPED)


@pytest.mark.replaces_code
def test_stage_that_may_not_follow_is_refused_and_changes_nothing():
    match = match_in(MatchStage.ENDED)

    with pytest.raises(ValueError, match="a match that is ended cannot become running"):
        match.enter(MatchStage.RUNNING)
    assert match.stage is MatchStage.ENDED
