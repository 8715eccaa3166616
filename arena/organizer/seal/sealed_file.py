"""The file of a sealed league, read again: what has changed since, whether it may be played, and what is played."""

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
from arena.match.referee.terms import terms_from_plain
from arena.organizer.file.league_file import LeagueFile, SealedLeague
from arena.organizer.seal.ledger_entries import ADDED, REPLACED, departed_entrants, known_entrants
from arena.organizer.seal.randomness import LeagueRandomness
from arena.organizer.seal.seal import BOXED, sealed_values
from arena.plain_data import canonical_json, from_plain, to_finite_plain, to_plain
from arena.typed_command import arena_command

_PUT_BACK: Final = "put it back as it was"
_START_ANOTHER: Final = "start another league under another name"


@dataclass(frozen=True, slots=True)
class SealChange:
    """A difference between the league's present values and the values that were sealed or added later."""

    words: str
    bot: str = ""
    """The bot whose files or program have changed; empty if the change concerns the whole league."""


class SealedFile:
    """The file of a sealed league as it is now, beside what was sealed and what the ledger has added.

    Submitted bots have their sealed versions from the start, whichever version is the active one now. That holds too if
    an owner has withdrawn it since, so that no owner can stop a league. A version that is gone stays as it is in the
    file, so that it counts as changed. Then `find_changes` compares, `check_playable` refuses what has changed, and
    `restore` returns the league to play or to view.
    """

    def __init__(self, file: LeagueFile, row: LeagueRow, acts: Sequence[LedgerEntry], amending: str = "") -> None:
        """`amending` names an entrant that is about to be added or replaced: it is taken from the file as it is."""
        self._row = row
        self._acts = acts
        self._amending = amending
        self._known = known_entrants(row.sealed["entrants"], acts)
        self._given = file
        self._file = self._pin_submitted_bots()

    def find_changes(self, randomness: LeagueRandomness) -> tuple[SealChange, ...]:
        """Return how bots and rules now differ from the sealed ones. A league with differences can still be viewed."""
        file, sealed = self._file, self._row.sealed
        terms = file.terms
        if file.has_default_windows:  # the default may have been another one, or a remote bot may have joined since
            terms = replace(terms, pace=replace(terms.pace, fixed_window=sealed["terms"]["pace"]["fixed_window"]))
        now = sealed_values(
            replace(file, text=self._row.text, terms=terms, is_boxed=bool(sealed.get(BOXED))),
            randomness,
            sealed["format"],
            sealed.get("dates", ()),
            sealed.get("schedule", ""),
            sealed.get("judgement", ""),
        )
        rules = _find_differences(now, sealed)
        return (*_find_entrant_changes(file, self._known), *map(SealChange, rules))

    def check_playable(self, changes: Sequence[SealChange]) -> None:
        """Raise RequestError if anything except a departed bot, or the one to amend, differs from what was sealed.

        `changes` are those of `find_changes`. Raises OptionsError if an entrant that was neither sealed nor added has
        no program.
        """
        may_differ = {*departed_entrants(self._acts), self._amending} - {""}
        if relevant := [each for each in changes if each.bot not in may_differ]:
            words = "; ".join(each.words for each in relevant)
            raise RequestError(f"{words} since the league was sealed: {_remedies(relevant)}")
        known, names = {each["name"] for each in self._known}, [each.name for each in self._given.entrants]
        if len(self._given.missing) > len(known - {*names} - {self._amending}):
            self._given.require_complete()
        if strangers := [name for name in names if name not in {*known, self._amending}]:
            raise RequestError(
                f"{', '.join(strangers)} stand in the file and take no part: add one at a time with"
                f" `{arena_command('league', 'amend')}`, or remove it from the file"
            )
        self._check_text()

    def restore(self) -> SealedLeague:
        """Return the league as it was sealed and amended, with the entrant to amend if the file has it.

        If the seal says that local bots run in boxes, that holds for bots that were added later too.
        """
        file, sealed = self._file, self._row.sealed
        known = from_plain(self._known, list[Entrant])
        names = [each.name for each in known]
        amending = (each for each in file.entrants if each.name == self._amending and each.name not in names)
        entrants = (*known, *amending)
        seats, is_boxed = sealed["seats"], bool(sealed.get(BOXED))
        bots = {each.name: file.bots.get(each.name) or _stand_in_for(each) for each in entrants}
        return SealedLeague(
            name=file.name,
            seats=seats,
            terms=terms_from_plain({**sealed["terms"], "entrants": names[:seats]}, games()),
            decided_by=sealed["decided_by"],
            entrants=entrants,
            bots={name: _put_in_box(bot) for name, bot in bots.items()} if is_boxed else bots,
            is_boxed=is_boxed,
        )

    # ---- inside

    def _pin_submitted_bots(self) -> LeagueFile:
        """Return the file with the sealed version of each submitted bot, except the one to amend."""
        file = self._given
        if file.submitted is None:
            return file
        bots, pinned = dict(file.bots), dict[str, BotProgram]()
        for known in self._known:
            name, bot = known["name"], _find_bot_to_pin(file, known)
            sealed = file.submitted.find_content(bot, known["content"]) if bot and name != self._amending else None
            if sealed is not None:
                sealed = replace(sealed, environment={**sealed.environment, **file.environments[name]})
                bots[name], pinned[name] = replace(bots.get(name, BotEntrant(name, sealed)), program=sealed), sealed
        entrants = [
            replace(each, version=pinned[each.name].version, content=pinned[each.name].content)
            if each.name in pinned
            else each
            for each in file.entrants
        ]
        found = {name: absent for name, absent in file.absent.items() if name in pinned}
        entrants += [
            Entrant(name, absent.owner, pinned[name].version, pinned[name].content) for name, absent in found.items()
        ]
        missing = [fault for fault in file.missing if fault not in [absent.fault for absent in found.values()]]
        return replace(file, bots=bots, entrants=tuple(entrants), missing=tuple(missing))

    def _check_text(self) -> None:
        """Raise RequestError if the file has changed by more than the added and replaced entrants."""
        texts = self._given.text, self._row.text
        now, sealed = (to_finite_plain(tomllib.loads(each)) for each in texts)  # times as people write them
        differing = list(_find_differences(now, sealed))
        known = {self._row.text, *(each.values["file"] for each in self._acts if each.kind in (ADDED, REPLACED))}
        if not differing and not self._amending and self._given.text not in known:
            differing = ["the file is written otherwise"]
        if differing:
            raise RequestError(f"{'; '.join(differing)} since the league was sealed: {_PUT_BACK}, or {_START_ANOTHER}")


def _find_bot_to_pin(league: LeagueFile, known: Mapping[str, str]) -> str:
    """Return the bot of a sealed entrant if it was submitted, and the file has another version or none."""
    if (absent := league.absent.get(known["name"])) is not None:
        return absent.bot
    program = league.bots[known["name"]].program if known["name"] in league.bots else None
    is_other = isinstance(program, BotProgram) and program.is_submitted and program.content != known["content"]
    return program.name if is_other and program is not None else ""


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
    """Return the organizer's choices. A bot can be replaced or withdrawn if only bots have changed."""
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
