"""A league's trial: its bots play for a minute before anything counts.

A trial is a season in a temporary folder, which is removed afterwards. None of its results is kept, and none of its
deals is used again.
"""

import asyncio
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.bots.launch.box_settings import BoxSettings
from arena.competition.formats import DEFAULT_MAX_TABLES
from arena.errors import BotStartError, EnvironmentFaultError, RequestError
from arena.fleet.runner.boxes import choose_boxes
from arena.fleet.runner.fleet import Fleet
from arena.fleet.runner.match_bots import build_programs
from arena.fleet.runner.node_process import OWN_FLEET
from arena.fleet.runner.runner import Runner, open_runner
from arena.match.referee.ports import MatchId
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.plan.trial_result import MAX_OVERRUN, TrialProgress, TrialResult, UsageSample
from arena.organizer.play.block_dispatcher import BlockDispatcher, PlayPolicy
from arena.organizer.play.league_play import build_dispatcher
from arena.organizer.play.remote_access import AccessPeriod, give_access
from arena.organizer.seal.ledger import Ledger
from arena.organizer.seal.open_league import open_league
from arena.organizer.seal.randomness import new_randomness
from arena.organizer.seal.seal import seal_league
from arena.replays.narration.text_format import join_words

MAX_TRIAL_S: Final = 60.0
"""Seconds after which a trial with enough games is cut short."""
MAX_TRIAL_BOTS: Final = 16
"""The largest number of bots in a trial, unless two tables need more."""
TRIAL_INITIAL_GAMES: Final = 8
"""Number of concurrent games that a bot begins with at a node. It is higher than in a league, because nothing counts
and time is short."""
POLL_S: Final = 0.5
_MAX_GAMES: Final = 1_000
"""Games for each node: more than a node can play in a trial."""


