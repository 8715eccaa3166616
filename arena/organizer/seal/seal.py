"""The seal: one line to post before the first game, and the values whose hash is in that line.

    cheatarena league NAME: SHA-256 of the canonical JSON of everything below

Anyone with the line and the published values can verify that the line fixed rules, bots, field, schedule and deals.
"""

import hashlib
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from arena.bots.launch.programs import BotProgram, RemoteBot
from arena.bots.packages.bot_hash import has_content, newest_file_name
from arena.competition.league.model import Entrant
from arena.competition.league.ports import LeagueRow, LedgerEntry
from arena.errors import RequestError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.games.catalogue import games
from arena.match.referee.terms import describe_terms, terms_from_plain
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.seal.amendments import ADDED, REPLACED, departed_entrants
from arena.organizer.seal.bot_versions import known_entrants
from arena.organizer.seal.randomness import RECEIPT_FORM, LeagueRandomness
from arena.plain_data import canonical_json, from_plain, to_finite_plain, to_plain
from arena.typed_command import arena_command

SCHEDULE_FORM: Final = "schedule-v2"
"""The form of schedules that a league seals: `Field.keeps_owners_apart`. Older leagues name no form and keep theirs."""
_BOXED: Final = "boxed"
_PUT_BACK: Final = "put it back as it was"
_START_ANOTHER: Final = "start another league under another name"


@dataclass(frozen=True, slots=True)
class SealChange:
    """A difference between the league's present values and the values that were sealed or added later."""

    words: str
    bot: str = ""
    """The bot whose files or program have changed; empty if the change concerns the whole league."""


