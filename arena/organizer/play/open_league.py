"""An open league: its file, randomness and ledger, and the dispatcher that plays it on nodes."""

import asyncio
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from arena.bots.launch.program_sets import check_declared_games
from arena.bots.launch.programs import BotProgram, RemoteBot
from arena.bots.packages.bot_hash import has_content, is_bot_file, iter_files, newest_file_name
from arena.competition.formats.port import Format
from arena.competition.league.model import PLAY_OFF, RoundDate
from arena.competition.league.ports import LeagueRow
from arena.errors import BotStartError, OptionError, RequestError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.runner import Runner
from arena.ids import new_id
from arena.match.deal.stream import new_seed
from arena.match.referee.ports import MatchId, Signer
from arena.organizer.file.league_dates import assign_rounds, check_dates_ahead, describe_dates, restore_dates
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_format import build_format, check_format, choose_format, format_settings
from arena.organizer.file.league_reader import read_sealed_text
from arena.organizer.file.league_schema import ONE_LINE_RULE, is_one_line
from arena.organizer.play.attendance import Attendance, LeagueClock
from arena.organizer.play.block_deals import BlockDeals
from arena.organizer.play.block_dispatcher import DEFAULT_POLICY, BlockDispatcher, PlayPolicy
from arena.organizer.play.block_runner import BlockRunner
from arena.organizer.play.concurrency_limiter import ConcurrencyLimiter
from arena.organizer.play.node_bots import BotRestarts, CrashHandler, NodeBots
from arena.organizer.play.remote_access import awaited_path, write_awaited
from arena.organizer.seal.amendments import CLOSED, amended_dates, amended_field, departed_entrants, is_closed
from arena.organizer.seal.bot_versions import BotVersion, find_replaced_bots
from arena.organizer.seal.ledger import Ledger, read_ledger
from arena.organizer.seal.randomness import LeagueRandomness, read_secret, write_secret
from arena.organizer.seal.schedule import Schedule
from arena.organizer.seal.seal import (
    SealChange,
    check_playable,
    find_seal_changes,
    keeps_owners_apart,
    pin_submitted_bots,
    restore_sealed_file,
    seal_line,
    sealed_values,
)
from arena.server.store.open_store import Store
from arena.typed_command import arena_command

ENTROPY = "entropy"
"""The kind of the ledger entry that mixes in public entropy."""


