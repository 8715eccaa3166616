"""How fast the pages are with very many games: `python -m tools.studies.web_speed FOLDER [GAMES] [RECORDED] [BOTS]`.

One match of Cheat is really played, and stored GAMES times under other ids, with its deal, in one season of a pool with
BOTS bots, drawn by lot. RECORDED of these matches are in one journal, all at once, two records at a time, as 64 tables
of a server write them. FOLDER is kept, so that the next call only measures. Each page is asked for in a new connection,
over loopback, until its first byte.
"""

import asyncio
import http.client
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import permutations
from pathlib import Path
from random import Random
from statistics import median
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Connection, insert

from arena.games.catalogue import games
from arena.ids import new_id
from arena.match.deal.commitment import GENESIS_LINK, next_link
from arena.match.referee import deal_serialization
from arena.match.referee.inputs import rebase_record
from arena.match.referee.match_record import derive_match_record, new_match_row
from arena.match.referee.ports import DealRow, GameRow, MatchId, MatchRow
from arena.server.store.database import columns_of
from arena.server.store.dialect import add_pairs
from arena.server.store.journal_file import JournalFile
from arena.server.store.match_summaries import bots_of
from arena.server.store.open_store import open_store
from arena.server.store.tables import DEALS, GAMES, MATCH_BOTS, MATCHES
from tests.support.recorded_matches import CREATED_AT
from tests.support.web_data import play
from tests.web.conftest import run_site
from tools.studies.pool_rows import POOL, add_pool

GOAL_S: Final = 0.05
JOURNAL: Final = "01JZ8QK3T5V7X9B2D4F6H8M00A-1"
_TABLES: Final = 64
_ROWS: Final = 2_000
"""Matches that one transaction adds."""
_REPEATS: Final = 15


def make(folder: Path, count: int, recorded: int, bots: int) -> None:
    """Make the data folder."""
    asyncio.run(_store(folder, count, bots))
    _write_journal(folder, recorded)


async def _store(folder: Path, count: int, bots: int) -> None:
    match = play(MatchId("01JZ8QK3T5V7X9B2D4F6H8M00A"))
    row = new_match_row(match.bench.table.match_id, 1, match.bench.terms, f"{JOURNAL}.journal", CREATED_AT)
    record = derive_match_record(row, match.records, games())
    deal = deal_serialization.new_deal_row(match.deal.secret, row.match_id, 1, f"{JOURNAL}.journal", CREATED_AT)
    opened = replace(deal, revealed=deal_serialization.describe_revealed_deal(match.deal.reveal()))
    async with await open_store(folder) as store:
        for start in range(0, count, _ROWS):
            numbers = range(start, min(count, start + _ROWS))
            await store.database.write(partial(_add, numbers, bots, record.match, record.games[0], opened))
        terms = {name: value for name, value in row.terms.items() if name != "entrants"}
        seated = {id_of(number): draw_entrants(number, len(row.entrants), bots) for number in range(count)}
        met = sorted({pair for entrants in seated.values() for pair in permutations(entrants, 2)})
        await add_pool(store, terms, seated, [f"bot{number}" for number in range(bots)], met=met)


def _add(
    numbers: Sequence[int], bots: int, match: MatchRow, game: GameRow, deal: DealRow, connection: Connection
) -> None:
    """Store copies of a match with these numbers."""
    rows = [_copy_match(match, number, bots) for number in numbers]
    connection.execute(insert(MATCHES), [columns_of(row) for row in rows])
    add_pairs(connection, MATCH_BOTS, [bot for row in rows for bot in bots_of(row)])
    connection.execute(insert(GAMES), [columns_of(replace(game, match_id=row.match_id)) for row in rows])
    connection.execute(insert(DEALS), [columns_of(_copy_deal(deal, row)) for row in rows])


def _copy_match(match: MatchRow, number: int, bots: int) -> MatchRow:
    entrants = draw_entrants(number, len(match.entrants), bots)
    began = CREATED_AT + number
    return replace(match, match_id=id_of(number), number=number, created_at=began, entrants=entrants)


def draw_entrants(number: int, count: int, bots: int) -> tuple[str, ...]:
    """Return who plays in a copy, by lot."""
    return tuple(f"bot{each}" for each in Random(number).sample(range(bots), count))


def _copy_deal(deal: DealRow, row: MatchRow) -> DealRow:
    link = next_link(GENESIS_LINK, deal.commitment)
    return replace(deal, match_id=row.match_id, number=row.number + 1, match_number=row.number, link=link)


def id_of(number: int) -> MatchId:
    """Return the id of a copy."""
    return MatchId(new_id(lambda: CREATED_AT + number, bytes))


