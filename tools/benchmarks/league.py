"""Compares a league or a comparison with plain matches, to measure what blocks, deals, results and analytics cost.

First plain matches fill the nodes, then the league or the comparison does, and then plain matches do again. So the
ratio is fair even if the machine becomes faster or slower meanwhile. All of them have the same number of tables, store
their results, and play with the same programs. But a league's processes sit at its own tables alone, so plain matches
have as many that connect by themselves.
"""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import astuple, dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random
from statistics import fmean
from typing import TypeVar
from unittest.mock import patch

from arena.bots.launch.programs import BotProgram
from arena.cli.compare.options import CompareOptions, TableOptions
from arena.cli.compare.request import CompareRequest
from arena.cli.options import RulesOptions
from arena.errors import NotConnectedError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.node_process import OWN_FLEET
from arena.fleet.runner.runner import Runner, open_runner
from arena.fleet.runner.runner_node import RunnerNode
from arena.match.referee.match_order import MatchOrder
from arena.match.referee.ports import MatchId
from arena.organizer.compare.comparison import COMPARISON_POLICY, default_node_count, open_comparison
from arena.organizer.file.league_file import SealedLeague
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.play import concurrency_limiter
from arena.organizer.play.block_dispatcher import PlayPolicy
from arena.organizer.play.league_play import build_dispatcher
from arena.organizer.seal.open_league import OpenLeague, open_league
from arena.organizer.seal.randomness import new_randomness
from arena.organizer.seal.seal import seal_league
from arena.server.rpc.client import OrganizerClient
from arena.server.store.account_values import Scope
from tools.benchmarks.program_bot import ProgramBot
from tools.benchmarks.row import Figure

GOAL = 0.85
NODES = 2
SEATS = 4
QUICK = str(Path(__file__).with_name("league_bot.py"))
"""A bot that needs almost no time to think."""
SAMPLES = tuple(f"sample:{name}" for name in ("counter", "honest", "gambler", "random_legal"))
MANY_GAMES = 2000
"""More games than any match can finish during the benchmark."""
AT_ONCE = 4
"""The most calls at the same time. A connection may have eight streams."""
MAX_PROCESSES = 64
LOOK_S = 1.0
WARM_S = 60.0
"""The longest wait until games begin and end all the time, as in the middle of a league."""

Wish = TypeVar("Wish")
Given = TypeVar("Given")

MS = 600_000
PACE = {"turn_ms": MS, "call_ms": MS}
FILE = """\
name = "speed"
format = "season"
games = 1000000
seats = {seats}
preset = "standard"
[pace_settings]
turn_ms = {turn_ms}
call_ms = {call_ms}
[rules]
max_turns = {max_turns}
"""


@dataclass(frozen=True, slots=True)
class Look:
    """The counters at an instant."""

    at_s: float
    decisions: int
    work_s: float
    """CPU seconds of the nodes and bots."""
    runner_s: float
    """CPU seconds of this process, which is the runner."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The rate and the cost of decisions in a span of time."""

    rate: float
    """Decisions per second."""
    work_us: float
    """Microseconds of CPU time of nodes and bots per decision."""
    runner_us: float
    """Microseconds of CPU time of the runner per decision."""


async def league(
    name: str, bots: Sequence[str], entrants: int, tables: int, seconds: float, max_turns: int
) -> list[Figure]:
    """Measure decisions per second in a league and in plain matches, with `tables` tables at a time on each node.

    Games per second have the same ratio, because games are equally long on both sides. Only a few games end in the
    measured span, so counting games would be less precise.
    """
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        file = read_league_file(_write_league_file(folder, bots, entrants, max_turns))
        async with open_runner(folder / "data", NODES) as runner:
            plain = SealedLeague.from_file(file)
            before = await _plain_matches(runner, plain, tables, seconds)
            with (
                patch.object(concurrency_limiter, "MAX_TABLES", tables),
            ):
                await seal_league(file, runner.store, new_randomness())
                played = await _play_league(
                    runner,
                    await open_league(file, runner.store),
                    MAX_PROCESSES,
                    tables,
                    seconds,
                    PlayPolicy(max_tables=tables),
                )
            after = await _plain_matches(runner, plain, tables, seconds)
    return _figures(name, _mean(before, after), played)


async def comparison(
    name: str, bots: Sequence[str], tables: int, seconds: float, seats: int, max_turns: int
) -> list[Figure]:
    """Measure a comparison of the first bot with the second in a field of the others. Tables are limited as usual."""
    candidate, baseline, *field = bots
    rules = RulesOptions(set_=[f"max_turns={max_turns}"])
    table = TableOptions(seats, rules, turn_ms=MS, call_ms=MS)
    manner = replace(COMPARISON_POLICY, max_tables=min(tables, COMPARISON_POLICY.max_tables))
    options = CompareOptions(candidate, baseline, field=",".join(field), table=table)
    asked = CompareRequest(options).to_comparison()
    with tempfile.TemporaryDirectory() as made:
        async with open_runner(Path(made) / "data", default_node_count(OWN_FLEET.room)) as runner:
            opened = await open_comparison(asked, asked.programs, runner.store)
            file = opened.league.file
            before = await _plain_matches(runner, file, manner.max_tables, seconds)
            most = len(file.bots) * len(runner.nodes)
            played = await _play_league(runner, opened.league, most, manner.max_tables, seconds, manner)
            after = await _plain_matches(runner, file, manner.max_tables, seconds)
    return _figures(name, _mean(before, after), played)


def _mean(*paces: Pace) -> Pace:
    return Pace(*map(fmean, zip(*map(astuple, paces), strict=True)))


