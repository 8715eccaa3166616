"""The seal: one line to post before the first game, and what it is a hash of.

    cheatarena league NAME: SHA-256 of the canonical JSON of everything below

Whoever has the line and the published values can tell that rules, bots, field, schedule and deals were fixed with it.
"""

import hashlib
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from arena.deal.encoding import canonical
from arena.errors import RequestError
from arena.hosting.amendments import ADDED
from arena.hosting.content import changed_last
from arena.hosting.league_file import LeagueFile
from arena.hosting.secret import Luck
from arena.launch.programs import BotProgram
from arena.league.model import Entrant
from arena.league.ports import Act, LeagueRow
from arena.match.terms import describe_terms

_WAYS_ON: Final = "put it back, use `arena league amend`, or start another league under another name"


def sealed_values(league: LeagueFile, luck: Luck, form: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is sealed: rules and pace, format and length, the secret's hash, every entrant's files."""
    terms = {key: value for key, value in describe_terms(league.terms).items() if key != "entrants"}
    return {
        "name": league.name,
        "league_id": luck.league_id,
        "secret_hash": luck.commitment,
        "terms": terms,
        "format": form,
        "seats": league.seats,
        "decided_by": league.decided_by,
        "file": _hash(league.text),
        "entrants": [_described(each) for each in league.entrants],
    }


def seal_line(values: Mapping[str, Any]) -> str:
    """The line to post."""
    return f"cheatarena league {values['name']}: {hashlib.sha256(canonical(values)).hexdigest()}"


def sealed_again(league: LeagueFile, row: LeagueRow, luck: Luck) -> Mapping[str, Any]:
    """What would be sealed today in the place of what was: whoever came later was not there yet."""
    first = {each["name"] for each in row.sealed["entrants"]}
    entrants = tuple(each for each in league.entrants if each.name in first)
    return sealed_values(replace(league, text=row.text, entrants=entrants), luck, row.sealed["format"])


def check_sealed(league: LeagueFile, row: LeagueRow, luck: Luck, acts: Sequence[Act], adding: str = "") -> None:
    """Refuse a league that is not what was sealed, or amended since; `adding`: who may be new. Raises RequestError."""
    added = [act.values for act in acts if act.kind == ADDED]
    changes = [
        *_changed_bots(league, [*row.sealed["entrants"], *added]),
        *_changed_rules(sealed_again(league, row, luck), row.sealed),
    ]
    if changes:
        raise RequestError(f"{'; '.join(changes)} since the league was sealed: {_WAYS_ON}")
    known = {each["name"] for each in (*row.sealed["entrants"], *added)} | {adding}
    strangers = [each.name for each in league.entrants if each.name not in known]
    if strangers:
        what = ", ".join(strangers)
        raise RequestError(f"{what} stand in the file and take no part: add one at a time with `arena league amend`")
    if adding:
        _check_addition(league, row)
    elif _hash(league.text) not in {row.sealed["file"], *(_hash(each["file"]) for each in added)}:
        raise RequestError(f"the league's file has changed since it was sealed: {_WAYS_ON}")


# ---- inside


def _described(entrant: Entrant) -> Mapping[str, str]:
    return {
        "name": entrant.name, "owner": entrant.owner, "version": entrant.version, "content": entrant.content,
    }  # fmt: skip


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _changed_bots(league: LeagueFile, known: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """Say what is no longer as it was with those who take part."""
    here = {each.name: _described(each) for each in league.entrants}
    before = {each["name"]: {key: each[key] for key in ("name", "owner", "version", "content")} for each in known}
    if gone := sorted(before.keys() - here.keys()):
        yield f"{', '.join(gone)} left the file"
    changed = [name for name in before if name in here and here[name] != before[name]]
    if files := [name for name in changed if here[name]["content"] != before[name]["content"]]:
        yield f"the files of {', '.join(_with_newest(name, league) for name in files)} have changed"
    if others := [name for name in changed if name not in files]:
        yield f"owner or version of {', '.join(others)} have changed"


def _with_newest(name: str, league: LeagueFile) -> str:
    program = league.players[name].program
    newest = changed_last(program) if isinstance(program, BotProgram) else ""
    return f"{name} (last {newest})" if newest else name


def _changed_rules(now: Mapping[str, Any], sealed: Mapping[str, Any]) -> Iterator[str]:
    keys = [key for key in sealed if key != "entrants" and canonical(now[key]) != canonical(sealed[key])]
    if keys:
        yield f"{', '.join(keys)} changed"


def _check_addition(league: LeagueFile, row: LeagueRow) -> None:
    """Raise RequestError where more has changed in the file than that somebody came."""
    now, before = tomllib.loads(league.text), tomllib.loads(row.text)
    differing = [key for key in now | before if key != "entrants" and now.get(key) != before.get(key)]
    if differing:
        raise RequestError(f"{', '.join(differing)} changed in the file with the new entrant: put them back")