@dataclass(frozen=True, slots=True)
class OpenLeague:
    """A sealed league with its file, randomness and ledger."""

    file: LeagueFile
    """The league's file as it was sealed and amended. The file on disk may have changed since then."""
    row: LeagueRow
    randomness: LeagueRandomness
    ledger: Ledger
    format: Format
    schedule: Schedule
    changes: tuple[SealChange, ...] = ()
    """How the league's bots and rules now differ from the sealed ones."""
    dates: tuple[RoundDate, ...] = ()
    """The dates of the league's rounds, as sealed and amended; empty if it has none."""
    is_compared: bool = True
    """Whether the files of league and bots were compared with the sealed ones, so that `changes` are known."""

    @property
    def active_bots(self) -> tuple[BotEntrant, ...]:
        """The bots that have neither withdrawn nor been disqualified."""
        gone = departed_entrants(self.ledger.acts)
        return tuple(bot for name, bot in self.file.bots.items() if name not in gone)

    def with_bots(self, bots: Iterable[BotEntrant]) -> "OpenLeague":
        """Return the league with these programs in place of those of the same names, for example after their build."""
        return replace(self, file=replace(self.file, bots={**self.file.bots, **{bot.name: bot for bot in bots}}))

    @property
    def replaced_bots(self) -> Mapping[str, Sequence[BotVersion]]:
        """All versions of each bot that was replaced, the oldest first."""
        return find_replaced_bots(self.row.sealed["entrants"], self.ledger.acts)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play."""
        return self.schedule.is_over

    @property
    def is_closed(self) -> bool:
        """Whether the secret may be published, because no more games are played with it."""
        return is_closed(self.ledger.acts)

    @property
    def seal(self) -> str:
        """The line to post before the first game."""
        return seal_line(self.row.sealed)

    @property
    def awaits_entropy(self) -> bool:
        """Whether public entropy was promised and is not mixed in yet."""
        return bool(self.row.sealed["public_entropy"]) and not self.randomness.public_entropy

    @property
    def planned_games(self) -> int | None:
        """The total number of games, or None if it is unknown. A play-off counts in full once it has begun."""
        size = self.format.size(self.schedule.field)
        has_play_off = any(row.label == PLAY_OFF for row in self.ledger.rows)
        return None if size.games is None else size.games + size.play_off * has_play_off


def new_randomness() -> LeagueRandomness:
    """Return a new league id with a secret from the operating system."""
    return LeagueRandomness(new_id(), new_seed(os.urandom))


async def seal_league(
    file: LeagueFile, store: Store, randomness: LeagueRandomness, rate: float | None = None
) -> LeagueRow:
    """Fix the rules, bots and randomness of a league, and return its row. Raises StoreError, OptionsError.

    The names of local bots are reserved. Raises OptionError if an owner has such a name, if two names look alike, or if
    a bot does not play the league's game.

    `rate` is the number of games a second. It is needed if the file names a budget.
    """
    file.check_look_alikes()
    check_declared_games(file.programs, file.terms.game.name)
    field = amended_field(file.require_complete(), (), randomness.schedule_seed)
    league_format, _ = choose_format(file, field, rate)
    check_format(league_format, field)
    dates = assign_rounds(file.dates, league_format, field)
    check_dates_ahead(dates, time.time())
    format_values = {"name": league_format.name, **format_settings(league_format)}
    values = sealed_values(file, randomness, format_values, describe_dates(dates))
    write_secret(secret_path(store, randomness.league_id), randomness.secret)
    row = LeagueRow(file.name, randomness.league_id, time.time(), file.text, values)
    await _reserve_names(file.bots.values(), store)
    await store.leagues.add_league(row)
    return row


async def _reserve_names(bots: Iterable[BotEntrant], store: Store) -> None:
    """Reserve the names of local bots, except those that owners handed in. Raises OptionError if an owner has one."""
    await store.tokens.reserve_local([bot.name for bot in bots if not (bot.is_remote or bot.is_submitted)])


def check_data_folder(programs: Mapping[str, BotProgram | RemoteBot], data: Path) -> None:
    """Raise OptionError if the data folder is among a bot's files, or a bot's files are in the data folder."""
    for name, program in programs.items():
        if not isinstance(program, BotProgram) or program.is_submitted:  # it cannot write where it is
            continue
        if is_bot_file(program, data):
            allowed = f"it is in the folder of {name}, whose files must not change: name another one"
            raise OptionError("data", str(data), allowed)
        files = list(iter_files(program))
        places = {program.folder, *(file.parent for file in files), *(file.resolve().parent for file in files)}
        if any(place.resolve().is_relative_to(data.resolve()) for place in places):
            allowed = f"{name} is in it, and games must not write where bots are: name another one"
            raise OptionError("data", str(data), allowed)


async def open_league(file: LeagueFile, store: Store, amending: str = "") -> OpenLeague:
    """Return a sealed league to view or amend. Raises RequestError if there is none.

    `amending` is the name of an entrant that is about to be added or replaced.
    """
    row = await store.leagues.league(file.name)
    if row is None:
        raise RequestError(f"there is no league {file.name!r} in {store.folder.resolve()}: seal or run it first")
    ledger, randomness = await _read_ledger(row, store)
    file = pin_submitted_bots(file, row, ledger.acts, amending)
    changes = find_seal_changes(file, row, randomness, ledger.acts)
    return _restore_league(restore_sealed_file(file, row, ledger.acts, amending), row, randomness, ledger, changes)


async def open_sealed_league(row: LeagueRow, store: Store) -> OpenLeague:
    """Return a league to view, from the store alone: the files of the league and of its bots are not looked at.

    Raises OptionsError if its rules or settings are no longer known.
    """
    ledger, randomness = await _read_ledger(row, store)
    file = restore_sealed_file(read_sealed_text(row.text), row, ledger.acts, "")
    return _restore_league(file, row, randomness, ledger, None)


async def _read_ledger(row: LeagueRow, store: Store) -> tuple[Ledger, LeagueRandomness]:
    ledger = await read_ledger(row.name, store.leagues, time.time)
    entropy = next((act.values["text"] for act in ledger.acts if act.kind == ENTROPY), "")
    secret, binds_terms = read_secret(secret_path(store, row.league_id)), "receipt" in row.sealed
    return ledger, LeagueRandomness(row.league_id, secret, entropy, binds_terms)


def _restore_league(
    league: LeagueFile,
    row: LeagueRow,
    randomness: LeagueRandomness,
    ledger: Ledger,
    changes: tuple[SealChange, ...] | None,
) -> OpenLeague:
    """Return the league with the format, the field and the dates that were sealed and amended."""
    settings = dict(row.sealed["format"])
    league_format = build_format(settings.pop("name"), settings, row.sealed["decided_by"])
    sealed = [each["name"] for each in row.sealed["entrants"]]
    field = amended_field(league, ledger.acts, randomness.schedule_seed, sealed, keeps_owners_apart(row))
    schedule = Schedule(league_format, field, ledger)
    dates = amended_dates(restore_dates(row.sealed.get("dates", ())), ledger.acts)
    compared = changes is not None
    return OpenLeague(league, row, randomness, ledger, league_format, schedule, changes or (), dates, compared)


async def open_league_to_play(file: LeagueFile, store: Store, amending: str = "") -> OpenLeague:
    """Return a sealed league to play. Raises RequestError if there is none or it has changed.

    `amending` is the name of an entrant that is about to be added or replaced. The file may have it in addition to the
    sealed entrants, or otherwise than it was sealed. The names of local bots are reserved. Raises OptionError if an
    owner has such a name, or if the bot `amending` does not play the league's game.
    """
    league = await open_league(file, store, amending)
    check_playable(file, league.row, league.changes, league.ledger.acts, amending)
    amended = {name: bot.program for name, bot in league.file.bots.items() if name == amending}
    check_declared_games(amended, league.file.terms.game.name)
    if not league.is_over:
        await _reserve_names(league.active_bots, store)
    return league


async def mix_in_entropy(league: OpenLeague, entropy: str) -> None:
    """Mix in public entropy. Raises OptionError for a text that is not one printable line.

    Entropy is mixed in only once, and only if the seal promises it. Otherwise the organizer could choose the deals. A
    second text and an unpromised text also raise OptionError.
    """
    if not league.row.sealed["public_entropy"]:
        allowed = 'the seal promises none: a file says where it will come from, public_entropy = "..."'
        raise OptionError("entropy", entropy, allowed)
    if not league.awaits_entropy:
        allowed = f"it is mixed in only once, before the first game; it already is: {league.randomness.public_entropy}"
        raise OptionError("entropy", entropy, allowed)
    if not is_one_line(entropy):
        raise OptionError("entropy", entropy, f"expected {ONE_LINE_RULE}")
    await league.ledger.add_entry(ENTROPY, {"text": entropy})


def check_entropy(league: OpenLeague) -> None:
    """Raise RequestError if promised entropy is not mixed in yet: no deal can be made without it."""
    if league.awaits_entropy:
        raise RequestError(
            f"public entropy was promised and is not there yet, {league.row.sealed['public_entropy']}:"
            f" mix it in with `{arena_command('league', 'seal', 'FILE', '--entropy', 'TEXT')}`, and --data as before"
        )


def build_dispatcher(
    league: OpenLeague, runner: Runner, max_processes: int, policy: PlayPolicy = DEFAULT_POLICY
) -> BlockDispatcher:
    """Return a dispatcher for a runner's nodes. `max_processes` limits the bot processes at all nodes together.

    Raises RequestError if promised public entropy is missing.
    """
    check_entropy(league)
    file, ledger, store = league.file, league.ledger, runner.store
    remotes = frozenset(name for name, bot in file.bots.items() if bot.is_remote)
    max_bots = max_processes // max(1, len(runner.nodes))
    check_start = _check_nothing if policy.may_write else partial(_check_files_unchanged, file)

    def build_nodes(on_crash: CrashHandler) -> Sequence[NodeBots]:
        return [NodeBots(process, file.bots, file.terms, max_bots, on_crash, check_start) for process in runner.nodes]

    deals = BlockDeals(file, league.randomness, store, runner.signer)
    limiter = ConcurrencyLimiter(len(league.schedule.field.entries), file.seats, policy.initial_games)
    blocks = BlockRunner(file, ledger, deals, store, limiter, policy.max_spared, is_dated=bool(league.dates))
    restarts = BotRestarts(ledger, build_nodes)
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


async def _check_files_unchanged(file: LeagueFile, name: str) -> None:
    """Raise BotStartError if a bot's files have changed since the league was opened."""
    program = file.bots[name].program
    content = next(each.content for each in file.entrants if each.name == name)
    if isinstance(program, BotProgram) and not await asyncio.to_thread(has_content, program, content):
        raise BotStartError(f"{name} was not started: its files have changed (last {newest_file_name(program)})")


async def _check_nothing(name: str) -> None:
    """Allow every start. Used if bots may change their files."""


async def reveal_left_deals(league: OpenLeague, store: Store, signer: Signer) -> None:
    """Reveal the deals that a killed runner left hidden."""
    await BlockDeals(league.file, league.randomness, store, signer).reveal_left(league.ledger)


async def close_league(league: OpenLeague, store: Store, signer: Signer) -> None:
    """Close a league if it has ended. From then on its secret may be published, and no further deal may use it."""
    if league.is_over:
        await reveal_left_deals(league, store, signer)
        if not league.is_closed:
            await league.ledger.add_entry(CLOSED, {})


def secret_path(store: Store, league_id: str) -> Path:
    """Return the path of a league's secret."""
    return store.folder / "leagues" / f"{league_id}.secret"