def sealed_values(
    league: LeagueFile,
    randomness: LeagueRandomness,
    format_values: Mapping[str, Any],
    dates: Sequence[Mapping[str, Any]],
    schedule_form: str = SCHEDULE_FORM,
) -> Mapping[str, Any]:
    """Return the values to seal: terms, format, the secret's hash, public entropy, entrants with file hashes.

    Only a league whose local bots all run in boxes says so. The values of a league sealed by release 0.1.0 name neither
    the form of receipts nor that of the schedule. `dates` are the values that `describe_dates` returns. A league
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
        "file": _hash(league.text),
        "entrants": [to_plain(each) for each in league.entrants],
        **receipt,
        **({"schedule": schedule_form} if schedule_form else {}),
        **({"dates": list(dates)} if dates else {}),
        **({_BOXED: True} if league.is_boxed else {}),
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


def find_seal_changes(
    league: LeagueFile, row: LeagueRow, randomness: LeagueRandomness, acts: Sequence[LedgerEntry]
) -> tuple[SealChange, ...]:
    """Return how bots and rules now differ from the sealed ones. A league with differences can still be viewed."""
    terms = league.terms
    if league.has_default_windows:  # the default may have been another one, or a remote bot may have joined since
        fixed_window = row.sealed["terms"]["pace"]["fixed_window"]
        terms = replace(terms, pace=replace(terms.pace, fixed_window=fixed_window))
    now = sealed_values(
        replace(league, text=row.text, terms=terms, is_boxed=bool(row.sealed.get(_BOXED))),
        randomness,
        row.sealed["format"],
        row.sealed.get("dates", ()),
        row.sealed.get("schedule", ""),
    )
    rules = _find_differences(now, row.sealed)
    return (*_find_entrant_changes(league, known_entrants(row.sealed["entrants"], acts)), *map(SealChange, rules))


def restore_sealed_file(league: LeagueFile, row: LeagueRow, acts: Sequence[LedgerEntry], amending: str) -> LeagueFile:
    """Return a league as it was sealed and amended. Later changes of its file have no effect.

    The entrant `amending` takes part as well, if the file has it. If the seal says that local bots run in boxes, that
    holds for bots that were added later too.
    """
    known = from_plain(known_entrants(row.sealed["entrants"], acts), list[Entrant])
    names = [each.name for each in known]
    entrants = (*known, *(each for each in league.entrants if each.name == amending and amending not in names))
    seats, is_boxed = row.sealed["seats"], bool(row.sealed.get(_BOXED))
    bots = {each.name: league.bots.get(each.name) or _stand_in_for(each) for each in entrants}
    return replace(
        league,
        is_boxed=is_boxed,
        seats=seats,
        terms=terms_from_plain({**row.sealed["terms"], "entrants": names[:seats]}, games()),
        decided_by=row.sealed["decided_by"],
        entrants=entrants,
        bots={name: _put_in_box(bot) for name, bot in bots.items()} if is_boxed else bots,
    )


def check_playable(
    league: LeagueFile, row: LeagueRow, changes: Sequence[SealChange], acts: Sequence[LedgerEntry], amending: str
) -> None:
    """Raise RequestError if anything except a departed bot, or the one to replace, differs from what was sealed.

    `amending` names an entrant that is about to be added or replaced. Raises OptionsError if an entrant that was
    neither sealed nor added has no program.
    """
    may_differ = {*departed_entrants(acts), amending} - {""}
    if relevant := [each for each in changes if each.bot not in may_differ]:
        words = "; ".join(each.words for each in relevant)
        raise RequestError(f"{words} since the league was sealed: {_remedies(relevant)}")
    known = {each["name"] for each in known_entrants(row.sealed["entrants"], acts)} | {amending}
    if len(league.missing) > len(known - {each.name for each in league.entrants} - {amending}):
        league.require_complete()
    if strangers := [each.name for each in league.entrants if each.name not in known]:
        raise RequestError(
            f"{', '.join(strangers)} stand in the file and take no part: add one at a time with"
            f" `{arena_command('league', 'amend')}`, or remove it from the file"
        )
    _check_text(league.text, row, acts, bool(amending))


def pin_submitted_bots(league: LeagueFile, row: LeagueRow, acts: Sequence[LedgerEntry], amending: str) -> LeagueFile:
    """Return a league with the sealed version of each submitted bot, whichever version is the active one now.

    That holds too if its owner has withdrawn it since, so that no owner can stop a league. The entrant `amending` gets
    the version that the file names. A version that is gone stays as it is in the file, so that it counts as changed.
    """
    if league.submitted is None:
        return league
    bots, pinned = dict(league.bots), dict[str, BotProgram]()
    for known in known_entrants(row.sealed["entrants"], acts):
        name, bot = known["name"], _find_bot_to_pin(league, known)
        sealed = league.submitted.find_content(bot, known["content"]) if bot and name != amending else None
        if sealed is not None:
            sealed = replace(sealed, environment={**sealed.environment, **league.environments[name]})
            bots[name], pinned[name] = replace(bots.get(name, BotEntrant(name, sealed)), program=sealed), sealed
    entrants = [
        replace(each, version=pinned[each.name].version, content=pinned[each.name].content)
        if each.name in pinned
        else each
        for each in league.entrants
    ]
    found = {name: absent for name, absent in league.absent.items() if name in pinned}
    entrants += [
        Entrant(name, absent.owner, pinned[name].version, pinned[name].content) for name, absent in found.items()
    ]
    missing = [fault for fault in league.missing if fault not in [absent.fault for absent in found.values()]]
    return replace(league, bots=bots, entrants=tuple(entrants), missing=tuple(missing))


# ---- inside


def _find_bot_to_pin(league: LeagueFile, known: Mapping[str, str]) -> str:
    """Return the bot of a sealed entrant if it was handed in, and the file has another version or none."""
    if (absent := league.absent.get(known["name"])) is not None:
        return absent.bot
    program = league.bots[known["name"]].program if known["name"] in league.bots else None
    is_other = isinstance(program, BotProgram) and program.is_submitted and program.content != known["content"]
    return program.name if is_other and program is not None else ""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _put_in_box(bot: BotEntrant) -> BotEntrant:
    if isinstance(bot.program, RemoteBot):
        return bot
    return replace(bot, program=replace(bot.program, is_boxed=True))


def _stand_in_for(entrant: Entrant) -> BotEntrant:
    """Return a bot that stands in for a missing one. An entrant without a content hash is remote."""
    program = BotProgram(entrant.name, (), Path(), files=()) if entrant.content else RemoteBot(entrant.name)
    return BotEntrant(entrant.name, program)


def _find_entrant_changes(league: LeagueFile, known: Iterable[Mapping[str, str]]) -> Iterator[SealChange]:
    """Yield each difference of the entrants from their sealed values."""
    here = {each.name: to_plain(each) for each in league.entrants}
    for before in known:
        name, now = before["name"], here.get(before["name"])
        if now is None and league.missing:
            yield SealChange(f"the program of {name} is gone", name)
        elif now is None:
            yield SealChange(f"{name} left the file")
        elif now["content"] != before["content"] and not _has_content(league, before):
            program = league.bots[name].program
            newest = newest_file_name(program) if isinstance(program, BotProgram) else ""
            yield SealChange(f"the files of {name}{newest and f' (last {newest})'} have changed", name)
        else:
            yield from (
                SealChange(f"{key} of {name} was {before[key]!r} and is {now[key]!r}")
                for key in ("owner", "version")
                if now[key] != before[key]
            )


def _has_content(league: LeagueFile, sealed: Mapping[str, str]) -> bool:
    program = league.bots[sealed["name"]].program
    return isinstance(program, BotProgram) and has_content(program, sealed["content"])


def _remedies(changes: Sequence[SealChange]) -> str:
    """Return what the organizer can do. A bot can be replaced or withdrawn if nothing but bots has changed."""
    bots = [each.bot for each in changes if each.bot]
    if len(bots) < len(changes):
        return f"{_PUT_BACK}, or {_START_ANOTHER}"
    replace, withdraw = (arena_command("league", "amend", "FILE", kind, bots[0]) for kind in ("replace", "withdraw"))
    return (
        f"{_PUT_BACK}, let the new version play from the next round on (`{replace}`), let it play no more"
        f" (`{withdraw}`), or {_START_ANOTHER}"
    )


def _find_differences(now: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[str]:
    """Yield each setting that differs, except the entrants. Settings within settings are compared one by one."""
    for key in dict.fromkeys((*before, *now)):
        old, new = before.get(key), now.get(key)
        if key == "entrants" or canonical_json([old]) == canonical_json([new]):
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from _find_differences(new, old)
        else:
            yield f"{key} was {_render_value(old)} and is {_render_value(new)}"


def _render_value(value: object) -> str:
    return "not given" if value is None else repr(value)


def _check_text(text: str, row: LeagueRow, acts: Sequence[LedgerEntry], is_amending: bool) -> None:
    """Raise RequestError if the file has changed by more than the added and replaced entrants."""
    now, sealed = (to_finite_plain(tomllib.loads(each)) for each in (text, row.text))  # times as people write them
    differing = list(_find_differences(now, sealed))
    texts = {_hash(row.text), *(_hash(each.values["file"]) for each in acts if each.kind in (ADDED, REPLACED))}
    if not differing and not is_amending and _hash(text) not in texts:
        differing = ["the file is written otherwise"]
    if differing:
        raise RequestError(f"{'; '.join(differing)} since the league was sealed: {_PUT_BACK}, or {_START_ANOTHER}")
