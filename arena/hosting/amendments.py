"""What an organizer decides while a league is under way: lines of its ledger, each with a reason, none ever taken back.

    void GAME          its whole block counts no more and is played again with a fresh deal
    add ENTRANT        takes part from the next round on, if the format takes it
    withdraw NAME      plays no more: formats that wait seat it no more, in others it forfeits what is left
    disqualify NAME    the same, and it has no place in the standings

The league has to be stopped meanwhile; `resume` goes on by what was decided.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from arena.errors import OptionError, RequestError, UnknownNameError
from arena.hosting.league_file import LeagueFile
from arena.hosting.ledger import Ledger
from arena.league.field import Entry, Field
from arena.league.formats.port import Format
from arena.league.ports import VOID, Act

ADDED: Final = "add"
CLOSED: Final = "closed"
"""The act behind which nothing is dealt any more: the secret of all deals may be told."""
WITHDRAWN: Final = "withdraw"
DISQUALIFIED: Final = "disqualify"
KINDS: Final = (VOID, ADDED, WITHDRAWN, DISQUALIFIED)


def amended_field(file: LeagueFile, acts: Sequence[Act], seed: bytes) -> Field:
    """Everybody who takes part, and in which rounds."""
    since = {act.values["name"]: int(act.values["round"]) for act in acts if act.kind == ADDED}
    until = {act.values["name"]: int(act.values["round"]) for act in acts if act.kind in (WITHDRAWN, DISQUALIFIED)}
    entries = (Entry(each, since.get(each.name, 1), until.get(each.name)) for each in file.entrants)
    return Field(tuple(entries), file.seats, seed)


def who_has_left(acts: Sequence[Act]) -> dict[str, str]:
    """Who plays no more, by name, and why."""
    return {
        act.values["name"]: f"{act.kind}: {act.values['reason']}"
        for act in acts
        if act.kind in (WITHDRAWN, DISQUALIFIED)
    }


def disqualified(acts: Sequence[Act]) -> frozenset[str]:
    """Who has no place in the standings."""
    return frozenset(act.values["name"] for act in acts if act.kind == DISQUALIFIED)


def is_closed(acts: Sequence[Act]) -> bool:
    """Whether nothing is dealt any more."""
    return any(act.kind == CLOSED for act in acts)


class Amending:
    """One league that is to be amended."""

    def __init__(self, file: LeagueFile, form: Format, field: Field, ledger: Ledger) -> None:
        self._file = file
        self._form = form
        self._field = field
        self._ledger = ledger

    async def amend(self, kind: str, what: str, reason: str) -> Act:
        """Decide something. Raises RequestError where that cannot be, saying why."""
        if not reason.strip():
            raise OptionError("reason", reason, "say why: it stands in the report")
        if kind in (VOID, ADDED) and is_closed(self._ledger.acts):
            raise RequestError("the league is closed and its secret told: no new deal can follow from it")
        match kind:
            case "void":
                return await self._void(what, reason)
            case "add":
                return await self._add(what, reason)
            case "withdraw" | "disqualify":
                return await self._dismiss(kind, what, reason)
            case _:
                raise UnknownNameError("amendment", kind, KINDS)

    @property
    def _round(self) -> int:
        """The latest round of which anything has begun; 0 before the first."""
        return max((row.round for row in self._ledger.rows), default=0)

    async def _void(self, match_id: str, reason: str) -> Act:
        found = [row for row in self._ledger.rows if any(each.startswith(match_id.upper()) for each in row.matches)]
        if not match_id or len(found) != 1:
            raise UnknownNameError("game", match_id)
        (row,) = found
        if not self._ledger.is_current(row):
            raise RequestError(f"the block of game {match_id} was void before")
        if self._form.waits and row.round < self._round:
            raise RequestError(f"round {row.round} cannot be played again: the rounds after it were drawn from it")
        return await self._ledger.void(row, reason)

    async def _add(self, name: str, reason: str) -> Act:
        entrant = next((each for each in self._file.entrants if each.name == name), None)
        if entrant is None:
            raise UnknownNameError("entrant", name, [each.name for each in self._file.entrants])
        entry = Entry(entrant, self._round + 1)
        others = replace(self._field, entries=tuple(each for each in self._field.entries if each.name != name))
        refusal = self._form.why_not_late(others, entry)
        if refusal is not None:
            raise refusal
        values = {"name": name, "owner": entrant.owner, "version": entrant.version, "content": entrant.content}
        values |= {"round": str(entry.since), "file": self._file.text, "reason": reason}
        return await self._ledger.act(ADDED, values)

    async def _dismiss(self, kind: str, name: str, reason: str) -> Act:
        known = [each.name for each in self._file.entrants]
        if name not in known:
            raise UnknownNameError("entrant", name, known)
        if name in who_has_left(self._ledger.acts) and kind == WITHDRAWN:
            raise RequestError(f"{name} has left before")
        return await self._ledger.act(kind, {"name": name, "round": self._round, "reason": reason})
