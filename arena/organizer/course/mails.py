"""Mails with the codes of invitations, for the people of a roster: a mailbox to send, or a table for a mail merge."""

import csv
import io
import mailbox
import os
import tempfile
from collections.abc import Iterable, Mapping
from email.message import EmailMessage
from pathlib import Path
from typing import Final

from arena.errors import OptionError
from arena.organizer.course.roster import Enrolment

SUFFIXES: Final = (".mbox", ".csv")
_TEXT: Final = """Hello {owner},

you are invited to play with programs of your own on {address}.

    pip install cheatarena
    python -m cheatarena join {address} {code}

The code works once, until {until}. What you can do then: python -m cheatarena --help
"""


def check_mail_file(path: Path) -> None:
    """Raise OptionError unless the file's suffix is one of `SUFFIXES`, and no such file exists."""
    if path.suffix not in SUFFIXES:
        raise OptionError("mails", str(path), f"expected a name that ends with {' or '.join(SUFFIXES)}")
    if os.path.lexists(path):
        raise OptionError("mails", str(path), "it is there already, and may have codes that are valid")


def write_mails(
    path: Path, enrolled: Iterable[Enrolment], codes: Mapping[str, str], *, address: str, until: str
) -> None:
    """Write a mail for each owner with a code, which only this user may read. Raises OSError.

    `codes` has the code of an invitation by owner, `address` is the server's, and `until` says how long codes are
    valid.
    """
    invited = [(each, _TEXT.format(owner=each.owner, address=address, code=code, until=until), code)
               for each in enrolled if (code := codes.get(each.owner))]  # fmt: skip
    content = _mailbox(invited) if path.suffix == ".mbox" else _table(invited)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


def _mailbox(invited: Iterable[tuple[Enrolment, str, str]]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        box = mailbox.mbox(Path(folder) / "mails")
        for enrolment, text, _ in invited:
            mail = EmailMessage()
            mail["To"], mail["Subject"] = enrolment.contact, "Your invitation to the arena"
            mail.set_content(text, cte="8bit")
            box.add(mail)
        box.close()
        return (Path(folder) / "mails").read_bytes()


def _table(invited: Iterable[tuple[Enrolment, str, str]]) -> bytes:
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(("mail", "owner", "code", "text"))
    writer.writerows((each.contact, each.owner, code, text) for each, text, code in invited)
    return lines.getvalue().encode()
