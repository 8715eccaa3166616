"""The study of what boxes cost still runs, and a box takes little memory. No test fails because of a slow figure."""

from tests.studies.box_speed import GOAL_MEMORY_MB, measure
from tests.support.boxes import skip_without_boxes


def test_costs_of_boxes_are_measured():
    """Each figure is there for both kinds of bots."""
    skip_without_boxes()

    costs = measure(start_count=1, match_count=1, game_count=1)

    assert all(len(each) == 1 and each[0] > 0 for each in (*costs.starts_s, *costs.turns_a_second))
    assert 0 < costs.memory_mb[0] < GOAL_MEMORY_MB
    assert len(list(costs.describe())) == 3
