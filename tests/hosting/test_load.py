"""How many tables a bot is given at once: more while it answers soon, fewer when it takes long."""

import asyncio
import os
from math import inf

import pytest

from arena.hosting.load import FEW, MOST_TABLES, Load
from tests.hosting.leagues import history_of, start, write_league

SLOW = """\
import time
from cheatarena import Bot, Decline, run

class Slow(Bot):
    def turn(self, table, options):
        time.sleep(0.02)
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        time.sleep(0.02)
        return Decline()

if __name__ == "__main__":
    run(Slow)
"""
"""It keeps its process busy while it thinks: with ten tables at once its last answer takes 200 ms."""


@pytest.fixture
def load() -> Load:
    return Load(names=8, seats=4, allowed_s=1.0)


def learn(load: Load, answer_s: float, times: int) -> int:
    for _ in range(times):
        load.learn("ann", answer_s)
    return load.most_of("ann")


def test_everybody_begins_with_few(load):
    assert load.most_of("ann") == FEW


def test_each_game_answered_soon_gives_one_more_up_to_twice_its_part_of_the_seats(load):
    assert learn(load, 0.01, times=10) == FEW + 10
    assert learn(load, 0.01, times=1_000) == 2 * MOST_TABLES * 4 // 8


def test_games_answered_neither_soon_nor_late_change_nothing(load):
    assert learn(load, 0.4, times=10) == FEW


def test_games_that_took_long_take_a_quarter_each_and_leave_one(load):
    learn(load, 0.01, times=30)

    assert learn(load, 0.7, times=1) == 24
    assert learn(load, 0.7, times=1) == 18
    assert learn(load, 0.7, times=100) == 1


def test_one_bot_is_nothing_to_another(load):
    learn(load, 0.7, times=10)

    assert load.most_of("ben") == FEW


def test_nobody_is_slow_without_deadlines():
    assert learn(Load(names=8, seats=4, allowed_s=inf), 3_600.0, times=5) == FEW + 5


@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
async def test_a_bot_that_keeps_its_process_busy_is_not_made_late_by_its_other_tables(tmp_path):
    """Twelve of its tables at once would take it 240 ms a round, and it has 150."""
    file = write_league(tmp_path / "bots", bots=6, games=24, seats=3)
    file.write_text(file.read_text().replace("[rules]", "[pace_settings]\nturn_ms = 150\ncall_ms = 150\n[rules]"))
    for bot in file.parent.glob("bot*.py"):
        bot.write_text(SLOW)

    run = start("run", file, tmp_path / "data", "--nodes", "1")
    _, told = await asyncio.to_thread(run.communicate, timeout=110)

    assert run.returncode == 0, told
    tables = [table for result in await history_of(file, tmp_path / "data") for table in result.tables]
    assert len(tables) == 24
    assert sum(sum(each.get("late", 0) for each in table.strikes) for table in tables) == 0
