"""How many tables a bot plays at once: more while it answers quickly, fewer when it is slow."""

import asyncio
import os
from math import inf

import pytest

from arena.hosting.play.concurrency_limiter import INITIAL_GAMES, MAX_TABLES, ConcurrencyLimiter
from tests.hosting.leagues import history_of, start, write_league

SLOW = """\
import time
from cheatarena import (Bot, Decline, run)

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
def load() -> ConcurrencyLimiter:
    return ConcurrencyLimiter(names=8, seats=4)


def learn(load: ConcurrencyLimiter, share: float, times: int = 1) -> int:
    """Report games one after the other, in each of which an answer took this part of its time."""
    for _ in range(times):
        load.record_game("ann", share, load.begin_games())
    return load.max_games("ann")


def test_every_bot_begins_with_few_tables(load: ConcurrencyLimiter):
    assert load.max_games("ann") == INITIAL_GAMES


def test_each_quick_game_adds_one_table_up_to_twice_its_share_of_seats(load: ConcurrencyLimiter):
    assert learn(load, 0.01, times=10) == INITIAL_GAMES + 10
    assert learn(load, 0.01, times=1_000) == 2 * MAX_TABLES * 4 // 8


def test_games_neither_quick_nor_slow_change_nothing(load: ConcurrencyLimiter):
    learn(load, 0.01, times=10)

    assert learn(load, 0.5, times=10) == INITIAL_GAMES + 10


def test_bot_neither_quick_nor_slow_at_first_is_tried_alone(load: ConcurrencyLimiter):
    """If it is as slow alone, it gets more; otherwise it would have few tables for ever."""
    assert learn(load, 0.5) == 1
    assert learn(load, 0.5, times=60) > 9


@pytest.mark.parametrize("share", [0.75, inf])
def test_slow_game_halves_tables_but_leaves_one(load: ConcurrencyLimiter, share):
    learn(load, 0.01, times=38)

    assert learn(load, share) == 20
    assert learn(load, share) == 10
    assert learn(load, share, times=3) == 1


def test_after_slow_game_each_extra_table_takes_as_many_good_games_as_tables(load: ConcurrencyLimiter):
    learn(load, 0.01, times=38)
    learn(load, 0.8)

    assert learn(load, 0.01, times=20) == 20
    assert learn(load, 0.01) == 21


def test_only_first_of_concurrent_games_counts(load: ConcurrencyLimiter):
    """One hiccup delays forty games: that is one reason to reduce tables, not forty."""
    learn(load, 0.01, times=38)
    under_way = [load.begin_games() for _ in range(40)]

    for number in under_way:
        load.record_game("ann", inf, number)

    assert load.max_games("ann") == 20


@pytest.mark.parametrize("share", [0.75, 0.95, inf])
def test_bot_equally_slow_alone_still_gets_more_tables(load: ConcurrencyLimiter, share):
    """It waits for something else: fewer games would delay its opponents and help no bot."""
    assert learn(load, share) == 1
    assert learn(load, share, times=60) > 9


def test_bot_slowed_by_two_games_keeps_one_and_tries_two_but_no_more(load: ConcurrencyLimiter):
    """Its process is busy for 0.45 of its answer time."""
    learn(load, 0.9)
    learn(load, 0.45)
    for _ in range(20):
        assert learn(load, 0.45) == 2
        assert learn(load, 0.9) == 1


def test_bot_late_alone_once_is_not_considered_slow(load: ConcurrencyLimiter):
    """It was a hiccup of the machine: the bot continues with the number of tables it answers in time."""
    learn(load, 0.9)
    learn(load, 0.45)
    learn(load, inf)

    for _ in range(20):
        assert learn(load, 0.45) <= 2
        assert learn(load, 0.9) == 1


def test_bot_late_alone_again_is_reassessed_once_it_recovers(load: ConcurrencyLimiter):
    learn(load, inf, times=40)
    games = learn(load, 0.5)

    assert games > INITIAL_GAMES
    assert learn(load, inf) == games // 2


def test_bots_do_not_affect_each_other(load: ConcurrencyLimiter):
    learn(load, 0.8, times=10)

    assert load.max_games("ben") == INITIAL_GAMES


@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
async def test_busy_bot_is_not_made_late_by_its_other_tables(tmp_path):
    """Twelve tables at once would take it 240 ms a round, and it has 150."""
    file = write_league(tmp_path / "bots", bots=6, games=24, seats=3)
    file.write_text(file.read_text().replace("[rules]", "[pace_settings]\nturn_ms = 150\ncall_ms = 150\n[rules]"))
    for bot in file.parent.glob("bot*.py"):
        bot.write_text(SLOW)

    run = start("run", file, tmp_path / "data", "--nodes", "1")
    _, told = await asyncio.to_thread(run.communicate, timeout=110)

    assert run.returncode == 0, told
    tables = [table for result in await history_of(file, tmp_path / "data") for table in result.tables]
    assert len(tables) == 24
    assert sum(each["late"] + each["missing"] for table in tables for each in table.strikes) == 0
