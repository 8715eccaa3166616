from arena.competition.league.head_to_head import HeadToHead
from tests.competition.league.leagues import block


def test_meetings_count_the_better_place_at_shared_tables():
    """Of the two tables that ann and bob share, ann was ahead at one and level at one. Dan is not in the comparison."""
    results = [block(1, "ann 1 | bob 2 | dan 3", "cid 1 | eve 2 | fay 3"), block(2, "bob 1 | ann 1 | cid 3")]

    meetings = HeadToHead.from_results(["ann", "bob", "cid"], results)

    assert meetings.games.tolist() == [[0, 2, 1], [2, 0, 1], [1, 1, 0]]
    assert meetings.share_ahead(0, 1) == 0.75
    assert meetings.share_ahead(1, 0) == 0.25
    assert meetings.share_ahead(0, 0) is None
    assert meetings.overall_share_ahead(0) == 2.5 / 3
    assert meetings.overall_share_ahead(2) == 0


def test_groups_are_entrants_linked_by_tables():
    results = [block(1, "ann 1 | bob 2", "cid 1 | dan 2"), block(2, "bob 1 | eve 2")]

    assert HeadToHead.from_results(["ann", "cid", "eve", "bob", "dan", "fay"], results).linked_groups() == (
        0,
        1,
        0,
        0,
        1,
        2,
    )
