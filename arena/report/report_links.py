"""What lies beside a report, and how a page names it: links are relative, so that they work from a folder too."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from arena.errors import RequestError

_MATCH_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")


@dataclass(frozen=True, slots=True)
class ReportLinks:
    """Files that a report points to."""

    folder: str = ""
    """In front of `files`; with a slash at its end."""
    files: Sequence[str] = ()
    """Tables and the document for machines."""
    replays: Mapping[str, str] = field(default_factory=dict, hash=False)
    """By match: the page that tells it."""
    replays_page: str = ""
    """The list of these pages."""
    verifier: str = ""
    """The program that checks a game's file; empty: there is none beside."""
    league: str = ""
    """What the league's seal is checked by; empty: it is not beside."""
    league_verifier: str = ""
    """The program that checks it."""


NO_LINKS: Final = ReportLinks()
"""A page alone."""


def match_file_name(match_id: str) -> str:
    """Give the name that a match's files begin with. Raises RequestError for an id that cannot be part of a path."""
    if _MATCH_ID.fullmatch(match_id) is None:
        raise RequestError(f"a match cannot be called {match_id!r}: ids are 1 to 64 letters, digits, - or _")
    return match_id
