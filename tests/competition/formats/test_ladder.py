"""A ladder seats the least certain entrants with others of similar strength; strengths are openskill's."""

import math

import pytest

from arena.competition.formats import Ladder
from arena.competition.formats.strength import Strength, StrengthTracker
from arena.competition.league.model import Block
from tests.support.leagues import (
    blocks_of,
    by_name,
    count_games,
    count_same_owner_pairs,
    field,
    play_blocks,
    play_league,
    spread,
    tables_of,
    with_late_entrant,
)


def plackett_luce(ratings, ranks, beta=25 / 6, tau=25 / 300):
    """Weng and Lin 2011, algorithm 4, for players alone; tau and gamma as openskill adds them."""
    ratings = [(mu, math.hypot(sigma, tau)) for mu, sigma in ratings]
    c = math.sqrt(sum(sigma**2 + beta**2 for _, sigma in ratings))
    updated = []
    for i, (mu, sigma) in enumerate(ratings):
        omega = delta = 0.0
        for q, _ in enumerate(ratings):
            if ranks[q] > ranks[i]:
                continue
            total = sum(math.exp(ratings[s][0] / c) for s in range(len(ratings)) if ranks[s] >= ranks[q])
            chance = math.exp(mu / c) / total
            omega += ((i == q) - chance) * sigma**2 / c / ranks.count(ranks[q])
            delta += chance * (1 - chance) * sigma**2 / c**2 * (sigma / c) / ranks.count(ranks[q])
        updated.append((mu + omega, sigma * math.sqrt(max(1 - delta, 1e-4))))
    return updated


@pytest.mark.parametrize("order", [(1, 2, 3, 4), (3, 1, 4, 2)])
def test_one_game_moves_strengths_as_in_the_paper(order):
    block = Block(1, 1, (("a", "b", "c", "d"),))

    known = StrengthTracker().strengths_after(play_blocks([block], lambda table, _: order))

    expected = plackett_luce([(25, 25 / 3)] * 4, list(order))
    assert [(known[name].mean, known[name].deviation) for name in "abcd"] == pytest.approx(
        [pytest.approx(each, abs=1e-6) for each in expected]
    )


def test_cached_state_does_not_change_the_result():
    """After a longer history, another one, and the same again, the result equals a first computation."""
    results = play_league(Ladder(6), field(9, 3))
    strengths = StrengthTracker()

    for some in (results[:4], results, results[2:], results[:4], results):
        assert strengths.strengths_after(some) == StrengthTracker().strengths_after(some)


def test_gap_is_small_where_little_is_known():
    sure, unsure = (Strength(30, 1), Strength(20, 1)), (Strength(30, 8), Strength(20, 8))

    assert sure[0].gap(sure[1]) == pytest.approx(10 / math.sqrt(2 * (25 / 6) ** 2 + 2))
    assert unsure[0].gap(unsure[1]) < sure[0].gap(sure[1])


def test_after_some_rounds_neighbours_in_strength_meet():
    """Twelve in pairs, the higher name always wins: later partners are close in the true order."""
    blocks = blocks_of(play_league(Ladder(30, games=1), field(12, 2), by_name))

    gaps = [
        abs(int(one[1:]) - int(other[1:])) for one, other in tables_of(block for block in blocks if block.round > 15)
    ]

    assert sum(gaps) / len(gaps) < 3  # of any two of twelve it is 4.3


def test_all_entrants_play_about_equally_often():
    """An entrant that has not played is less certain, and is seated sooner."""
    entries = field(13, 3)

    assert spread(count_games(blocks_of(play_league(Ladder(20, games=1), entries)), entries.names())) <= 4


def test_half_of_the_field_plays_in_a_round():
    assert [len(block.tables) for block in Ladder(games=1).draw_round(1, field(40, 4))] == [3, 2]
    assert [len(block.tables) for block in Ladder(games=1).draw_round(1, field(9, 4))] == [2]
    assert [len(block.tables) for block in Ladder(games=1).draw_round(1, field(7, 4))] == [1]


def test_late_entrant_is_seated_at_once():
    entries = with_late_entrant(field(12, 3), "late", since=5)

    blocks = blocks_of(play_league(Ladder(6, games=1), entries))

    assert next(block.round for block in blocks if "late" in block.names) == 5


def test_owners_are_separated():
    entries = field(16, 4, "aabbccdd")

    blocks = blocks_of(play_league(Ladder(10, games=1), entries))

    assert sum(count_same_owner_pairs(entries, table) for table in tables_of(blocks)) == 0


def test_without_a_round_limit_it_continues():
    assert (Ladder().size(field(8, 4)).games, Ladder().size(field(8, 4)).rounds) == (None, None)
    assert len({result.block.round for result in play_league(Ladder(games=1), field(8, 4), most=50)}) == 50
