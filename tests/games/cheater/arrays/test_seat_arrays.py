"""Each row of an observation of CHEATER says what the view of the rules says."""

from random import Random

import pytest

from arena.envs.env_spec import resolve_spec
from arena.games.cheater.arrays.layout import OBSERVATION
from arena.games.cheater.arrays.words import describe_array_action
from arena.games.cheater.rules.views import snapshot
from arena.match.game import Seat
from tests.support.env_rules import begin_table, play_on


def row(observation, name):
    return list(observation[OBSERVATION.slice_of(name)])


def counts(cards):
    return [bytes(cards).count(code) for code in range(29)]


def one_hot(size, index):
    return [int(each == index) for each in range(size)]


@pytest.mark.parametrize("seats", [2, 3, 5, 10])
def test_rows_agree_with_the_view_of_the_rules(seats):
    random = Random(seats)
    table = begin_table(resolve_spec("cheater", {"max_turns": 60}, seats), seats)
    for _ in play_on(table, random):
        observer = Seat(random.randrange(seats))
        found, view = table.observe(observer), snapshot(table.state, observer)

        def place(seat, observer=observer):
            return one_hot(10, None if seat is None else (seat - observer) % seats)

        assert row(found, "hand") == counts(view.hand)
        assert row(found, "turn") == place(view.to_move)
        assert row(found, "marker") == place(view.cheater)
        assert row(found, "target") == place(None if view.attacking is None else view.attacking.target)
        assert row(found, "draw_pile") == [view.draw_count]
        assert row(found, "discards") == counts(view.discards)
        assert row(found, "top") == one_hot(29, view.discards[-1])
        others = [view.known[(observer + step) % seats] for step in range(1, seats)]
        assert row(found, "known") == [count for each in others for count in counts(each)] + [0] * 29 * (10 - seats)
        assert row(found, "die") == [view.die]
        assert row(found, "dice") == [*view.dice, 0, 0][:2]


def test_actions_have_words():
    texts = [describe_array_action("steps", action) for action in range(99)]
    assert len(set(texts)) == 99
    assert texts[12 + 27] == "play WILD as TAKE at the seat 1 further"
