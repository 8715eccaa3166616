"""The seal: one line to post before the first game, and the values whose hash is in that line.

    cheatarena league NAME: SHA-256 of the canonical JSON of everything below

Anyone with the line and the published values can verify that the line fixed rules, bots, field, schedule and deals.
"""

import hashlib
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from arena.bots.launch.program_sets import check_declared_games
from arena.bots.launch.programs import BotProgram, RemoteBot
from arena.bots.packages.bot_hash import is_bot_file, iter_files
from arena.competition.league.judgement import Judgement
from arena.competition.league.ports import LeagueRow
from arena.errors import OptionError, RequestError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.match.referee.terms import describe_terms
from arena.organizer.file.league_dates import assign_rounds, check_dates_ahead, describe_dates
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_format import check_format, choose_format, format_settings
from arena.organizer.seal.league_files import secret_path, write_secret
from arena.organizer.seal.ledger_entries import (
    amended_field,
)
from arena.organizer.seal.randomness import RECEIPT_FORM, LeagueRandomness
from arena.plain_data import canonical_json, to_plain
from arena.server.store.open_store import Store

SCHEDULE_FORM: Final = "schedule-v2"
"""The form of schedules that a league seals: `Field.keeps_owners_apart`. Older leagues name no form and keep theirs."""
JUDGEMENT_FORM: Final = "judgement-v2"
"""The form of judgement that a league seals: `Field.judgement`. Older leagues name no form and keep theirs."""
BOXED: Final = "boxed"


def sealed_values(
    league: LeagueFile,
    randomness: LeagueRandomness,
    format_values: Mapping[str, Any],
    dates: Sequence[Mapping[str, Any]],
    schedule_form: str = SCHEDULE_FORM,
    judgement_form: str = JUDGEMENT_FORM,
) -> Mapping[str, Any]:
    """Return the values to seal: terms, format, the secret's hash, public entropy, entrants with file hashes.

    Only a league whose local bots all run in boxes says so. The values of older leagues do not name the forms of
    receipts, schedule or judgement. `dates` are the values that `describe_dates` returns. A league
    without dates seals no dates.
    """
    receipt = {"receipt": RECEIPT_FORM} if randomness.binds_terms else {}
    terms = {key: value for key, value in describe_terms(league.terms).items() if key != "entrants"}
    return {
        "name": league.name,
        "league_id": randomness.league_id,
        "secret_hash": randomness.commitment,
        "terms": terms,
        "format": format_values,
        "seats": league.seats,
        "decided_by": league.decided_by,
        "public_entropy": league.public_entropy,
        "file": hashlib.sha256(league.text.encode()).hexdigest(),
        "entrants": [to_plain(each) for each in league.entrants],
        **receipt,
        **({"schedule": schedule_form} if schedule_form else {}),
        **({"judgement": judgement_form} if judgement_form else {}),
        **({"dates": list(dates)} if dates else {}),
        **({BOXED: True} if league.is_boxed else {}),
    }


def seal_line(values: Mapping[str, Any]) -> str:
    """Return the line to post."""
    return f"cheatarena league {values['name']}: {hashlib.sha256(canonical_json(values)).hexdigest()}"


def keeps_owners_apart(row: LeagueRow) -> bool:
    """Return whether the sealed schedule keeps owners apart. Raises RequestError if its form is unknown."""
    form = row.sealed.get("schedule", "")
    if form not in ("", SCHEDULE_FORM):
        raise RequestError(f"the league {row.name!r} has a schedule of the form {form!r}, which a newer release draws")
    return bool(form)


def judgement_of(row: LeagueRow) -> Judgement:
    """Return how the results of a league are judged. Raises RequestError if the form of its judgement is unknown.

    A comparison seals no form, because its test decides.
    """
    form = row.sealed.get("judgement", "")
    if form not in ("", JUDGEMENT_FORM):
        raise RequestError(f"the league {row.name!r} has a judgement of the form {form!r}, which a newer release knows")
    return Judgement.NEW if form else Judgement.OLD


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
    await reserve_names(file.bots.values(), store)
    await store.leagues.add_league(row)
    return row


async def reserve_names(bots: Iterable[BotEntrant], store: Store) -> None:
    """Reserve the names of local bots, except those that owners submitted. Raises OptionError if an owner has one."""
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
