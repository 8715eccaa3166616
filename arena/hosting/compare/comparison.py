"""A comparison that is open: two programs in lanes, as a league that nobody else sees and that ends with an answer.

All that leagues have it has too: deals that are fixed beforehand and opened afterwards, a ledger that outlives whatever
happens, nodes, restarts, blame. The same comparison asked for again goes on where it stood, until it is over.
"""

import asyncio
import hashlib
import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Any, Final

from arena.compare.lanes import Lanes
from arena.compare.sequential import BATCH_BLOCKS, ComparisonQuestion
from arena.errors import BotStartError
from arena.hosting.compare.lane_folders import make_private_copy
from arena.hosting.file.bot_hash import hash_bot
from arena.hosting.file.league_file import LeagueFile
from arena.hosting.play.open_league import OpenLeague, new_randomness, secret_path
from arena.hosting.play.play_policy import PlayPolicy
from arena.hosting.seal.amendments import is_closed
from arena.hosting.seal.ledger import read_ledger
from arena.hosting.seal.randomness import LeagueRandomness, read_secret, write_secret
from arena.hosting.seal.schedule import Schedule
from arena.launch.programs import BotProgram
from arena.league.field import Entry, Field
from arena.league.model import Entrant
from arena.league.ports import LeagueRow
from arena.match.terms import Terms, describe_terms
from arena.plain_data import canonical_json
from arena.runner.bot_entrant import BotEntrant
from arena.runner.runner import count_usable_cores
from arena.store.open_store import Store

COMPARISON_POLICY: Final = PlayPolicy(max_tables=32, max_ahead=8, max_spared=inf, may_write=True)
"""Fewer tables at once than a league has: what is under way when the answer is there was in vain. Blocks count in
order, so no game plays far ahead of one that lasts long: that has the cores, and is over soon. A block is void whenever
the machine took somebody's time; how often that may be for the candidate's sake, `comparison_run.py` says."""


_CORES_PER_NODE: Final = 3
"""A node feeds the bots of about so many cores; more nodes, each with all bots, would take long to start."""


def default_node_count() -> int:
    """How many nodes play a comparison on this machine, where nobody says so."""
    return max(1, count_usable_cores() // _CORES_PER_NODE)


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """What is asked for."""

    programs: Mapping[str, BotProgram]
    """By role: candidate, baseline, and the others that `opponents` names."""
    opponents: tuple[str, ...]
    """Roles, one for each seat of a table but one."""
    terms: Terms
    """Of a table, whoever sits at it."""
    question: ComparisonQuestion
    seed: str = ""
    """Decides the deals; empty: the operating system does."""

    def to_values(self) -> Mapping[str, Any]:
        """Say it in plain values: what has others is another comparison. Raises BotStartError."""
        terms = {name: value for name, value in describe_terms(self.terms).items() if name != "entrants"}
        return {
            "programs": {role: _hash_program(role, program) for role, program in self.programs.items()},
            "opponents": list(self.opponents),
            "terms": terms,
            "mode": self.question.mode.value,
            "margin": repr(self.question.margin),
            "error": repr(self.question.error),
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True)
class OpenComparison:
    """One that is played, or is to be played on."""

    asked: ComparisonRequest
    lanes: Lanes
    league: OpenLeague
    folder: Path
    """Of its lanes."""


async def open_comparison(
    asked: ComparisonRequest, built: Mapping[str, BotProgram], store: Store, most_games: int | None = None
) -> OpenComparison:
    """Go on with a comparison that is not over, or begin one. Raises StoreError, EnvironmentFaultError, BotStartError.

    `built`: the programs, by role, as they can be started. `max_games`: no more are begun, whole batches of blocks;
    None: as many as it takes.
    """
    row = await _find_or_add_row(asked, store)
    randomness = LeagueRandomness(row.league_id, read_secret(secret_path(store, row.league_id)))
    ledger = await read_ledger(row.name, store.leagues, time.time)
    per_batch = BATCH_BLOCKS * 2 * (len(asked.opponents) + 1)
    most_blocks = None if most_games is None else most_games // per_batch * BATCH_BLOCKS
    lanes = Lanes(asked.opponents, randomness.schedule_seed, most_blocks)
    folder = store.folder.resolve() / "lanes" / row.league_id  # a process starts in its own folder there
    file = _build_league_file(asked, row, lanes, await asyncio.to_thread(_build_bots, lanes, built, folder))
    field = Field(tuple(map(Entry, file.entrants)), file.seats, randomness.schedule_seed)
    league = OpenLeague(file, row, randomness, ledger, lanes, Schedule(lanes, field, ledger))
    return OpenComparison(asked, lanes, league, folder)


def remove_lane_folders(comparison: OpenComparison) -> None:
    """Remove the copies of bots; what they wrote to stdout and stderr stays."""
    shutil.rmtree(comparison.folder, ignore_errors=True)


# ---- inside


def _hash_program(role: str, program: BotProgram) -> str:
    try:
        return hash_bot(program)
    except BotStartError as error:
        raise BotStartError(f"{role}: {error}") from error


async def _find_or_add_row(asked: ComparisonRequest, store: Store) -> LeagueRow:
    """The one that is not over, or a new one."""
    described = asked.to_values()
    label = f"compare/{hashlib.sha256(canonical_json(described)).hexdigest()[:16]}"
    number = 1
    while (row := await store.leagues.league(f"{label}/{number}")) is not None:
        if not is_closed(await store.leagues.ledger_entries(row.name)):
            return row
        number += 1
    randomness = new_randomness()
    if asked.seed:
        randomness = replace(randomness, secret=hashlib.sha256(f"compare|{number}|{asked.seed}".encode()).digest())
    write_secret(secret_path(store, randomness.league_id), randomness.secret)
    sealed = {**described, "public_entropy": "", "secret_hash": randomness.commitment}
    row = LeagueRow(f"{label}/{number}", randomness.league_id, time.time(), json.dumps(described), sealed)
    await store.leagues.add_league(row)
    return row


def _build_bots(lanes: Lanes, built: Mapping[str, BotProgram], folder: Path) -> Mapping[str, BotEntrant]:
    """Everybody with a copy of its own."""
    return {name: BotEntrant(name, make_private_copy(built[role], folder / name)) for name, role in lanes.roles.items()}


def _build_league_file(
    asked: ComparisonRequest, row: LeagueRow, lanes: Lanes, bots: Mapping[str, BotEntrant]
) -> LeagueFile:
    """The comparison as a league's file would say it, were there one."""
    return LeagueFile(
        name=row.name,
        text=row.text,
        format=lanes.name,
        settings={},
        budget_s=None,
        seats=lanes.seats,
        terms=replace(asked.terms, entrants=tuple(lanes.roles)[: lanes.seats], anonymous=True),
        decided_by="points",
        public_entropy="",
        entrants=tuple(Entrant(name, role) for name, role in lanes.roles.items()),
        bots=bots,
        are_paired=True,
    )
