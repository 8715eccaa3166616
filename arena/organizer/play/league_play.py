"""Plays an open league on the nodes of a runner, reveals the deals that are left, and closes it."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Protocol

from arena.bots.launch.programs import BotProgram
from arena.bots.packages.bot_hash import has_content, newest_file_name
from arena.errors import BotStartError, RequestError
from arena.fleet.runner.table_node import TableNode
from arena.ids import new_id
from arena.match.referee.ports import MatchId, Signer
from arena.organizer.file.league_file import SealedLeague
from arena.organizer.play.attendance import Attendance, LeagueClock
from arena.organizer.play.block_deals import BlockDeals
from arena.organizer.play.block_dispatcher import DEFAULT_POLICY, BlockDispatcher, PlayPolicy
from arena.organizer.play.block_runner import BlockRunner
from arena.organizer.play.concurrency_limiter import ConcurrencyLimiter
from arena.organizer.play.node_bots import BotRestarts, CrashHandler, NodeBots
from arena.organizer.seal.league_files import awaited_path, write_awaited
from arena.organizer.seal.ledger_entries import (
    CLOSED,
)
from arena.organizer.seal.open_league import OpenLeague
from arena.server.store.open_store import Store
from arena.typed_command import arena_command


class LeagueRunner(Protocol):
    """What a league needs of a runner."""

    @property
    def nodes(self) -> Sequence[TableNode]: ...

    @property
    def store(self) -> Store: ...

    @property
    def signer(self) -> Signer: ...

    async def next_node(self) -> TableNode | None:
        """Wait for a node that comes in place of a lost one; None if none will come any more."""


def build_dispatcher(
    league: OpenLeague, runner: LeagueRunner, max_processes: int, policy: PlayPolicy = DEFAULT_POLICY
) -> BlockDispatcher:
    """Return a dispatcher for a runner's nodes. `max_processes` limits the bot processes at all nodes together.

    Raises RequestError if promised public entropy is missing.
    """
    _check_entropy(league)
    file, ledger, store = league.file, league.ledger, runner.store
    remotes = frozenset(name for name, bot in file.bots.items() if bot.is_remote)
    max_bots = max_processes // max(1, len(runner.nodes))
    check_start = _check_nothing if policy.may_write else partial(_check_files_unchanged, file)

    def build_node(process: TableNode, on_crash: CrashHandler) -> NodeBots:
        return NodeBots(process, file.bots, file.terms, max_bots, on_crash, check_start)

    async def next_node() -> NodeBots | None:
        process = await runner.next_node()
        return None if process is None else build_node(process, restarts.record_crash)

    deals = BlockDeals(file, league.randomness, store, runner.signer)
    limiter = ConcurrencyLimiter(len(league.schedule.field.entries), file.seats, policy.initial_games)
    blocks = BlockRunner(
        file,
        ledger,
        deals,
        store,
        limiter,
        policy.max_spared,
        is_dated=bool(league.dates),
        judgement=league.schedule.field.judgement,
    )

    def build_nodes(on_crash: CrashHandler) -> list[NodeBots]:
        return [build_node(process, on_crash) for process in runner.nodes]

    restarts = BotRestarts(ledger, build_nodes, next_node)
    report_awaited = partial(write_awaited, awaited_path(store.folder, league.row.league_id))
    attendance = Attendance(league.dates, remotes, restarts.away, ledger, LeagueClock(), report_awaited)
    return BlockDispatcher(
        league.schedule,
        ledger,
        blocks,
        limiter,
        lambda: MatchId(new_id()),
        restarts,
        policy,
        attendance,
    )


def _check_entropy(league: OpenLeague) -> None:
    """Raise RequestError if promised entropy is not mixed in yet: no deal can be made without it."""
    if league.awaits_entropy:
        raise RequestError(
            f"public entropy was promised and is not there yet, {league.row.sealed['public_entropy']}:"
            f" mix it in with `{arena_command('league', 'seal', 'FILE', '--entropy', 'TEXT')}`, and --data as before"
        )


async def _check_files_unchanged(file: SealedLeague, name: str) -> None:
    """Raise BotStartError if a bot's files have changed since the league was opened."""
    program = file.bots[name].program
    content = next(each.content for each in file.entrants if each.name == name)
    if isinstance(program, BotProgram) and not await asyncio.to_thread(has_content, program, content):
        raise BotStartError(f"{name} was not started: its files have changed (last {newest_file_name(program)})")


async def _check_nothing(name: str) -> None:
    """Allow every start. Used if bots may change their files."""


async def reveal_left_deals(league: OpenLeague, runner: LeagueRunner) -> None:
    """Reveal the deals that a killed runner left hidden, unless a node still plays them."""
    deals = BlockDeals(league.file, league.randomness, runner.store, runner.signer)
    await deals.reveal_left(league.ledger, runner.nodes)


async def close_league(league: OpenLeague, store: Store, signer: Signer) -> None:
    """Close a league if it has ended. From then on its secret may be published, and no further deal may use it."""
    if league.is_over:
        deals = BlockDeals(league.file, league.randomness, store, signer)
        await deals.reveal_left(league.ledger, ())
        if not league.is_closed:
            await league.ledger.add_entry(CLOSED, {})
