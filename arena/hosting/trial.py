"""A short trial of a league's bots: what a game costs in time, work, memory and disk here, before anything counts.

It is a season in a folder of its own, which is removed afterwards; nothing of it is kept and no deal of it is ever used
again. What counts is the second half of the time: in the first one bots are given more and more tables.
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
from arena.hosting.ledger import Ledger
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
"""So many tell what a game costs, where cores are what a trial lacks; bots that think are given more tables still."""
MOST_TRIED: Final = 16
"""Bots that take part."""
ENOUGH: Final = 4
"""Blocks that tell how long a game is."""
POLL_S: Final = 0.5
IDLE: Final = 0.7
"""A trial that used less than this share of its cores was held up by its bots, if it was not crowded."""
CROWDED: Final = 1.0
"""A machine is, where processes waited for a core for more than so many times as long as they had one."""
_MOST_GAMES: Final = 1_000
"""More than a node plays in a trial."""
_USUAL_SPREAD: Final = 0.4
"""Of the scores of simple bots in `standard`, where a trial tells nothing."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What was measured, in its second half."""

    games: float
    nodes: int
    wall_s: float
    """In which they were played."""
    work_s: float | None
    """Of processors, by nodes and bots, for a game; None: this system does not tell."""
    waited_s: float
    """That nodes and bots together waited for a core, for a game."""
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
        return _busy((self.work_s or 0.0) * self.games, self.wall_s, self.nodes)

    @property
    def is_crowded(self) -> bool:
        """Whether cores were what it lacked, because of itself or of something else on this machine."""
        return _is_crowded(self.busy, self.work_s or 0.0, self.waited_s)


def _busy(work_s: float, wall_s: float, nodes: int) -> float:
    return min(1.0, work_s / (wall_s * nodes))


def _is_crowded(busy: float, work_s: float, waited_s: float) -> bool:
    return busy > IDLE or waited_s > CROWDED * work_s


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
                settings={**small.settings, "games": _MOST_GAMES * nodes},
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
    course = _Course(await _begun(runner, playing), most_s, len(runner.nodes))
    while not playing.done() and not course.is_enough(league.ledger):
        await asyncio.wait({playing}, timeout=POLL_S)
        course.note(await _usage(runner))
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    if not league.ledger.history:
        raise RequestError(
            f"no game of the trial was over after {course.passed_s:.0f} s: make games shorter"
            " ([rules] says when one ends), or say games instead of a budget"
        )
    return await _measured(runner, league.ledger.history, course, folder)


class _Course:
    """How a trial goes: what had been used when."""

    def __init__(self, begun: Usage, most_s: float, nodes: int) -> None:
        self._most_s = most_s
        self._nodes = nodes
        self._looks = [(time.monotonic(), begun)]

    def note(self, usage: Usage) -> None:
        """Note what has been used by now."""
        self._looks.append((time.monotonic(), usage))

    def is_enough(self, ledger: Ledger) -> bool:
        """Whether it has told what a game takes."""
        if self.passed_s > LONGER * self._most_s:
            return True
        is_told = self.passed_s > self._most_s or self._has_told(ledger.game_count)
        return is_told and len(ledger.history) >= ENOUGH

    def _has_told(self, games: int) -> bool:
        """Whether cores are what it lacks, and it knows how much of them a game takes."""
        if games < GAMES_A_NODE * self._nodes:
            return False
        wall_s, used = self.second_half
        return _is_crowded(_busy(used.work_s, wall_s, self._nodes), used.work_s, used.waited_s)

    @property
    def passed_s(self) -> float:
        """Since the first table."""
        return self._looks[-1][0] - self._looks[0][0]

    @property
    def whole(self) -> Usage:
        """All that was used."""
        return self._looks[-1][1].since(self._looks[0][1])

    @property
    def second_half(self) -> tuple[float, Usage]:
        """How long that was, seconds, and what was used in it."""
        middle, before = self._looks[(len(self._looks) - 1) // 2]
        now, usage = self._looks[-1]
        return now - middle, usage.since(before)


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


async def _measured(runner: Runner, history: Sequence[BlockResult], course: _Course, folder: Path) -> Trial:
    ids = [table.match_id for result in history for table in result.tables]
    rows = [await runner.store.results.match(match_id) for match_id in ids]  # type: ignore[arg-type]  # they are ids
    decisions = fmean(sum(each["decisions"] for each in row.statistics) for row in rows)
    (wall_s, used), nodes = course.second_half, len(runner.nodes)
    games = max(1, used.decisions) / decisions
    return Trial(
        games=games,
        nodes=nodes,
        wall_s=wall_s,
        work_s=used.work_s / games if used.work_s else None,
        waited_s=used.waited_s / games,
        decisions=decisions,
        bot_bytes=used.bots_bytes / max(used.bots, 1),
        node_bytes=used.node_bytes / nodes,
        disk_bytes=_size(folder) * decisions / course.whole.decisions,
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
