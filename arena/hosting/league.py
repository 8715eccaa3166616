"""A league that is open: its file, its luck, its ledger, and playing it on nodes."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from arena.app import new_match_id
from arena.deal.stream import new_seed
from arena.errors import RequestError
from arena.hosting.amendments import amended_field
from arena.hosting.bench import Bench
from arena.hosting.conductor import Conductor
from arena.hosting.forms import check_form, form_of
from arena.hosting.league_file import LeagueFile
from arena.hosting.ledger import Ledger, read_ledger
from arena.hosting.lengths import chosen_form, settings_of
from arena.hosting.schedule import Schedule
from arena.hosting.seal import check_bots, check_file, check_rules, seal_line, sealed_values
from arena.hosting.secret import Luck, keep_secret, kept_secret
from arena.hosting.tables import Tables
from arena.league.formats.port import Format
from arena.league.model import PLAY_OFF
from arena.league.ports import LeagueRow
from arena.runner.runner import Runner
from arena.store.opening import Store

MOST_TABLES = 4
"""Of a block, where the file says nothing."""
ENTROPY = "entropy"
"""The act that public entropy was mixed in with."""


@dataclass(frozen=True, slots=True)
class OpenLeague:
    """A sealed league with all that is known of it."""

    file: LeagueFile
    row: LeagueRow
    luck: Luck
    ledger: Ledger
    form: Format
    schedule: Schedule

    @property
    def seal(self) -> str:
        """The line that was posted, or could have been."""
        return seal_line(self.row.sealed)

    @property
    def planned(self) -> int | None:
        """Games that it has in all, as far as that is known; a play-off counts from when it begins."""
        size = self.form.size(self.schedule.field)
        has_play_off = any(row.label == PLAY_OFF for row in self.ledger.rows)
        return None if size.games is None else size.games + size.play_off * has_play_off


def new_luck() -> Luck:
    """Luck of the operating system."""
    return Luck(new_match_id(), new_seed(os.urandom))


async def seal_league(file: LeagueFile, store: Store, luck: Luck, rate: float | None = None) -> LeagueRow:
    """Seal a league: from now on rules, bots and luck are fixed. Raises StoreError, OptionsError.

    `rate`: games a second, where the file names a budget.
    """
    field = amended_field(file, (), luck.schedule_seed)
    form, _ = chosen_form(file, field, rate)
    check_form(form, field)
    values = sealed_values(file, luck, {"name": form.name, **settings_of(form)})
    keep_secret(_secret_path(store, file.name), luck.secret)
    row = LeagueRow(file.name, luck.league_id, time.time(), file.text, values)
    await store.leagues.add_league(row)
    return row


async def open_league(file: LeagueFile, store: Store, is_amended: bool = False) -> OpenLeague:
    """Open a league that was sealed. Raises RequestError where there is none, or what was sealed has changed.

    `is_amended`: the file may have an entrant more, which is about to be added.
    """
    row = await store.leagues.league(file.name)
    if row is None:
        raise RequestError(f"there is no league {file.name!r} in {store.folder}: seal or run it first")
    ledger = await read_ledger(file.name, store.leagues, time.time)
    check_bots(file, row.sealed, ledger.acts)
    if is_amended:
        check_rules(file, row.sealed)
    else:
        check_file(file, row.sealed, ledger.acts)
    entropy = next((act.values["text"] for act in ledger.acts if act.kind == ENTROPY), "")
    luck = Luck(row.league_id, kept_secret(_secret_path(store, file.name)), entropy)
    settings = dict(row.sealed["format"])
    form = form_of(settings.pop("name"), settings, row.sealed["decided_by"])
    sealed = [each["name"] for each in row.sealed["entrants"]]
    field = amended_field(file, ledger.acts, luck.schedule_seed, sealed)
    return OpenLeague(file, row, luck, ledger, form, Schedule(form, field, ledger))


def conductor_of(league: OpenLeague, runner: Runner, most_processes: int) -> Conductor:
    """Give the conductor of a league on these nodes; `most_processes` of bots in all."""
    tables = Tables(league.file, league.luck, league.ledger, runner.store, runner.signer)
    conductor = Conductor(league.schedule, league.ledger, tables, new_match_id, league.file.seats)
    at_one_block = league.file.seats * int(league.file.settings.get("tables", MOST_TABLES))
    most = max(most_processes // max(1, len(runner.nodes)), min(len(league.file.players), at_one_block))
    players = league.file.players
    conductor.benches = [Bench(node, players, league.file.terms, most, conductor.crashed) for node in runner.nodes]
    return conductor


def _secret_path(store: Store, name: str) -> Path:
    return store.folder / "leagues" / f"{name}.secret"
