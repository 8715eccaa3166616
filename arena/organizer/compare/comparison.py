"""An open comparison: two programs play in lanes, in a private league that ends with an answer.

A comparison has everything that a league has: nodes, restarts of bots, blame for strikes, deals that are committed
beforehand and revealed afterwards, and a ledger that survives crashes. The same request resumes an unfinished
comparison where it stopped.
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

from arena.bots.launch.programs import BotProgram
from arena.bots.packages.bot_hash import hash_bot
from arena.bots.packages.private_copy import make_private_copy
from arena.competition.compare.lanes import Lanes
from arena.competition.compare.sequential import BATCH_BLOCKS, ComparisonQuestion
from arena.competition.league.field import Entry, Field
from arena.competition.league.model import Entrant
from arena.competition.league.ports import COMPARISON_PREFIX, LeagueRow
from arena.errors import BotStartError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.fleet import FleetRoom
from arena.match.referee.terms import Terms, describe_terms
from arena.organizer.compare.lane_folders import KEEPS_STATE, KeptState, find_kept_state
from arena.organizer.file.league_file import SealedLeague
from arena.organizer.play.block_dispatcher import PlayPolicy
from arena.organizer.seal.league_files import read_secret, secret_path, write_secret
from arena.organizer.seal.ledger import read_ledger
from arena.organizer.seal.ledger_entries import is_closed
from arena.organizer.seal.open_league import OpenLeague
from arena.organizer.seal.randomness import RECEIPT_FORM, LeagueRandomness, new_randomness
from arena.organizer.seal.schedule import Schedule
from arena.plain_data import canonical_json
from arena.server.store.open_store import Store

COMPARISON_POLICY: Final = PlayPolicy(max_tables=32, max_ahead=8, max_spared=inf, may_write=True)
"""A comparison has fewer concurrent tables than a league, because games that are unfinished when the answer comes are
wasted. Blocks count in order. So `max_ahead` delays new blocks while an earlier block has a long game, and the cores
are free for that game. A block is void whenever the machine cost a bot time. `comparison_run.py` limits how often the
candidate benefits from this."""

_CORES_PER_NODE: Final = 3
"""Cores for each node. One node keeps about this many cores busy, and each further node would have to start all bots
again."""


def default_node_count(room: FleetRoom) -> int:
    return min(room.cores, max(room.machines, room.cores // _CORES_PER_NODE))


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """The user's request: the programs to compare, and the terms and the question of the comparison."""

    programs: Mapping[str, BotProgram]
    """Programs by role: candidate, baseline, and the other roles that `opponents` names."""
    opponents: tuple[str, ...]
    """The roles in the other seats of a table, one role for each seat."""
    terms: Terms
    """The terms of a table. The entrants in them are ignored."""
    question: ComparisonQuestion
    seed: str = ""
    """The seed that determines the deals. If it is empty, the operating system provides the randomness."""
    is_rough: bool = False
    """Whether no test is made: the comparison ends at its limit of time, with an estimate only."""
    keeps_state: bool = False
    """Whether lanes keep the files that their bots wrote, for the next comparison of the same programs."""

    def to_values(self) -> Mapping[str, Any]:
        """Return the request as plain values, which identify the comparison. Raises BotStartError."""
        terms = {name: value for name, value in describe_terms(self.terms).items() if name != "entrants"}
        boxed = sorted(role for role, program in self.programs.items() if program.is_boxed)
        hashes = {}
        for role, program in self.programs.items():
            try:
                hashes[role] = hash_bot(program)
            except BotStartError as error:
                raise BotStartError(f"{role}: {error}") from error
        return {
            "programs": hashes,
            "opponents": list(self.opponents),
            "terms": terms,
            "mode": self.question.mode.value,
            "margin": repr(self.question.margin),
            "error": repr(self.question.error),
            "seed": self.seed,
            **({} if self.question.number is None else {"try": self.question.number}),
            **({"rough": True} if self.is_rough else {}),  # a rough answer never uses up a comparison with a test
            **({KEEPS_STATE: True} if self.keeps_state else {}),
            **({"boxed": boxed} if boxed else {}),
        }


