import pytest

from arena.league.points import block_scores, can_compare, place_points
from tests.league.leagues import block, table


@pytest.mark.parametrize(
    ("places", "points"),
    [
        pytest.param((1, 2), (1, 0), id="two seats"),
        pytest.param((1, 1), (1 / 2, 1 / 2), id="two who share the first place"),
        pytest.param((3, 1, 4, 2), (1 / 3, 1, 0, 2 / 3), id="four seats"),
        pytest.param((1, 2, 2, 4), (1, 1 / 2, 1 / 2, 0), id="a tie in the middle counts half"),
        pytest.param((1, 2, 2, 2), (1, 1 / 3, 1 / 3, 1 / 3), id="only the first one is known"),
        pytest.param((1, 1, 1, 1, 1), (1 / 2,) * 5, id="nobody is ahead"),
    ],
)
def test_place_is_worth_the_share_of_opponents_left_behind(places, points):
    assert place_points(places) == pytest.approx(points)
    assert sum(place_points(places)) == pytest.approx(len(places) / 2), "as much as can be had at a table"


def test_score_compares_entrants_with_the_same_hand_and_seat():
    """Three tables, by hand: ann has 1, the other two in seat 0 have 0 and 1/2; so 1 - 1/4."""
    result = block(1, "ann 1 | bob 2 | cid 3", "dan 3 | eve 1 | fay 2", "gus 2 | hal 3 | ida 1")

    scores = block_scores(result, compares=True)

    values = {name: score.value for name, score in scores.items()}
    assert values == pytest.approx(
        {"ann": 1 - 1 / 4, "dan": 0 - 3 / 4, "gus": 1 / 2 - 1 / 2}
        | {"bob": 1 / 2 - 1 / 2, "eve": 1 - 1 / 4, "hal": 0 - 3 / 4}
        | {"cid": 0 - 3 / 4, "fay": 1 / 2 - 1 / 2, "ida": 1 - 1 / 4}
    )
    assert sum(values.values()) == pytest.approx(0)
    assert scores["ann"].points == 1


def test_without_comparison_a_score_is_plain_points():
    scores = block_scores(block(1, "ann 1 | bob 2", "cid 2 | dan 1"), compares=False)

    assert {name: score.value for name, score in scores.items()} == {"ann": 1, "bob": 0, "cid": 0, "dan": 1}


def test_one_block_of_one_table_makes_all_scores_plain():
    pair, lone = block(1, "ann 1 | bob 2", "cid 1 | dan 2"), block(2, "ann 1 | bob 2")

    assert can_compare([pair, pair])
    assert not can_compare([pair, lone])


def test_forfeit_marks_the_affected_entrants_but_not_the_forfeiter():
    """Dan did not come: eve and fay sat with it, ann held its hand; bob and cid are not affected."""
    result = block(1, "ann 1 | bob 2 | cid 3", table("dan 3 | eve 1 | fay 2", forfeits="dan"))

    marked = {name for name, score in block_scores(result, compares=True).items() if score.is_marked}
    plainly_marked = {name for name, score in block_scores(result, compares=False).items() if score.is_marked}

    assert marked == {"eve", "fay", "ann"}
    assert plainly_marked == {"eve", "fay"}


def test_forfeiter_beside_another_forfeiter_is_marked_too():
    result = block(1, table("ann 1 | bob 2 | cid 2", forfeits="bob cid"))

    assert all(score.is_marked for score in block_scores(result, compares=False).values())
