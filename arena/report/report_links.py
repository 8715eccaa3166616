"""Links from a report to the files beside it; they are relative, so that they work in a folder too."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from arena.errors import RequestError

_MATCH_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")


@dataclass(frozen=True, slots=True)
class ReportLinks:
    """The files that a report links to."""

    folder: str = ""
    """The prefix of `files`, with a slash at its end."""
    files: Sequence[str] = ()
    """The tables and the document for machines."""
    replays: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The replay page of each match."""
    replays_page: str = ""
    """The page that lists the replay pages."""
    verifier: str = ""
    """The program that checks a game's file; empty: it is not published."""
    league: str = ""
    """The document that proves the league's seal; empty: it is not published."""
    league_verifier: str = ""
    """The program that checks `league`."""


NO_LINKS: Final = ReportLinks()
"""The links of a page that stands alone."""


def match_file_name(match_id: str) -> str:
    """Return the stem of a match's file names. Raises RequestError for an id that cannot be part of a path."""
    if _MATCH_ID.fullmatch(match_id) is None:
        raise RequestError(f"a match cannot be called {match_id!r}: ids are 1 to 64 letters, digits, - or _")
    return match_id
