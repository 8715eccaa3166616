"""A league of very many games, and how long its report takes: `python -m tools.studies.report_large FOLDER [GAMES]`.

Some games of sixteen bots are really played. Their blocks are then copied under other names, numbers and ids, as sixty
entrants of one league would have played them: ledger, results, deals, events, and the journals of some.
"""

import asyncio
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

from arena.match.deal.commitment import GENESIS_LINK, next_link
from arena.match.referee.inputs import Begin, match_number_of, read_record, rebase_record, write_record
from arena.match.referee.ports import MatchId
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.play.block_results import MAX_EXPLAINED_STRIKES
from arena.organizer.seal.randomness import new_randomness
from arena.organizer.seal.seal import seal_league
from arena.server.store.journal_file import JournalFile, read_records
from arena.server.store.open_store import open_store
from arena.server.store.receipt_key import KEY_FILE
from tests.support.commands import ARENA

ENTRANTS: Final = 60
PLAYED: Final = 16
"""Entrants of the games that are really played. Each has its own owner, so a block has four tables of four."""
RECORDED: Final = 10
"""The journal of every so many-th game is there: nobody needs four gigabytes to see how long one takes."""
NODES: Final = ("01M80D13K0F4P3WP2X6VWKSG0P-1.journal", "01M80D13K0VJ52MAHBDJ19G96B-1.journal")
VOID_EVERY: Final = 1_000
"""Every so many-th block was void once."""
BOTS: Final = ("counter", "honest", "gambler", "random_legal")
SLEEPY: Final = """\
import asyncio
from cheatarena import (Bot, Decline, run)

class Sleepy(Bot):
    turns = 0

    async def turn(self, table, options):
        self.turns += 1
        await asyncio.sleep(0.5 if self.turns % 8 == 0 else 0)
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        return Decline()

if __name__ == "__main__":
    run(Sleepy)
"""
"""It is late now and then, so that there are faults to explain."""

Words = dict[str, str]
"""What is written in place of what."""
Row = dict[str, Any]


