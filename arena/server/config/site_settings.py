"""The settings of the web pages of a server: what they are called, and what the law asks of them."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from annotated_types import Len

from arena.errors import OptionError

_ORIGIN: Final = re.compile(r"https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """What the pages say about themselves."""

    name: Annotated[str, Len(1, 64)] = "cheatarena"
    """Name of the site, in its head and in every title."""
    text: Annotated[str, Len(0, 200)] = ""
    """One line under the name on the first page, and for search engines. Empty: what the arena is."""
    logo: Path | None = None
    """Picture beside the name: a PNG or SVG file of at most 256 KB."""
    imprint: Path | None = None
    """Text file that the page /imprint shows. Without it there is no such page."""
    privacy: Path | None = None
    """Text file that the page /privacy shows. Without it there is no such page."""
    frame_ancestors: tuple[str, ...] = ()
    """Sites that may show tables in frames, such as https://school.example. Without any, none may."""


def check_frame_ancestors(origins: tuple[str, ...]) -> None:
    """Raises OptionError for the first that is no origin: it becomes part of a header."""
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise OptionError("site.frame_ancestors", origin, "expected sites such as https://school.example")
