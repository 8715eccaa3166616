"""The kinds of entries in a league's ledger, and what follows from them: field, dates, departures, versions of bots."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from arena.competition.league.field import Entry, Field
from arena.competition.league.model import RoundDate
from arena.competition.league.ports import VOID, LedgerEntry
from arena.organizer.file.league_file import LeagueFile, SealedLeague

ADDED: Final = "add"


CLOSED: Final = "closed"
"""The kind of the entry that closes a league: nothing is dealt after it, so the league's secret may be published."""


WITHDRAWN: Final = "withdraw"


DISQUALIFIED: Final = "disqualify"


EXTENDED: Final = "extend"


REPLACED: Final = "replace"


AMENDMENT_KINDS: Final = (VOID, ADDED, REPLACED, WITHDRAWN, DISQUALIFIED, EXTENDED)


def amended_field(
    league: LeagueFile | SealedLeague,
    acts: Sequence[LedgerEntry],
    seed: bytes,
    sealed: Collection[str] | None = None,
    keeps_owners_apart: bool = True,
) -> Field:
    """Return the entrants with their rounds. `sealed` names the original entrants; None means all in the league."""
    since = {act.values["name"]: int(act.values["round"]) for act in acts if act.kind == ADDED}
    barred = {act.values["name"]: int(act.values["round"]) for act in acts if act.kind == DISQUALIFIED}
    withdrawn = {act.values["name"]: int(act.values["round"]) for act in acts if act.kind == WITHDRAWN}
    until = {**barred, **withdrawn}
    entries = (
        Entry(each, since.get(each.name, 1), until.get(each.name), barred.get(each.name))
        for each in league.entrants
        if sealed is None or each.name in sealed or each.name in since
    )
    return Field(tuple(entries), league.seats, seed, keeps_owners_apart)


def departed_entrants(acts: Sequence[LedgerEntry]) -> dict[str, str]:
    """Return the name of each departed entrant, with the reason why it plays no more."""
    return {
        act.values["name"]: f"{act.kind}: {act.values['reason']}"
        for act in acts
        if act.kind in (WITHDRAWN, DISQUALIFIED)
    }


def disqualified_names(acts: Sequence[LedgerEntry]) -> frozenset[str]:
    """Return the names that have no place in the standings."""
    return frozenset(act.values["name"] for act in acts if act.kind == DISQUALIFIED)


def is_closed(acts: Sequence[LedgerEntry]) -> bool:
    """Return whether the league is closed, so that nothing more is dealt."""
    return any(act.kind == CLOSED for act in acts)


def amended_dates(dates: Sequence[RoundDate], acts: Sequence[LedgerEntry]) -> tuple[RoundDate, ...]:
    """Return the sealed dates of a league. A date that the organizer has extended has its latest close."""
    closes = {act.values["round"]: datetime.fromisoformat(act.values["closes"]) for act in acts if act.kind == EXTENDED}
    return tuple(
        replace(
            date, closes=max([date.closes, *(each.timestamp() for number, each in closes.items() if date.has(number))])
        )
        for date in dates
    )


VERSIONS_NOTE: Final = "its score and rating cover the games of all its versions"
"""The sentence for a bot that was replaced."""


@dataclass(frozen=True, slots=True)
class BotVersion:
    since: int
    """The first round that this version plays."""
    content: str
    """The hash of the version's files."""


def known_entrants(sealed: Sequence[Mapping[str, Any]], acts: Sequence[LedgerEntry]) -> list[Mapping[str, Any]]:
    """Return the values of the entrants that were sealed or added, each with its latest version."""
    known = {each["name"]: each for each in (*sealed, *(act.values for act in acts if act.kind == ADDED))}
    for act in acts:
        if act.kind == REPLACED:
            new = {key: act.values[key] for key in ("version", "content")}
            known[act.values["name"]] = {**known[act.values["name"]], **new}
    return list(known.values())


def find_replaced_bots(
    sealed: Sequence[Mapping[str, Any]], acts: Sequence[LedgerEntry]
) -> Mapping[str, Sequence[BotVersion]]:
    """Return all versions of each bot that was replaced, the oldest first."""
    first = {each["name"]: BotVersion(1, each["content"]) for each in sealed}
    first |= {
        act.values["name"]: BotVersion(int(act.values["round"]), act.values["content"])
        for act in acts
        if act.kind == ADDED
    }
    found: dict[str, list[BotVersion]] = {}
    for act in acts:
        if act.kind == REPLACED:
            versions = found.setdefault(act.values["name"], [first[act.values["name"]]])
            versions.append(BotVersion(int(act.values["round"]), act.values["content"]))
    return found


def describe_versions(versions: Sequence[BotVersion]) -> str:
    """Return which version of a bot played from which round on, with the hash of each version's files."""
    return "; ".join(
        f"version {number} since round {each.since} ({each.content})" for number, each in enumerate(versions, 1)
    )


ENTROPY = "entropy"
"""The kind of the ledger entry that mixes in public entropy."""


ABSENT: Final = "absent"
"""The kind of the ledger entry for bots that forfeit the tables of a block because they were absent."""
