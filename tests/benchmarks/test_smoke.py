"""The benchmark itself still runs. It says nothing about speed."""

import asyncio

from arena.rules.catalog import GAMES
from tests.benchmarks.__main__ import line, measure
from tests.benchmarks.engine import DECKS, engine_rows


def test_the_rules_of_every_preset_are_measured():
    rows = engine_rows(0.02)

    assert len(rows) == sum(len(game.presets) for game in GAMES.values()) + len(DECKS)
    assert all(row.us > 0 for row in rows)


async def test_every_kind_of_row_gives_figures():
    """With numbers as small as can be, all at once."""
    rows = await asyncio.gather(*(measure(name, 0.2) for name in ("2", "single-1", "echo-batched")))

    decisions, single, echo = rows
    assert all(row.rate > 0 and row.server_us > 0 for row in rows)
    assert single.per_frame_out <= 1, "an answer and a prompt are messages of their own"
    assert decisions.remark == single.remark == "", "no strikes"
    assert echo.matches is None
    assert all(line(row).startswith(row.name) for row in rows)
