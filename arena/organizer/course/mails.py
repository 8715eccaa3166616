"""Mails with the codes of invitations, for the people of a roster: a mailbox to send, or a table for a mail merge."""

import csv
import io
import mailbox
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Final

from arena.errors import OptionError
from arena.organizer.course.roster import Enrolment

SUFFIXES: Final = (".mbox", ".csv")
_TEXT: Final = """Hello {owner},

you are invited to play with programs of your own on {address}.{source}

    pip install {sdk}
{joins}

{codes}, until {until}. What you can do then: python -m cheatarena --help
"""
_ONE: Final = "The code works once"
_GROUP: Final = (
    "You share your bots and what you submit. Each of you joins with a different one of these codes: a code works once"
)


@dataclass(frozen=True, slots=True)
class Server:
    """What a mail says of the server."""

    address: str
    sdk: str
    """What pip installs: a URL, or the name of a file that people get."""
    ca: str
    """The name of a file that people get, with the authority of the server's certificate; empty for a public one."""

    @property
    def source(self) -> str:
        """Whence people get files, as a sentence to be added; empty if they need none."""
        files = [each for each in (self.sdk, self.ca) if each and "://" not in each]
        return f" Your organizer gives you {' and '.join(files)}." if files else ""

    def join_line(self, code: str) -> str:
        """Return the command with which somebody joins."""
        return f"    python -m cheatarena join {self.address} {code}{f' --ca {self.ca}' if self.ca else ''}"


def check_mail_file(path: Path) -> None:
    """Raise OptionError unless the file's suffix is one of `SUFFIXES`, and no such file exists."""
    if path.suffix not in SUFFIXES:
        raise OptionError("mails", str(path), f"expected a name that ends with {' or '.join(SUFFIXES)}")
    if os.path.lexists(path):
        raise OptionError("mails", str(path), "it is there already, and may have codes that are valid")


def write_mails(
    path: Path, enrolled: Iterable[Enrolment], codes: Mapping[str, Sequence[str]], server: Server, until: str
) -> None:
    """Write a mail for each owner with codes, which only this user may read. Raises OSError.

    `codes` has the codes of invitations by owner, and `until` says how long they are valid.
    """
    invited = [
        (each, _write_text(each, codes[each.owner], server, until), " ".join(codes[each.owner]))
        for each in enrolled
        if each.owner in codes
    ]
    content = _mailbox(invited) if path.suffix == ".mbox" else _table(invited)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


def _write_text(enrolment: Enrolment, codes: Sequence[str], server: Server, until: str) -> str:
    return _TEXT.format(
        owner=enrolment.owner,
        address=server.address,
        source=server.source,
        sdk=server.sdk,
        joins="\n".join(map(server.join_line, codes)),
        codes=_GROUP if enrolment.is_group else _ONE,
        until=until,
    )


def _mailbox(invited: Iterable[tuple[Enrolment, str, str]]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        box = mailbox.mbox(Path(folder) / "mails")
        for enrolment, text, _ in invited:
            mail = EmailMessage()
            mail["To"], mail["Subject"] = ", ".join(enrolment.mails), "Your invitation to the arena"
            mail.set_content(text, cte="8bit")
            box.add(mail)
        box.close()
        return (Path(folder) / "mails").read_bytes()


def _table(invited: Iterable[tuple[Enrolment, str, str]]) -> bytes:
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(("mail", "owner", "code", "text"))
    writer.writerows((", ".join(each.mails), each.owner, code, text) for each, text, code in invited)
    return lines.getvalue().encode()
