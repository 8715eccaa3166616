"""Reads a roster: a CSV file of people, which becomes owners of bots with the mails at which to reach them.

    mail,name,group
    ann@example.org,Ann,
    bob@example.org,Bob,The Bluffers
    eve@example.org,Eve,The Bluffers

The people of a group share one owner, which has the group's name. Anybody else is an owner named by `name`, or without
one by the part of the mail before the @. Commas, semicolons and tabs may separate the columns; other columns do not
count.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from arena.errors import NotationError, OptionError, OptionsError, quote

MAIL: Final = "mail"
NAME: Final = "name"
GROUP: Final = "group"
MOST_LINES: Final = 5_000
_MAIL_PATTERN: Final = re.compile(r"[^\s@<>()\[\],;:\"\\]{1,64}@[^\s@<>()\[\],;:\"\\]{1,190}")


@dataclass(frozen=True, slots=True)
class Enrolment:
    """An owner of a roster, who is one person or a group."""

    owner: str
    mails: tuple[str, ...]
    line: int
    """The line of the first of them, from 1."""
    is_group: bool = False

    def refuse(self, why: str) -> "RosterError":
        """Return the fault of the owner's name."""
        return RosterError(self.line, GROUP if self.is_group else NAME, self.owner, why)


class RosterError(OptionError):
    """A value of a roster that is refused."""

    def __init__(self, line: int, column: str, value: str, allowed: str) -> None:
        super().__init__(column, value, allowed)
        self.line = line

    def __str__(self) -> str:
        return f"line {self.line}, column {self.field}: {quote(self.value)}: {self.allowed}"


@dataclass(frozen=True, slots=True)
class Roster:
    """What a roster has: owners in its order, and a fault for each line that is refused."""

    owners: tuple[Enrolment, ...]
    faults: tuple[RosterError, ...]

    def require_complete(self) -> tuple[Enrolment, ...]:
        """Return the owners. Raises OptionsError if a line is refused."""
        if self.faults:
            raise OptionsError(self.faults)
        return self.owners


def parse_roster(text: str, label: str) -> Roster:
    """Refused are a mail that is none or that is there twice, and an owner of two people who are no group.

    Raises NotationError, which calls the roster `label`, if it has no header or no line below it.
    """
    enrolled, lines, faults = dict[str, Enrolment](), dict[str, int](), list[RosterError]()
    for line, row in _read_rows(text, label):
        mail, group = row[MAIL], row.get(GROUP, "")
        owner = group or row.get(NAME, "") or mail.partition("@")[0]
        known = enrolled.get(owner)
        if (earlier := lines.setdefault(mail.casefold(), line)) != line:
            faults.append(RosterError(line, MAIL, mail, f"it is on line {earlier} too"))
        elif not _MAIL_PATTERN.fullmatch(mail) or not mail.isprintable():
            faults.append(RosterError(line, MAIL, mail, "expected an address such as ann@example.org"))
        elif known and not (group and known.is_group):
            why = f"line {known.line} has this name; a group may share one"
            faults.append(RosterError(line, GROUP if group else NAME, owner, why))
        else:
            mails = (*known.mails, mail) if known else (mail,)
            enrolled[owner] = Enrolment(owner, mails, known.line if known else line, bool(group))
    return Roster(tuple(enrolled.values()), tuple(faults))


def _read_rows(text: str, label: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the number of each line that is not empty, and its values by column. Raises NotationError."""
    head, *_ = text.splitlines() or [""]
    separator = max(",;\t", key=head.count)
    reader = csv.reader(text.splitlines(), delimiter=separator, strict=True)
    try:
        names = [name.strip().casefold() for name in next(reader, [])]
        if MAIL not in names:
            raise NotationError(label, f"a first line with the columns {MAIL}, and perhaps {NAME} and {GROUP}")
        count = 0
        for cells in reader:
            if any(cell.strip() for cell in cells):
                count += 1
                yield reader.line_num, dict.fromkeys(names, "") | _by_name(names, cells)
    except csv.Error as error:
        raise NotationError(label, f"CSV (line {reader.line_num}: {error})") from error
    if not 1 <= count <= MOST_LINES:
        raise NotationError(label, f"1 to {MOST_LINES:,} people below its first line, and it has {count:,}")


def _by_name(names: list[str], cells: list[str]) -> dict[str, str]:
    return {name: cell.strip() for name, cell in zip(names, cells, strict=False)}
