"""The organizer's amendments to a running league: ledger entries with a reason, which cannot be undone.

    void GAME          the whole block of the game no longer counts, and is played again with a new deal
    add ENTRANT        the entrant takes part from the next round on, if the format allows it
    replace NAME       a new version of the entrant's bot plays from the next round on
    withdraw NAME      the entrant plays no more: formats that wait for results do not seat it, in others it forfeits
    disqualify NAME    the same, and the entrant has no place in the standings
    extend ROUND       the date of the round closes later

The league has to be stopped while it is amended. `resume` continues the league with the amendments.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from arena.competition.formats.port import Format
from arena.competition.league.field import Entry, Field
from arena.competition.league.model import PLAY_OFF, Entrant, RoundDate
from arena.competition.league.ports import LedgerEntry
from arena.errors import OptionError, RequestError, UnknownNameError
from arena.names import fold_look_alikes
from arena.organizer.file.league_dates import format_utc, why_not_close
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.seal.ledger import Ledger, block_from_row
from arena.organizer.seal.ledger_entries import (
    ADDED,
    AMENDMENT_KINDS,
    DISQUALIFIED,
    EXTENDED,
    REPLACED,
    WITHDRAWN,
    departed_entrants,
    disqualified_names,
    is_closed,
)
from arena.organizer.seal.schedule import Schedule
from arena.typed_command import arena_command


class LeagueAmender:
    def __init__(
        self,
        file: LeagueFile,
        league_format: Format,
        field: Field,
        ledger: Ledger,
        dates: Sequence[RoundDate] = (),
    ) -> None:
        """`dates` are the dates of the league, as amended so far."""
        self._dates = dates
        self._file = file
        self._format = league_format
        self._field = field
        self._ledger = ledger

    async def amend(self, kind: str, what: str, reason: str, until: datetime | None = None) -> LedgerEntry:
        """Add an amendment to the ledger and return it. Raises RequestError, OptionError or UnknownNameError.

        `until` is the new close of an extended round.
        """
        if not reason.strip():
            raise OptionError("reason", reason, "say why: the report shows the reason")
        if kind != DISQUALIFIED and is_closed(self._ledger.acts):
            raise RequestError("the league is closed and its secret is published: no more games are played with it")
        match kind:
            case "void":
                return await self._void(what, reason)
            case "extend":
                return await self._extend(what, reason, until)
            case "add":
                return await self._add(what, reason)
            case "replace":
                return await self._replace(what, reason)
            case "withdraw" | "disqualify":
                return await self._dismiss(kind, what, reason)
            case _:
                raise UnknownNameError("amendment", kind, AMENDMENT_KINDS)

    async def _void(self, match_id: str, reason: str) -> LedgerEntry:
        found = [row for row in self._ledger.rows if any(each.startswith(match_id.upper()) for each in row.matches)]
        if not match_id or not found:
            raise UnknownNameError("game", match_id)
        if len(found) > 1:
            raise RequestError(f"several games begin with {match_id!r}: give more letters of the id")
        (row,) = found
        if not self._ledger.is_current(row):
            raise RequestError(f"the block of game {match_id} is void already")
        later = range(row.round + 1, self._ledger.last_round + 1)
        if any(self._format.depends_on_results(number, self._field) for number in later):
            raise RequestError(f"round {row.round} cannot be played again: a later round was drawn from its results")
        since = {act.values["name"]: int(act.values["round"]) for act in self._ledger.acts if act.kind == REPLACED}
        if newer := [name for name in block_from_row(row).names if row.round < since.get(name, 0)]:
            raise RequestError(
                f"round {row.round} cannot be played again: {newer[0]} was replaced by a new version after it"
            )
        return await self._ledger.void_attempt(row, reason)

    async def _extend(self, number: str, reason: str, until: datetime | None) -> LedgerEntry:
        date = next((each for each in self._dates if number.isdecimal() and each.has(int(number))), None)
        if date is None:
            known = [str(each.first) for each in self._dates]
            raise UnknownNameError("round with a date", number, known)
        if until is None:
            raise OptionError("until", until, "say when the round closes instead")
        if reason_against := why_not_close(date, until.timestamp()):
            raise OptionError("until", format_utc(until.timestamp()), reason_against)
        values = {"round": int(number), "closes": until.isoformat(), "reason": reason}
        return await self._ledger.add_entry(EXTENDED, values)

    async def _add(self, name: str, reason: str) -> LedgerEntry:
        entrant = next((each for each in self._file.entrants if each.name == name), None)
        if entrant is None:
            raise UnknownNameError("entrant", name, [each.name for each in self._file.entrants])
        if name in self._field.names():
            raise RequestError(f"{name} already takes part")
        look_alikes = [each for each in self._field.names() if fold_look_alikes(each) == fold_look_alikes(name)]
        if look_alikes:
            raise OptionError("name", name, f"it looks like {look_alikes[0]!r}, which is another entrant")
        entry = Entry(entrant, self._ledger.last_round + 1)
        refusal = self._format.why_cannot_join(self._field, entry)
        if refusal is not None:
            raise refusal
        joined = replace(self._field, entries=(*self._field.entries, entry))
        if not Schedule(self._format, joined, self._ledger).has_round(entry.since):
            raise RequestError(f"{name} comes too late: all rounds have begun; take it out of the file again")
        values = {"name": name, "owner": entrant.owner, "version": entrant.version, "content": entrant.content}
        values |= {"round": str(entry.since), "file": self._file.text, "reason": reason}
        return await self._ledger.add_entry(ADDED, values)

    async def _replace(self, name: str, reason: str) -> LedgerEntry:
        if name not in self._field.names():
            raise UnknownNameError("entrant", name, self._field.names())
        if name in departed_entrants(self._ledger.acts):
            raise RequestError(f"{name} has left the league, and plays no more games")
        before = next(each.entrant for each in self._field.entries if each.entrant.name == name)
        now = next(each for each in self._file.entrants if each.name == name)
        _check_new_version(before, now)
        since = self._next_round()
        values = {"name": name, "owner": now.owner, "version": now.version, "content": now.content}
        values |= {"round": str(since), "file": self._file.text, "reason": reason}
        return await self._ledger.add_entry(REPLACED, values)

    def _next_round(self) -> int:
        """Return the round that a new version plays first. Raises RequestError unless one can begin with it."""
        schedule, since = Schedule(self._format, self._field, self._ledger), self._ledger.last_round + 1
        blocks = schedule.known_blocks(since)
        if schedule.is_over or (blocks is not None and not blocks):
            raise RequestError("all rounds have begun or are over: a new version would play no game")
        if (unfinished := schedule.find_unfinished_round()) is not None:
            finish = arena_command("league", "resume", "FILE", "--finish-rounds")
            raise RequestError(
                f"round {unfinished} has begun and is not finished: put the bot back as it was, let the sealed version"
                f" finish the rounds that have begun with `{finish}`, and replace it then"
            )
        if any(block.label == PLAY_OFF for block in blocks or ()):
            raise RequestError("only the play-off is left, and the versions that reached it play it")
        return since

    async def _dismiss(self, kind: str, name: str, reason: str) -> LedgerEntry:
        if name not in self._field.names():
            raise UnknownNameError("entrant", name, self._field.names())
        acts = self._ledger.acts
        if name in (departed_entrants(acts) if kind == WITHDRAWN else disqualified_names(acts)):
            raise RequestError(f"{name} has already left")
        if kind == WITHDRAWN and Schedule(self._format, self._field, self._ledger).is_over:
            raise RequestError(
                f"the league is over: {name} has played all its games; `disqualify` takes its place away"
            )
        return await self._ledger.add_entry(kind, {"name": name, "round": self._ledger.last_round, "reason": reason})


def _check_new_version(before: Entrant, now: Entrant) -> None:
    """Raise RequestError unless an entrant of the file is a new version of the one that has played so far."""
    name = now.name
    if not before.content or not now.content:
        raise RequestError(
            f"{name} dials in, before or after the change, and nobody here can tell which program dials in: only a bot"
            " that the arena starts can be replaced"
        )
    if now.owner != before.owner:
        raise RequestError(f"owner of {name} was {before.owner!r} and is {now.owner!r}: a new version keeps its owner")
    if now.content == before.content:
        raise RequestError(f"{name} is as before: change its files or its entry in the league file first")
