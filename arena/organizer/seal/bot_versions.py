"""The versions of a league's bots: the sealed or added one, and one more for each time that a bot was replaced."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.competition.league.ports import LedgerEntry
from arena.organizer.seal.amendments import ADDED, REPLACED

VERSIONS_NOTE: Final = "its score and rating cover the games of all its versions"
"""The sentence for a bot that was replaced."""


@dataclass(frozen=True, slots=True)
class BotVersion:
    """One version of a bot."""

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
