"""A short trial of a league's bots: what a game costs in time, work, memory and disk here, before anything counts.

It is a small season in a folder of its own, which is removed afterwards; nothing of it is kept and no deal of it is
ever used again.
"""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, pstdev
from typing import Final

from arena.errors import RequestError
from arena.hosting.league import conductor_of, new_luck, open_league, seal_league
from arena.hosting.league_file import LeagueFile
from arena.league.model import BlockResult
from arena.league.points import block_scores, can_compare
from arena.runner.crew import built
from arena.runner.job import Usage
from arena.runner.runner import Runner, running_nodes

MOST_S: Final = 60.0
"""A trial that has enough by then is cut short."""
LONGER: Final = 5.0
"""So many times as long it goes on at most, for games that are very long; then one block has to do."""
GAMES_A_NODE: Final = 24
"""So many tables at once come near to what a node can do."""
MOST_TRIED: Final = 16
"""Bots that take part."""
ENOUGH: Final = 4
"""Blocks that tell how long a game is."""
POLL_S: Final = 0.5
IDLE: Final = 0.7
"""A trial that used less than this share of its cores was held up by its bots, if it was not crowded."""
CROWDED: Final = 1.0
"""A machine is, where processes waited for a core for more than so many times as long as they had one."""
_USUAL_SPREAD: Final = 0.4
"""Of the scores of simple bots in `standard`, where a trial tells nothing."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What was measured."""

    games: int
    nodes: int
    wall_s: float
    """From the first table to the last game."""
    work_s: float | None
    """Of processors, by nodes and bots, for a game; None: this system does not tell."""
    waited_s: float
    """That nodes and bots together waited for a core, for a game."""
    game_s: float
    """That a game took, with all the others beside it."""
    decisions: float
    """A game."""
    bot_bytes: float
    """Of memory, for the process of a bot."""
    node_bytes: float
    disk_bytes: float
    """A game."""
    spread: float
    """Standard deviation of a score in a block."""
    plain_spread: float
    """The same of plain points."""
    left_out: tuple[str, ...] = ()
    """Who dials in and took no part."""
    most_nodes: int | None = None
    """That the league can have: one, if anybody dials in; None: as many as there are cores."""

    @property
    def busy(self) -> float:
        """How much of its cores the trial used, 0 to 1."""
        return min(1.0, (self.work_s or 0.0) * self.games / (self.wall_s * self.nodes))

    @property
    def is_crowded(self) -> bool:
        """Whether cores were what it lacked, because of itself or of something else on this machine."""
        return self.busy > IDLE or self.waited_s > CROWDED * (self.work_s or 0.0)


def taking_part(file: LeagueFile) -> LeagueFile:
    """The same league without those who dial in, for whom a trial would wait; with them, if the others fill no table.

    Of very many some are tried, from all parts of the file: to start all would take longer than the trial. Blocks of a
    trial have as many tables as those of the league.
    """
    here = [name for name, player in file.players.items() if not player.is_remote]
    names = here if len(here) >= file.seats else list(file.players)
    step = max(1, min(-(-len(names) // MOST_TRIED), len(names) // file.seats))
    players = {name: file.players[name] for name in names[::step]}
    entrants = tuple(each for each in file.entrants if each.name in players)
    settings = {name: value for name, value in file.settings.items() if name == "tables"}
    return replace(file, format="season", settings=settings, budget_s=None, entrants=entrants, players=players)


async def tried(file: LeagueFile, nodes: int, processes: int, most_s: float = MOST_S) -> Trial:
    """Play a trial. Raises what playing a league does, and RequestError where its games do not end."""
    small = taking_part(file)
    nodes = 1 if _has_remote(small) else nodes
    with tempfile.TemporaryDirectory(prefix="cheatarena-trial-") as name:
        folder = Path(name)
        async with running_nodes(folder, nodes) as runner:
            players = await built(folder / "bots", tuple(small.players.values()), lambda _: None)
            small = replace(
                small,
                settings={**small.settings, "games": GAMES_A_NODE * nodes},
                players={player.name: player for player in players},
            )
            trial = await _played(small, runner, processes, folder, most_s)
    left_out = tuple(name for name, player in file.players.items() if player.is_remote and name not in small.players)
    return replace(trial, left_out=left_out, most_nodes=1 if _has_remote(file) else None)


def _has_remote(file: LeagueFile) -> bool:
    return any(player.is_remote for player in file.players.values())


async def _played(file: LeagueFile, runner: Runner, processes: int, folder: Path, most_s: float) -> Trial:
    await seal_league(file, runner.store, new_luck())
    league = await open_league(file, runner.store)
    conductor = conductor_of(league, runner, processes)
    playing = asyncio.ensure_future(conductor.play())
    before = await _begun(runner, playing)
    began, ledger = time.monotonic(), league.ledger
    while not playing.done() and not _is_enough(time.monotonic() - began, most_s, len(ledger.history)):
        await asyncio.wait({playing}, timeout=POLL_S)
    wall_s, used = time.monotonic() - began, (await _usage(runner)).since(before)
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    if not ledger.history:
        raise RequestError(
            f"no game of the trial was over after {wall_s:.0f} s and {used.decisions} decisions: make games shorter"
            " ([rules] says when one ends), or say games instead of a budget"
        )
    return await _measured(runner, ledger.history, wall_s, used, folder)


def _is_enough(passed_s: float, most_s: float, blocks: int) -> bool:
    return passed_s > most_s and (blocks >= ENOUGH or passed_s > LONGER * most_s)


async def _begun(runner: Runner, playing: "asyncio.Future[None]") -> Usage:
    """Wait until the bots have started and the first tables are played: what that takes is no game's."""
    usage = await _usage(runner)
    while not playing.done() and not usage.decisions:
        await asyncio.wait({playing}, timeout=0.1)
        usage = await _usage(runner)
    if playing.done():
        playing.result()
    return usage


async def _usage(runner: Runner) -> Usage:
    """Of all nodes together."""
    return sum([await node.usage() for node in runner.nodes if node.is_up], Usage(0))


async def _measured(runner: Runner, history: Sequence[BlockResult], wall_s: float, used: Usage, folder: Path) -> Trial:
    ids = [table.match_id for result in history for table in result.tables]
    rows = [await runner.store.results.match(match_id) for match_id in ids]  # type: ignore[arg-type]  # they are ids
    decisions = fmean(sum(each["decisions"] for each in row.statistics) for row in rows)
    games, nodes = used.decisions / decisions, len(runner.nodes)
    return Trial(
        games=round(games),
        nodes=nodes,
        wall_s=wall_s,
        work_s=used.work_s / games if used.work_s else None,
        waited_s=used.waited_s / games,
        game_s=wall_s * GAMES_A_NODE * nodes / max(games, 1),
        decisions=decisions,
        bot_bytes=used.bots_bytes / max(used.bots, 1),
        node_bytes=used.node_bytes / nodes,
        disk_bytes=_size(folder) / max(games, 1),
        spread=_spread(history, compares=can_compare(history)),
        plain_spread=_spread(history, compares=False),
    )


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _spread(history: Sequence[BlockResult], *, compares: bool) -> float:
    """How much an entrant's scores differ from block to block, over all of them."""
    by_name: dict[str, list[float]] = {}
    for result in history:
        for name, score in block_scores(result, compares=compares).items():
            by_name.setdefault(name, []).append(score.value)
    known = [pstdev(values) for values in by_name.values() if len(values) > 2]
    return fmean(known) if known else _USUAL_SPREAD