def write_league(
    folder: Path, name: str, stem: str, count: int, games: int, rules: str = "", *, bots_an_owner: int
) -> Path:
    """Write a league of `count` sample bots that differ in name, the last one sleepy, and return its file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sleepy.py").write_text(SLEEPY)
    lines = [f'name = "{name}"\nformat = "season"\ngames = {games}\nseats = 4\npreset = "standard"']
    lines.append(f"[pace_settings]\nturn_ms = 400\ncall_ms = 400\n[rules]\n{rules}")
    for number in range(count):
        bot = "sleepy.py" if number == count - 1 else f"sample:{BOTS[number % len(BOTS)]}"
        owner = number // bots_an_owner
        lines.append(f'[[entrants]]\nbot = "{bot}"\nname = "{stem}{number:02}"\nowner = "owner {owner}"')
    file = folder / f"{name}.toml"
    file.write_text("\n".join(lines))
    return file


class Template:
    """Blocks that were played, as the rows that a data folder has of them."""

    def __init__(self, data: Path) -> None:
        self.receipt_key = (data / KEY_FILE).read_bytes()
        store = sqlite3.connect(data / "arena.db")
        store.row_factory = sqlite3.Row
        self.blocks = [dict(row) for row in store.execute("SELECT * FROM league_block WHERE state = 'done'")]
        self._rows = {
            table: {row["match_id"]: dict(row) for row in store.execute(f"SELECT * FROM {table}")}
            for table in ("match", "game", "deal")
        }
        store.close()
        self._records = {path.name: _by_match(path) for path in (data / "journals").iterdir()}
        tables = [names for block in self.blocks for names in json.loads(block["tables"])]
        self.names = sorted({name for names in tables for name in names})

    def row(self, table: str, match_id: str) -> Row:
        """What a table has of a match."""
        return self._rows[table][match_id]

    def records(self, match_id: str) -> Sequence[bytes]:
        """What a journal has of it."""
        row = self.row("match", match_id)
        return self._records[row["journal"]][row["number"]]


def _by_match(path: Path) -> dict[int, list[bytes]]:
    found: dict[int, list[bytes]] = {}
    for record in read_records(path):
        found.setdefault(match_number_of(record), []).append(record)
    return found


class BlockCopier:
    """Writes copies of a template's blocks into the data folder of a larger league."""

    def __init__(self, template: Template, data: Path, league: str, owners: Mapping[str, str]) -> None:
        """`owners`: the owner of each entrant of the larger league."""
        self._template, self._league, self._owners = template, league, owners
        self._blocks_of: Counter[str] = Counter()
        (data / KEY_FILE).write_bytes(template.receipt_key)
        self._store = sqlite3.connect(data / "arena.db")
        self._store.execute("PRAGMA synchronous = OFF")
        self._journals = [JournalFile(data / "journals" / node) for node in NODES]
        self._random = Random(1)
        self._games, self._link, self._acts = 0, GENESIS_LINK, 0
        self._faults: Counter[str] = Counter()

    def write(self, games: int) -> None:
        """Write blocks until there are so many games that count."""
        number = 0
        counted = 0
        while counted < games:
            number += 1
            if number % VOID_EVERY == 0:
                self._add(number, 0)
                self._void(number)
            counted += self._add(number, int(number % VOID_EVERY == 0))
        self._store.commit()
        self._store.close()
        for journal in self._journals:
            journal.close()

    def _add(self, number: int, attempt: int) -> int:
        """Write one block; give how many games it has."""
        block = self._template.blocks[number % len(self._template.blocks)]
        matches = json.loads(block["matches"])
        words = dict(zip(self._template.names, self._draw_entrants(), strict=True))
        words |= {match_id: f"01M80D13K{self._games + place:017}" for place, match_id in enumerate(matches)}
        say = _speaker(words)
        node = NODES[number % len(NODES)]
        block = block | {"insight": self._with_few_faults(block["insight"], words)}
        changed = {"league": self._league, "number": number, "attempt": attempt, "round": 1 + number // 4}
        self._insert("league_block", _rename_in_row(block, say) | changed | {"journals": json.dumps([node])})
        for match_id in matches:
            self._games += 1
            self._add_game(match_id, say, node)
        return len(matches)

    def _draw_entrants(self) -> list[str]:
        """Draw one bot of each owner, first those that have the fewest blocks, and count the block as theirs."""
        shuffled = self._random.sample(list(self._owners), len(self._owners))
        drawn: dict[str, str] = {}
        for name in sorted(shuffled, key=self._blocks_of.__getitem__):
            drawn.setdefault(self._owners[name], name)
        entrants = list(drawn.values())[:PLAYED]
        self._blocks_of.update(entrants)
        return self._random.sample(entrants, PLAYED)

    def _with_few_faults(self, insight: str, words: Words) -> str:
        """A league explains so many faults of an entrant and no more."""
        values = json.loads(insight)
        for table in values["tables"]:
            kept = []
            for fault in table["faults"]:
                name = words[table["seats"][fault["entrant"]]]
                self._faults[name] += 1
                kept += [fault] if self._faults[name] <= MAX_EXPLAINED_STRIKES else []
            table["faults"] = kept
        return json.dumps(values, separators=(",", ":"))

    def _add_game(self, match_id: str, say: Callable[[str], str], node: str) -> None:
        match, game, deal = (self._template.row(table, match_id) for table in ("match", "game", "deal"))
        self._link = next_link(self._link, deal["commitment"])
        self._insert("match", _rename_in_row(match, say) | {"number": self._games, "journal": node})
        self._insert("game", _rename_in_row(game, say))
        self._insert("deal", _rename_in_row(deal, say) | {"number": self._games, "link": self._link, "journal": node})
        if self._games % RECORDED == 1:
            journal = self._journals[NODES.index(node)]
            for record in self._template.records(match_id):
                journal.append(_with_match_number(record, self._games, say))
            journal.flush()

    def _void(self, number: int) -> None:
        values = {"block": number, "attempt": 0, "games": [], "reason": "the host slept"}
        self._acts += 1
        act = {"league": self._league, "number": self._acts, "at": 1.8e9, "kind": "void", "values": json.dumps(values)}
        self._insert("league_act", act)

    def _insert(self, table: str, row: Row) -> None:
        columns = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" * len(row))
        self._store.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", [*row.values()])


def _speaker(words: Words) -> Callable[[str], str]:
    """Something that writes these words in place of others."""
    found = re.compile("|".join(words))
    return lambda text: found.sub(lambda match: words[match[0]], text)


def _rename_in_row(row: Row, say: Callable[[str], str]) -> Row:
    return {name: say(value) if isinstance(value, str) else value for name, value in row.items()}


def _with_match_number(record: bytes, number: int, say: Callable[[str], str]) -> bytes:
    """The same record of another match."""
    begin = read_record(record)
    if isinstance(begin, Begin):
        terms = json.loads(say(json.dumps(begin.terms)))
        return write_record(number, replace(begin, match_id=MatchId(say(begin.match_id)), terms=terms))
    return rebase_record(record, number, 0)


def make(folder: Path, games: int, played: int = 48, rules: str = "", nodes: int | None = None) -> tuple[Path, Path]:
    """Make a league of so many games; give its file and its data folder. `rules`: options, as its file has them.

    Each node starts all bots; by default there are as many nodes as `arena league run` chooses.
    """
    small = write_league(folder / "small", "small", "player", PLAYED, played, rules, bots_an_owner=1)
    run(small, folder / "small" / "data", "run", *(() if nodes is None else ("--nodes", str(nodes))))
    large = write_league(folder / "large", "large", "bot-", ENTRANTS, games, rules, bots_an_owner=3)
    data = folder / "large" / "data"
    owners = asyncio.run(_seal_league(large, data))
    BlockCopier(Template(folder / "small" / "data"), data, "large", owners).write(games)
    return large, data


async def _seal_league(file: Path, data: Path) -> dict[str, str]:
    """Seal a league and return the owner of each entrant."""
    league = read_league_file(file)
    async with await open_store(data) as store:
        await seal_league(league, store, new_randomness())
    return {each.name: each.owner for each in league.entrants}


_MEASURE = """
import json, os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
"""
"""Runs a command from a small process, since the kernel counts the memory of whoever starts a program as its own."""


def run(file: Path, data: Path, *words: str) -> tuple[float, float, float]:
    """Run `arena league`; give seconds of the clock, seconds of work, and the most memory that it had, in MiB."""
    command, *more = words
    began = time.monotonic()
    line = [*ARENA, "league", command, str(file), "--data", str(data), *more]
    measured = [sys.executable, "-I", "-S", "-c", _MEASURE, *line]
    process = subprocess.Popen(measured, stdout=subprocess.PIPE, start_new_session=True)
    try:
        told, _ = process.communicate()
    except BaseException:  # a test whose time is over leaves nothing behind
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    code, work_s, most_kib = json.loads(told)
    assert code == 0, line
    return time.monotonic() - began, work_s, most_kib / 1024


def measure_commands(file: Path, data: Path, out: Path) -> Iterator[str]:
    """Run each command that looks at a league, and say what it took."""
    commands = (
        ("report", "--out", str(out / "report")),
        ("status",),
        ("games", "--bot", "bot-59", "--faults"),
        ("publish", "--replays", "sample", "--out", str(out / "site")),
    )
    for words in commands:
        wall_s, work_s, most = run(file, data, *words)
        yield f"{words[0]:8} {wall_s:6.1f} s, {work_s:6.1f} s of work, at most {most:5.0f} MiB"


def main(folder: Path, games: int) -> None:
    """Make a league, once, and tell what each command takes."""
    file, data = folder / "large" / "large.toml", folder / "large" / "data"
    if not file.exists():
        began = time.monotonic()
        make(folder, games)
        print(f"made in {time.monotonic() - began:.0f} s", flush=True)
    for line in measure_commands(file, data, folder / "out"):
        print(line, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
