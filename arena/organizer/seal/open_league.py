"""A league that is open: what was sealed, its randomness and ledger, and what follows from them."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from arena.bots.launch.program_sets import check_declared_games
from arena.competition.formats.port import Format
from arena.competition.league.model import PLAY_OFF, RoundDate
from arena.competition.league.ports import LeagueRow
from arena.errors import OptionError, RequestError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.organizer.file.league_dates import restore_dates
from arena.organizer.file.league_file import LeagueFile, SealedLeague
from arena.organizer.file.league_format import build_format
from arena.organizer.file.league_reader import read_sealed_text
from arena.organizer.file.league_schema import ONE_LINE_RULE, is_one_line
from arena.organizer.seal.league_files import read_secret, secret_path
from arena.organizer.seal.ledger import Ledger, read_ledger
from arena.organizer.seal.ledger_entries import (
    ENTROPY,
    BotVersion,
    amended_dates,
    amended_field,
    departed_entrants,
    find_replaced_bots,
    is_closed,
)
from arena.organizer.seal.randomness import LeagueRandomness
from arena.organizer.seal.schedule import Schedule
from arena.organizer.seal.seal import judgement_of, keeps_owners_apart, reserve_names, seal_line
from arena.organizer.seal.sealed_file import SealChange, SealedFile
from arena.server.store.open_store import Store


@dataclass(frozen=True, slots=True)
class OpenLeague:
    """A sealed league with its file, randomness and ledger."""

    file: SealedLeague
    """The league as it was sealed and amended. The file on disk may have changed since then."""
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
        return replace(self, file=self.file.with_bots(bots))

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


async def open_league(file: LeagueFile, store: Store) -> OpenLeague:
    """Return a sealed league to view or amend. Raises RequestError if there is none."""
    return (await _open_with_file(file, store, ""))[1]


async def open_league_to_play(file: LeagueFile, store: Store, amending: str = "") -> OpenLeague:
    """Return a sealed league to play. Raises RequestError if there is none or it has changed.

    `amending` is the name of an entrant that is about to be added or replaced. The file may have it in addition to the
    sealed entrants, or otherwise than it was sealed. The names of local bots are reserved. Raises OptionError if an
    owner has such a name, or if the bot `amending` does not play the league's game.
    """
    sealed, league = await _open_with_file(file, store, amending)
    sealed.check_playable(league.changes)
    amended = {name: bot.program for name, bot in league.file.bots.items() if name == amending}
    check_declared_games(amended, league.file.terms.game.name)
    if not league.is_over:
        await reserve_names(league.active_bots, store)
    return league


async def open_sealed_league(row: LeagueRow, store: Store) -> OpenLeague:
    """Open a league for viewing from the store alone, without reading its file or its bots' files.

    Raises OptionsError if its rules or settings are no longer known.
    """
    ledger, randomness = await _read_ledger(row, store)
    sealed = SealedFile(read_sealed_text(row.text), row, ledger.acts)
    return _restore_league(sealed.restore(), row, randomness, ledger, None)


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


# ---- inside


async def _open_with_file(file: LeagueFile, store: Store, amending: str) -> tuple[SealedFile, OpenLeague]:
    row = await store.leagues.league(file.name)
    if row is None:
        raise RequestError(f"there is no league {file.name!r} in {store.folder.resolve()}: seal or run it first")
    ledger, randomness = await _read_ledger(row, store)
    sealed = SealedFile(file, row, ledger.acts, amending)
    changes = sealed.find_changes(randomness)
    return sealed, _restore_league(sealed.restore(), row, randomness, ledger, changes)


async def _read_ledger(row: LeagueRow, store: Store) -> tuple[Ledger, LeagueRandomness]:
    ledger = await read_ledger(row.name, store.leagues, time.time)
    entropy = next((act.values["text"] for act in ledger.acts if act.kind == ENTROPY), "")
    secret, binds_terms = read_secret(secret_path(store, row.league_id)), "receipt" in row.sealed
    return ledger, LeagueRandomness(row.league_id, secret, entropy, binds_terms)


def _restore_league(
    league: SealedLeague,
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
    field = replace(field, judgement=judgement_of(row))
    schedule = Schedule(league_format, field, ledger)
    dates = amended_dates(restore_dates(row.sealed.get("dates", ())), ledger.acts)
    compared = changes is not None
    return OpenLeague(league, row, randomness, ledger, league_format, schedule, changes or (), dates, compared)