def _write_journal(folder: Path, count: int) -> None:
    records = play(MatchId("01JZ8QK3T5V7X9B2D4F6H8M00A")).records
    file = JournalFile(folder / "journals" / f"{JOURNAL}.journal")
    for first in range(0, count, _TABLES):
        for at in range(0, len(records), 2):
            for number in range(first, min(count, first + _TABLES)):
                for record in records[at : at + 2]:
                    file.append(rebase_record(record, number, 0))
            file.flush()
    file.close()


def paths_of(count: int, recorded: int, bots: int) -> Iterator[tuple[str, str]]:
    """Yield what is asked for, and its path."""
    middle, old = id_of(count // 2), id_of(recorded // 2)
    one, other = draw_entrants(count // 2, 2, bots)
    yield "first page", "/"
    yield "newest matches", "/matches"
    yield "matches, from the middle", f"/matches?before={middle}&limit=100"
    yield "matches of a bot", f"/matches?bot={one}"
    yield "matches of a bot, of one game", f"/matches?bot={one}&game=cheat&before={middle}"
    yield "matches of a game that is never played", "/matches?game=cheater"
    yield "matches of nobody", "/matches?bot=nobody"
    yield "a match", f"/matches/{middle}"
    yield "feed", "/feed.atom"
    yield "pools", "/pools"
    yield "a pool", f"/pools/{POOL}"
    yield "a pool, as JSON", f"/pools/{POOL}.json"
    yield "feed of a pool", f"/pools/{POOL}/feed.atom"
    yield "a bot", f"/bots/{one}"
    yield "a bot, from the middle", f"/bots/{one}?before={middle}"
    yield "search", "/search?q=bot1"
    yield "two bots", f"/bots/{one}/against/{other}"
    yield "leagues", "/leagues"
    yield "a replay, made and then kept", f"/matches/{old}/games/0"
    yield "its seat", f"/matches/{old}/games/0?seat=1"
    yield "its file", f"/matches/{old}/replay-file"


def ask(url: str, path: str) -> float:
    """Return the seconds until the first byte of an answer. Raises RuntimeError for another status than 200."""
    client = http.client.HTTPConnection(urlsplit(url).netloc, timeout=300)
    begun = time.perf_counter()
    client.request("GET", path)
    answer = client.getresponse()
    answer.read(1)
    took = time.perf_counter() - begun
    client.close()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status}")
    return took


class Speed(NamedTuple):
    """Seconds that a page takes, and those of a core, which do not depend on what else the machine does."""

    first: float
    middle: float
    """The median of the later requests."""
    longest: float
    core: float
    """The median of the later requests, of this process, which also asks for them."""


def measure(folder: Path, count: int, recorded: int, bots: int) -> dict[str, Speed]:
    """Return how fast each page is."""
    figures = {}
    with run_site(folder) as url:
        for name, path in paths_of(count, recorded, bots):
            figures[name] = time_page(url, path)
        with compute_replays(url, recorded):
            for name, path in (("first page", "/"), ("newest matches", "/matches"), ("leagues", "/leagues")):
                figures[f"{name}, while replays are made"] = time_page(url, path)
    return figures


def time_page(url: str, path: str) -> Speed:
    taken, core = [], []
    for _ in range(_REPEATS + 1):
        begun = time.process_time()
        taken.append(ask(url, path))
        core.append(time.process_time() - begun)
    return Speed(taken[0], median(taken[1:]), max(taken[1:]), median(core[1:]))


@contextmanager
def compute_replays(url: str, recorded: int) -> Iterator[None]:
    """Ask for one new replay after the other while the body runs."""
    ends = threading.Event()

    def work() -> None:
        for number in range(recorded):
            if ends.is_set():
                return
            ask(url, f"/matches/{id_of(number)}/games/0")

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()


def main(folder: Path, count: int = 100_000, recorded: int = 2_000, bots: int = 2_000) -> None:
    if not (folder / "arena.db").exists():
        begun = time.perf_counter()
        make(folder, count, recorded, bots)
        print(f"made {count:,} matches of {bots:,} bots in {time.perf_counter() - begun:.0f} s")
    print(f"{'page':44} {'first':>9} {'median':>9} {'longest':>9} {'of a core':>9}   milliseconds until the first byte")
    for name, speed in measure(folder, count, recorded, bots).items():
        late = "" if speed.middle < GOAL_S else "  ABOVE 50 ms"
        print(f"{name:44} {' '.join(f'{each * 1e3:9.1f}' for each in speed)}{late}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