@dataclass(frozen=True, slots=True)
class OpenComparison:
    """A comparison that is being played or can be resumed."""

    request: ComparisonRequest
    lanes: Lanes
    league: OpenLeague
    folder: Path
    """The folder with the files of the lanes."""
    kept: KeptState | None = None
    """What the lanes keep for the next comparison; None if their files are removed at the end."""


async def open_comparison(
    request: ComparisonRequest, built: Mapping[str, BotProgram], store: Store, most_games: int | None = None
) -> OpenComparison:
    """Return the unfinished comparison of this request, or a new one if there is none.

    Raises StoreError, EnvironmentFaultError, BotStartError.

    `built` has the programs by role, ready to start. `most_games` limits the games, rounded down to whole batches of
    blocks; None means no limit.
    """
    row = await _find_or_add_row(request, store)
    secret, binds_terms = read_secret(secret_path(store, row.league_id)), "receipt" in row.sealed
    randomness = LeagueRandomness(row.league_id, secret, binds_terms=binds_terms)
    ledger = await read_ledger(row.name, store.leagues, time.time)
    per_batch = BATCH_BLOCKS * 2 * (len(request.opponents) + 1)
    most_blocks = None if most_games is None else most_games // per_batch * BATCH_BLOCKS
    lanes = Lanes(request.opponents, randomness.schedule_seed, most_blocks)
    lanes_folder = store.folder.resolve() / "lanes"  # absolute, as each process starts in its own folder
    folder, kept = lanes_folder / row.league_id, find_kept_state(row.sealed, lanes_folder, row.league_id)
    if kept is not None:
        kept.begin_comparison()
    places = {name: folder / name for name in lanes.names} if kept is None else kept.lane_folders(lanes)
    file = _seal_lanes(request, row, lanes, await asyncio.to_thread(_build_bots, lanes, built, places))
    field = Field(tuple(map(Entry, file.entrants)), file.seats, randomness.schedule_seed)
    league = OpenLeague(file, row, randomness, ledger, lanes, Schedule(lanes, field, ledger))
    return OpenComparison(request, lanes, league, folder, kept)


def end_lane_folders(comparison: OpenComparison, games: int) -> None:
    """Remove the lanes' copies of bots, or keep them for the next comparison. `games` is the number of games played.

    The logs of the bots' stdout and stderr always remain.
    """
    if comparison.kept is None:
        shutil.rmtree(comparison.folder, ignore_errors=True)
    else:
        comparison.kept.end_comparison(games)


# ---- inside


async def _find_or_add_row(request: ComparisonRequest, store: Store) -> LeagueRow:
    """Return the row of the unfinished comparison with these values, or add a new one."""
    described = request.to_values()
    label = f"{COMPARISON_PREFIX}{hashlib.sha256(canonical_json(described)).hexdigest()[:16]}"
    number = 1
    while (row := await store.leagues.league(f"{label}/{number}")) is not None:
        if not is_closed(await store.leagues.ledger_entries(row.name)):
            return row
        number += 1
    randomness = new_randomness()
    if request.seed:
        randomness = replace(randomness, secret=hashlib.sha256(f"compare|{number}|{request.seed}".encode()).digest())
    write_secret(secret_path(store, randomness.league_id), randomness.secret)
    sealed = {**described, "public_entropy": "", "secret_hash": randomness.commitment, "receipt": RECEIPT_FORM}
    row = LeagueRow(f"{label}/{number}", randomness.league_id, time.time(), json.dumps(described), sealed)
    await store.leagues.add_league(row)
    return row


def _build_bots(lanes: Lanes, built: Mapping[str, BotProgram], places: Mapping[str, Path]) -> Mapping[str, BotEntrant]:
    """Return the bot of each entrant by name, made from its private copy of the program in its place."""
    return {name: BotEntrant(name, make_private_copy(built[role], places[name])) for name, role in lanes.roles.items()}


def _seal_lanes(
    request: ComparisonRequest, row: LeagueRow, lanes: Lanes, bots: Mapping[str, BotEntrant]
) -> SealedLeague:
    return SealedLeague(
        name=row.name,
        seats=lanes.seats,
        terms=replace(request.terms, entrants=tuple(lanes.roles)[: lanes.seats], anonymous=True),
        decided_by="points",
        entrants=tuple(Entrant(name, role) for name, role in lanes.roles.items()),
        bots=bots,
        are_paired=True,
    )
