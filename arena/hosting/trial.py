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

from arena.hosting.league import conductor_of, new_luck, open_league, seal_league
from arena.hosting.league_file import LeagueFile
from arena.league.model import BlockResult
from arena.league.points import block_scores, can_compare
from arena.runner.crew import built
from arena.runner.job import Usage
from arena.runner.runner import Runner, running_nodes

MOST_S: Final = 60.0
"""A trial that has some games by then is cut short."""
GAMES_A_NODE: Final = 24
"""So many tables at once come near to what a node can do."""
MOST_TRIED: Final = 16
"""Bots that take part."""
ENOUGH: Final = 4
"""Games that tell how long one is."""
POLL_S: Final = 0.5
IDLE: Final = 0.7
"""Below this share of its cores a trial was held up by its bots,"""
CROWDED: Final = 1.0
"""unless they waited so many times as long for a core as they had one."""
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
    """Play a trial. Raises what playing a league does."""
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
    began = time.monotonic()
    while not playing.done() and not (time.monotonic() - began > most_s and len(league.ledger.history) >= ENOUGH):
        await asyncio.wait({playing}, timeout=POLL_S)
    wall_s, after = time.monotonic() - began, await _usage(runner)
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    return await _measured(runner, league.ledger.history, wall_s, before, after, folder)


async def _begun(runner: Runner, playing: "asyncio.Future[None]") -> Sequence[Usage]:
    """Wait until the bots have started and the first tables are played: what that takes is no game's."""
    usage = await _usage(runner)
    while not playing.done() and not any(each.decisions for each in usage):
        await asyncio.wait({playing}, timeout=0.1)
        usage = await _usage(runner)
    if playing.done():
        playing.result()
    return usage


async def _usage(runner: Runner) -> Sequence[Usage]:
    return [await node.usage() for node in runner.nodes if node.is_up]


async def _measured(
    runner: Runner,
    history: Sequence[BlockResult],
    wall_s: float,
    before: Sequence[Usage],
    after: Sequence[Usage],
    folder: Path,
) -> Trial:
    ids = [table.match_id for result in history for table in result.tables]
    rows = [await runner.store.results.match(match_id) for match_id in ids]  # type: ignore[arg-type]  # they are ids
    decisions = fmean(sum(each["decisions"] for each in row.statistics) for row in rows)
    played = sum(each.decisions for each in after) - sum(each.decisions for each in before)
    games = played / decisions
    work_s = sum(each.work_s for each in after) - sum(each.work_s for each in before)
    waited_s = sum(each.waited_s for each in after) - sum(each.waited_s for each in before)
    bots = sum(each.bots for each in after)
    return Trial(
        games=round(games),
        nodes=len(runner.nodes),
        wall_s=wall_s,
        work_s=work_s / games if work_s else None,
        waited_s=waited_s / games,
        game_s=wall_s * GAMES_A_NODE * len(runner.nodes) / max(games, 1),
        decisions=decisions,
        bot_bytes=sum(each.bots_bytes for each in after) / max(bots, 1),
        node_bytes=fmean(each.node_bytes for each in after),
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