def league_file_for_trial(file: LeagueFile, max_bots: int) -> LeagueFile:
    """Return the league file of a trial: a season with some of the local bots, `max_bots` of them at a node at once.

    Remote bots are left out, because a trial would have to wait for them. They only play if the local bots do not fill
    a table. In a large league every n-th bot of the file plays, because starting all would take longer than the trial.
    If the league has enough bots for two tables, so has the trial. The trial's blocks then have a second table, even if
    those of the league have one, because the trial tries both designs. (With dates, all tables of a block would have to
    wait for each other's bots, so there is nothing to try.) Windows end early, because games with fixed windows may
    last longer than a trial.
    """
    local = [name for name, bot in file.bots.items() if not bot.is_remote]
    names = local if len(local) >= file.seats else list(file.bots)
    step = max(1, min(-(-len(names) // MAX_TRIAL_BOTS), len(names) // (2 * file.seats)))
    bots = {name: file.bots[name] for name in names[::step]}
    entrants = tuple(each for each in file.entrants if each.name in bots)
    tables = file.settings.get("tables", DEFAULT_MAX_TABLES)
    if tables == 1 and not file.dates and max_bots >= min(len(bots), file.seats * DEFAULT_MAX_TABLES):
        tables = DEFAULT_MAX_TABLES
    return replace(
        file,
        format="season",
        settings={"tables": tables},
        budget_s=None,
        public_entropy="",
        terms=replace(file.terms, pace=replace(file.terms.pace, fixed_window=False)),
        entrants=entrants,
        bots=bots,
        dates=(),
    )


async def run_trial(
    file: LeagueFile,
    nodes: int,
    processes: int,
    most_s: float = MAX_TRIAL_S,
    show: Callable[[str], None] = lambda _: None,
    settings: BoxSettings | None = None,
    fleet: Fleet = OWN_FLEET,
) -> TrialResult:
    """Play a trial on nodes of a fleet and return its result.

    Raises what playing a league raises, and RequestError if no game ends.

    `settings` are those of boxes, for bots that need them. `show` gets the lines that a remote bot needs to connect, if
    such bots are needed to fill a table.
    """
    small = league_file_for_trial(file, processes // nodes)
    nodes = 1 if small.has_remote else nodes
    with tempfile.TemporaryDirectory(prefix="cheatarena-trial-") as name:
        folder = Path(name)
        boxes = await asyncio.to_thread(choose_boxes, small.bots.values(), settings or BoxSettings())
        async with open_runner(folder, nodes, boxes=boxes, fleet=fleet) as runner:
            bots = await build_programs(folder / "bots", tuple(small.bots.values()), lambda _: None, boxes)
            small = replace(
                small,
                settings={**small.settings, "games": _MAX_GAMES * nodes},
                bots={bot.name: bot for bot in bots},
            )
            trial = await _play_trial(small, runner, processes, folder, most_s, show)
    left_out = tuple(name for name, bot in file.bots.items() if bot.is_remote and name not in small.bots)
    is_disturbed = trial.is_disturbed and not fleet.is_away  # nobody knows how busy other machines are
    return replace(trial, left_out=left_out, is_disturbed=is_disturbed)


async def _play_trial(
    file: LeagueFile, runner: Runner, processes: int, folder: Path, most_s: float, show: Callable[[str], None]
) -> TrialResult:
    row = await seal_league(file, runner.store, new_randomness())
    league = await open_league(file, runner.store)
    names = [bot.name for bot in league.active_bots if bot.is_remote]
    period = AccessPeriod(row.league_id, time.time())
    for access in await give_access(runner.store, period, names, runner.nodes[0].address):
        for line in access.lines():
            show(line)
    dispatcher = build_dispatcher(league, runner, processes, PlayPolicy(initial_games=TRIAL_INITIAL_GAMES))
    async with dispatcher.play_in_background() as playing:
        progress = await _watch_trial(dispatcher, playing, league.ledger, most_s)
        awaited = join_words(list(dispatcher.awaited_bots))
    if awaited and not league.ledger.history:
        raise RequestError(f"the trial cannot fill a table without {awaited}: have it dial in")
    if not league.ledger.history:
        raise RequestError(
            f"no game of the trial had ended after {progress.elapsed_s:.0f} s: make games shorter"
            " ([rules] says when one ends), or name a number of games instead of a budget"
        )
    ids = [MatchId(table.match_id) for result in league.ledger.history for table in result.tables]
    rows = [await runner.store.results.match(match_id) for match_id in ids]
    return progress.build_result(league.ledger.history, rows, _folder_bytes(folder))


async def _watch_trial(
    dispatcher: BlockDispatcher, playing: asyncio.Task[None], ledger: Ledger, most_s: float
) -> TrialProgress:
    """Return the trial's samples once they suffice. Raises the trial's error, or BotStartError if bots drop out."""
    progress = TrialProgress(
        await _wait_for_first_decision(dispatcher, playing, MAX_OVERRUN * most_s), most_s, len(dispatcher.nodes)
    )
    while not playing.done() and not progress.is_enough(ledger):
        await asyncio.wait({playing}, timeout=POLL_S)
        progress.add_sample(await _take_sample(dispatcher))
        _check_all_running(dispatcher)
    if playing.done():
        playing.result()
    _check_all_running(dispatcher)
    return progress


def _check_all_running(dispatcher: BlockDispatcher) -> None:
    if dispatcher.away:
        reasons = {  # without the log file, because the trial's folder is removed
            name: re.sub("; its output is in .*", "", how) for name, how in dispatcher.away.items()
        }
        sentences = (how if how.startswith(f"{name} ") else f"{name}: {how}" for name, how in reasons.items())
        raise BotStartError("; ".join(sentences))


async def _wait_for_first_decision(
    dispatcher: BlockDispatcher, playing: asyncio.Task[None], most_s: float
) -> UsageSample:
    """Wait for the first decision and return a sample. Usage after this sample excludes the start of the bots."""
    deadline, sample = time.monotonic() + most_s, await _take_sample(dispatcher)
    while not playing.done() and not sample.usage.decisions and time.monotonic() < deadline:
        await asyncio.wait({playing}, timeout=0.1)
        _check_all_running(dispatcher)
        sample = await _take_sample(dispatcher)
    return sample


async def _take_sample(dispatcher: BlockDispatcher) -> UsageSample:
    if not all(node.is_up for node in dispatcher.nodes):  # the sums would lack what a lost node has used
        raise EnvironmentFaultError("a node of the trial has ended: is there memory enough for all bots?")
    usages = [await node.process.calls.usage() for node in dispatcher.nodes]
    return UsageSample.take(usages, sum(node.tables for node in dispatcher.nodes))


def _folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
