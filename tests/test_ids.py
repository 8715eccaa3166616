"""Ids sort by the time of their creation, and those of one maker also if the time does not help."""

import pytest

from arena.ids import ID_LENGTH, AscendingIds, id_time


@pytest.mark.parametrize("times", [[5.0] * 200, [5.0, 4.0, 4.999, 5.0], [5.0, 5.001, 6.0]], ids=["same", "back", "on"])
def test_each_id_of_a_maker_sorts_after_the_one_before(times):
    """The server makes the ids of future matches ahead, many in one millisecond, and gives them out in this order."""
    clock = iter(times)
    ids = AscendingIds(lambda: next(clock))

    made = [ids.new_id() for _ in times]

    assert made == sorted(set(made))
    assert {len(each) for each in made} == {ID_LENGTH}
    assert id_time(made[0]) == times[0]


def test_step_after_an_id_of_the_same_millisecond_is_drawn():
    ids = AscendingIds(lambda: 5.0, lambda count: b"\x07" * count)

    first, second, third = (ids.new_id() for _ in range(3))

    assert first[:-14] == second[:-14] == third[:-14], "a step is much smaller than a millisecond"
    assert first[-13:] != second[-13:] != third[-13:]
