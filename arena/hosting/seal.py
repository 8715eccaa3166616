"""The seal: one line to post before the first game, and what it is a hash of.

    cheatarena league NAME: SHA-256 of the canonical JSON of everything below

Whoever has the line and the published values can tell that rules, bots, field, schedule and deals were fixed with it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from arena.deal.encoding import canonical
from arena.errors import RequestError
from arena.hosting.amendments import ADDED
from arena.hosting.league_file import LeagueFile
from arena.hosting.secret import Luck
from arena.league.ports import Act
from arena.match.terms import describe_terms


def sealed_values(league: LeagueFile, luck: Luck, form: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is sealed: rules and pace, format and length, the secret's hash, every entrant's files."""
    return {
        "name": league.name,
        "league_id": luck.league_id,
        "secret_hash": luck.commitment,
        **_rules(league),
        "format": form,
        "file": hashlib.sha256(league.text.encode()).hexdigest(),
        "entrants": [
            {"name": each.name, "owner": each.owner, "version": each.version, "content": each.content}
            for each in league.entrants
        ],
    }


def _rules(league: LeagueFile) -> dict[str, Any]:
    """What is played, and what decides."""
    terms = {key: value for key, value in describe_terms(league.terms).items() if key != "entrants"}
    return {"terms": terms, "seats": league.seats, "decided_by": league.decided_by}


def seal_line(values: Mapping[str, Any]) -> str:
    """The line to post."""
    return f"cheatarena league {values['name']}: {hashlib.sha256(canonical(values)).hexdigest()}"


def check_bots(league: LeagueFile, values: Mapping[str, Any], acts: Sequence[Act]) -> None:
    """Refuse a league whose bots are not those that were sealed, or added since, by name. Raises RequestError."""
    added = [act.values for act in acts if act.kind == ADDED]
    sealed = {each["name"]: each["content"] for each in (*values["entrants"], *added)}
    changed = [each.name for each in league.entrants if sealed.get(each.name, each.content) != each.content]
    if changed:
        raise RequestError(f"the files of {', '.join(changed)} have changed since the league was sealed")
    if gone := [name for name in sealed if name not in league.players]:
        raise RequestError(f"{', '.join(gone)} took part before: put them back into the file")


def check_rules(league: LeagueFile, values: Mapping[str, Any]) -> None:
    """Refuse a file that was changed for an amendment, if it says other rules than were sealed. Raises RequestError."""
    rules = _rules(league)
    changed = [key for key in rules if canonical(rules[key]) != canonical(values[key])]
    if changed:
        raise RequestError(f"{', '.join(changed)} have changed in the file since the league was sealed: put them back")


def check_file(league: LeagueFile, values: Mapping[str, Any], acts: Sequence[Act]) -> None:
    """Refuse a league whose file is not the one that was sealed, or amended since. Raises RequestError."""
    added = [act.values for act in acts if act.kind == ADDED]
    names = {each["name"] for each in (*values["entrants"], *added)}
    if strangers := [each.name for each in league.entrants if each.name not in names]:
        raise RequestError(f"{', '.join(strangers)} stand in the file and take no part: `arena league amend` adds them")
    known = {values["file"], *(hashlib.sha256(act["file"].encode()).hexdigest() for act in added)}
    if hashlib.sha256(league.text.encode()).hexdigest() not in known:
        raise RequestError(
            "the league's file has changed since it was sealed: put it back, use `arena league amend`, or start another"
            " league under another name"
        )
