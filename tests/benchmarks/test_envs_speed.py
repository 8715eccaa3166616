"""The measurement of learning environments counts what it says."""

import pytest

from arena.envs.env_spec import resolve_spec
from tools.studies.envs_speed import Shape, Speed, measure, measure_shape


def test_short_measurement_has_a_row_for_each_encoding():
    rows = list(measure(["standard", "cheater"], tables=2, seconds=0.05))

    assert [(row.preset, row.encoding) for row in rows] == [
        ("standard", "macro"),
        ("standard", "steps"),
        ("cheater", "steps"),
    ]
    assert all(row.actions > 0 for row in rows)


def test_shape_counts_actions_decisions_and_turns():
    """With one move each, a game has one turn, and its window for the three other seats."""
    assert measure_shape(resolve_spec("standard", {"max_turns": 1}, encoding="macro")) == Shape(1, 4, 1)


def test_row_follows_from_actions_and_shape():
    speed = Speed("standard", "steps", Shape(actions=2, decisions=400, turns=100), actions=100_000)

    assert speed.decisions == pytest.approx(50_000)
    assert speed.row() == ["standard", "steps", "50,000", "100,000", "125", "12,500"]
