"""No program meets a deal twice, so a bot that remembers every hand is no better than its forgetful twin.

How many games the league has says REMEMBERED_GAMES; `make league-soak` plays more.
"""

import asyncio
import json
import os
import shutil
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from arena.competition.league.adjustment import EVEN_DRAW, adjust_scores
from arena.competition.league.model import BlockResult
from arena.competition.league.ranking_measure import RankingMeasure, measure_from_scores
from arena.practice import play
from sample_bots.python.honest.bot import Honest
from tests.organizer import remembering_bot as remembering
from tests.organizer.leagues import history_of, seal, start

GAMES = int(os.environ.get("REMEMBERED_GAMES", "40"))
LEAGUE = f"""\
name = "test"
format = "season"
games = {GAMES}
play_off = 0
seats = 4
preset = "folk"
pace_settings = {{ turn_ms = 20000, call_ms = 20000 }}
entrants = [
    {{ bot = "remembering.py", environment = {{ MEMORY = "hands" }} }},
    {{ bot = "remembering.py", name = "forgetful" }},
    {{ bot = "sample:honest" }},
    {{ bot = "sample:honest", name = "honest-2" }},
    {{ bot = "sample:honest", name = "honest-3" }},
    {{ bot = "sample:gambler" }},
    {{ bot = "sample:counter" }},
    {{ bot = "sample:random_legal" }},
]
"""
"""Of slow clocks: nothing depends on how busy the machine is."""


def hands_of(memory: Path) -> list[dict[str, Any]]:
    """Return the hands that the bot held, one per game, and how often it had met each before."""
    return [note for note in map(json.loads, memory.read_text().splitlines()) if "met" in note]


def measure_scores(history: list[BlockResult]) -> RankingMeasure:
    """Return the scores that the standings count, with their uncertainty."""
    return measure_from_scores(adjust_scores(history, EVEN_DRAW).scores, b"twins", 1000)


@pytest.mark.slow
def test_remembering_bot_gains_where_deals_repeat(tmp_path):
    """Without a gain here, the absence of a gain in a league would prove nothing.

    Under these rules places are 1 and 2.
    """

    class Knowing(remembering.RememberingBot):
        memory = tmp_path / "hands"

    places = []
    for _ in range(6):
        result = play([Knowing, Honest, Honest, Honest], preset="folk", games=24, seed=6)
        places.append(mean(game[0] for game in result.places))

    assert places[5] < places[0] - 0.2
    assert [hand["met"] for hand in hands_of(tmp_path / "hands")] == [met for met in range(6) for _ in range(24)]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
@pytest.mark.timeout(900)
@pytest.mark.long
async def test_remembering_bot_gains_nothing_in_a_league(tmp_path):
    shutil.copy(remembering.__file__, tmp_path / "remembering.py")
    (tmp_path / "league.toml").write_text(LEAGUE)
    file, data = tmp_path / "league.toml", tmp_path / "data"
    await seal(file, data)

    run = start("run", file, data)
    _, told = await asyncio.to_thread(run.communicate, timeout=840)

    assert run.returncode == 0, told
    history = await history_of(file, data)
    hands = hands_of(tmp_path / "hands")
    assert len(hands) == sum("remembering" in result.block.names for result in history) > GAMES / 3
    assert not [hand for hand in hands if hand["met"]]
    assert len({(hand["seat"], *hand["hand"]) for hand in hands}) == len(hands), "met while both games went on"
    assert not measure_scores(history).are_separable("remembering", "forgetful")
