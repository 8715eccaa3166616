import pytest

from arena.competition.league.points import block_scores, place_points
from tests.competition.league.leagues import block, table


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


def test_forfeit_marks_the_others_at_its_table_only():
    """Dan did not come: eve and fay sat with it; ann held its hand at another table."""
    scores = block_scores(block(1, "ann 1 | bob 2 | cid 3", table("dan 3 | eve 1 | fay 2", forfeits="dan")))

    assert {name for name, score in scores.items() if score.is_marked} == {"eve", "fay"}
    assert {name: score.points for name, score in scores.items()} == {"ann": 1, "bob": 0.5, "cid": 0} | {
        "dan": 0,
        "eve": 1,
        "fay": 0.5,
    }


def test_forfeiter_beside_another_forfeiter_is_marked_too():
    result = block(1, table("ann 1 | bob 2 | cid 2", forfeits="bob cid"))

    assert all(score.is_marked for score in block_scores(result).values())
