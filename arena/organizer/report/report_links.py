"""Links from a report to the files published with it. The links are relative, so they also work in a local folder."""

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
    """The folder of `files`, with a slash at its end."""
    files: Sequence[str] = ()
    """The tables and the document for machines."""
    replays: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The replay page of each match, by match id."""
    replays_page: str = ""
    """The page that lists the replay pages."""
    verifier: str = ""
    """The program that checks the replay file of a game; empty if it is not published."""
    league: str = ""
    """The document that proves the league's seal; empty if it is not published."""
    league_verifier: str = ""
    """The program that checks `league`."""


NO_LINKS: Final = ReportLinks()
"""The links of a page that stands alone."""


def match_file_name(match_id: str) -> str:
    """Return the stem of the names of a match's files. Raises RequestError for an id that is unsafe in a path."""
    if _MATCH_ID.fullmatch(match_id) is None:
        raise RequestError(f"a match cannot be called {match_id!r}: ids are 1 to 64 letters, digits, - or _")
    return match_id
