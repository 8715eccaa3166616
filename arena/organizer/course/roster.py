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

from arena.errors import NotationError, OptionError, OptionsError

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

    @property
    def contact(self) -> str:
        """How the owner is reached."""
        return ", ".join(self.mails)


def parse_roster(text: str, label: str) -> tuple[Enrolment, ...]:
    """Return the owners of a roster, in its order.

    Raises NotationError, which calls the roster `label`, if it has no header or no line below it, and OptionsError with
    a fault for each line that is refused: a mail that is none or that is there twice, and an owner of two people who
    are no group.
    """
    enrolled, lines, faults = dict[str, Enrolment](), dict[str, int](), list[OptionError]()
    for line, row in _read_rows(text, label):
        mail, group = row[MAIL], row.get(GROUP, "")
        owner = group or row.get(NAME, "") or mail.partition("@")[0]
        known = enrolled.get(owner)
        if (earlier := lines.setdefault(mail.casefold(), line)) != line:
            faults.append(OptionError(MAIL, mail, f"line {line}: it is on line {earlier} too"))
        elif not _MAIL_PATTERN.fullmatch(mail) or not mail.isprintable():
            faults.append(OptionError(MAIL, mail, f"line {line}: expected an address such as ann@example.org"))
        elif known and not (group and known.is_group):
            faults.append(
                OptionError(NAME, owner, f"line {line}: line {known.line} has this name; a group may share one")
            )
        else:
            mails = (*known.mails, mail) if known else (mail,)
            enrolled[owner] = Enrolment(owner, mails, known.line if known else line, bool(group))
    if faults:
        raise OptionsError(faults)
    return tuple(enrolled.values())


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