def _figures(name: str, plain: Pace, played: Pace) -> list[Figure]:
    return [
        Figure(f"{name} plain matches", "/s", plain.rate, is_more_better=True),
        Figure(f"{name} rate", "/s", played.rate, is_more_better=True),
        Figure(f"{name} / plain matches", "x", played.rate / max(plain.rate, 1e-9), GOAL, is_more_better=True),
        Figure(f"{name} nodes and bots, plain", "us", plain.work_us),
        Figure(f"{name} nodes and bots", "us", played.work_us),
        Figure(f"{name} runner", "us", played.runner_us),
    ]


def _write_league_file(folder: Path, bots: Sequence[str], entrants: int, max_turns: int) -> Path:
    """Write a league file in which the entrants are these bots in turn. Return its path."""
    each = [f'[[entrants]]\nbot = "{bots[index % len(bots)]}"\nname = "bot{index}"\n' for index in range(entrants)]
    path = folder / "league.toml"
    path.write_text(FILE.format(seats=SEATS, max_turns=max_turns, **PACE) + "".join(each), encoding="utf-8")
    return path


async def _plain_matches(runner: Runner, file: SealedLeague, tables: int, seconds: float) -> Pace:
    """Play matches of many games, each between some of the entrants."""
    async with AsyncExitStack() as stack:
        secret = await runner.store.tokens.create("benchmark", [Scope.ORGANIZE], timedelta(days=1))
        organizers = [await stack.enter_async_context(OrganizerClient(node.address, secret)) for node in runner.nodes]
        bots = [await _connect(stack, runner, node, each) for node in runner.nodes for each in file.bots.values()]
        orders = [_order(file, index) for index in range(tables)]
        made = [await _some_at_once(partial(_create, each), orders) for each in organizers]
        await _warm(partial(_games_of, organizers, made), tables * len(runner.nodes))
        pace = await _measure_span(runner, seconds, bots)
        for organizer, matches in zip(organizers, made, strict=True):
            await _some_at_once(organizer.cancel_match, matches)
    return pace


async def _connect(stack: AsyncExitStack, runner: Runner, node: RunnerNode, entrant: BotEntrant) -> ProgramBot:
    """Start a bot that connects to the node, until the end of `stack`."""
    token = await runner.store.tokens.create(entrant.name, [Scope.PLAY], timedelta(days=1))
    assert isinstance(entrant.program, BotProgram)
    bot = await ProgramBot.start(entrant.program, node.address, token)
    stack.push_async_callback(bot.end)
    return bot


async def _create(organizer: OrganizerClient, order: MatchOrder) -> MatchId:
    """Create a match, as soon as its bots are there."""
    by = time.monotonic() + WARM_S
    while True:
        try:
            return await organizer.create_match(order)
        except NotConnectedError:
            if time.monotonic() > by:
                raise
            await asyncio.sleep(LOOK_S)


async def _games_of(organizers: Sequence[OrganizerClient], made: Sequence[Sequence[MatchId]]) -> int:
    """Return how many games of these matches are over."""
    known = [await _some_at_once(each.get_match, matches) for each, matches in zip(organizers, made, strict=True)]
    return sum(len(report.games) for reports in known for report in reports)


def _order(file: SealedLeague, index: int) -> MatchOrder:
    names = tuple(Random(index).sample(list(file.bots), file.seats))
    options = {"max_turns": str(file.terms.ruleset.max_turns)}
    return MatchOrder(names, options=options, pace=file.terms.pace, game_count=MANY_GAMES, is_rated=False)


async def _some_at_once(act: Callable[[Wish], Awaitable[Given]], wishes: Sequence[Wish]) -> Sequence[Given]:
    """Call `act` for each wish, with at most AT_ONCE calls at the same time. Return the results in order."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def do(wish: Wish) -> Given:
        async with turn:
            return await act(wish)

    return await asyncio.gather(*map(do, wishes))


async def _play_league(
    runner: Runner, opened: OpenLeague, most: int, tables: int, seconds: float, policy: PlayPolicy
) -> Pace:
    """Play a league with at most `most` processes of bots, and measure its middle."""
    playing = asyncio.create_task(build_dispatcher(opened, runner, most, policy).play())

    async def games() -> int:
        if playing.done():
            playing.result()
        return opened.ledger.game_count

    try:
        await _warm(games, tables * len(runner.nodes))
        return await _measure_span(runner, seconds)
    finally:
        playing.cancel()
        await asyncio.wait([playing])


async def _warm(games: Callable[[], Awaitable[int]], tables: int) -> None:
    """Wait until as many games are over as there are tables. The first decisions of a game cost less than its last."""
    by = time.monotonic() + WARM_S
    while await games() < tables and time.monotonic() < by:
        await asyncio.sleep(LOOK_S)


async def _measure_span(runner: Runner, seconds: float, bots: Sequence[ProgramBot] = ()) -> Pace:
    before = await _look(runner, bots)
    await asyncio.sleep(seconds)
    after = await _look(runner, bots)
    span_s, count = after.at_s - before.at_s, max(1, after.decisions - before.decisions)
    return Pace(
        rate=count / span_s,
        work_us=(after.work_s - before.work_s) / count * 1e6,
        runner_us=(after.runner_s - before.runner_s) / count * 1e6,
    )


async def _look(runner: Runner, bots: Sequence[ProgramBot]) -> Look:
    """`bots` are those beside the bots of the nodes."""
    usages = await asyncio.gather(*(node.calls.usage() for node in runner.nodes))
    decisions, work_s = sum(each.decisions for each in usages), sum(each.work_s for each in usages)
    work_s += sum([(await bot.ask("count"))["cpu_s"] for bot in bots])
    return Look(time.monotonic(), decisions, work_s, time.process_time())
