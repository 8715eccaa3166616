"""How many tables a bot plays at once: more while it answers quickly, fewer when it is slow."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

import pytest

from arena.match.referee.facts import StrikeKind
from arena.match.referee.inputs import Deal, read_record
from arena.match.referee.strike_record import Culprit, StrikeRecord, culprit_of
from arena.organizer.play.concurrency_limiter import INITIAL_GAMES, MAX_TABLES, ConcurrencyLimiter
from arena.plain_data import from_plain
from arena.replays.library.journals import JournalReader, journal_files, journaled_matches, read_match_records
from arena.server.store.open_store import open_store
from tests.organizer.leagues import history_of, start, write_league

THINK_MS = 100
LIMIT_MS = 750
"""The time for an answer: enough for seven tables that ask at the same time. The times are long, so that the noise of a
busy machine is small beside them."""
SLOW = f"""\
import time
from cheatarena import (Bot, Decline, run)

class Slow(Bot):
    def turn(self, table, options):
        time.sleep({THINK_MS / 1000})
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        time.sleep({THINK_MS / 1000})
        return Decline()

if __name__ == "__main__":
    run(Slow)
"""
"""It keeps its process busy while it thinks: with ten tables at once its last answer takes a second."""


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


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
@pytest.mark.long
async def test_busy_bot_is_not_made_late_by_its_other_tables(tmp_path):
    """Each bot has twelve games. If all ran at once, a round would take it 1,200 ms, and it has 750.

    On any machine, it has time for all tables that it plays at once. If it is late nevertheless, something else took
    the time, and the league charges that to the machine.
    """
    file, data = write_league(tmp_path / "bots", bots=6, games=24, seats=3), tmp_path / "data"
    pace = f"[pace_settings]\nturn_ms = {LIMIT_MS}\ncall_ms = {LIMIT_MS}\n[rules]"
    file.write_text(file.read_text().replace("[rules]", pace).replace("max_turns = 60", "max_turns = 8"))
    for bot in file.parent.glob("bot*.py"):
        bot.write_text(SLOW)

    run = start("run", file, data, "--nodes", "1")
    _, told = await asyncio.to_thread(run.communicate, timeout=110)

    assert run.returncode == 0, told
    assert sum(len(result.tables) for result in await history_of(file, data)) == 24
    most = most_at_once(read_games(data))
    assert max(most.values()) * THINK_MS <= LIMIT_MS, most
    charged = [strike for strike in await read_late_strikes(data) if culprit_of(strike) is not Culprit.HOST]
    assert charged == []


@dataclass(frozen=True)
class PlayedGame:
    """A match of one game as the node has recorded it; instants are in microseconds on the node's clock."""

    entrants: tuple[str, ...]
    began: int
    ended: int


def read_games(data: Path) -> list[PlayedGame]:
    """Return the games of the only node of a league, those of void blocks too."""
    (path,) = journal_files(data)
    reader = JournalReader(path)
    matches = journaled_matches(reader)
    records = read_match_records(reader, [match.number for match in matches])
    games = []
    for match in matches:
        inputs = [entry for entry in map(read_record, records[match.number]) if not isinstance(entry, Deal)]
        games.append(PlayedGame(tuple(match.terms["entrants"]), inputs[0].now, inputs[-1].now))
    return games


def most_at_once(games: Sequence[PlayedGame]) -> dict[str, int]:
    """Return for each bot in how many games at the same time it was."""
    most: dict[str, int] = {}
    for game in games:
        for name in game.entrants:
            running = sum(name in each.entrants and each.began <= game.began < each.ended for each in games)
            most[name] = max(running, most.get(name, 0))
    return most


async def read_late_strikes(data: Path) -> list[StrikeRecord]:
    """Return the strikes for late and missing answers, those of void blocks too."""
    async with await open_store(data) as store:
        matches = [await store.results.match(each) for each in await store.results.match_places()]
    strikes = [from_plain(fault, StrikeRecord) for match in matches for fault in match.faults]
    return [strike for strike in strikes if strike.kind in (StrikeKind.LATE, StrikeKind.MISSING)]
