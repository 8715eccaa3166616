"""The filters of `arena replay list`, and how their values are read."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Final

import typer

from arena.replays.library.library_entry import MatchSource
from arena.replays.library.match_filter import MatchFilter

_DAYS: Final = re.compile(r"(\d+)\s*d")


@dataclass(frozen=True, slots=True)
class ListFilters:
    """The filters of a list of matches, as typed. A match has to fit all of them."""

    PANEL: ClassVar = "Filters"

    entrant: Annotated[str, typer.Option(metavar="NAME", help="Only matches of this entrant and its copies.")] = ""
    lost: Annotated[
        bool, typer.Option("--lost", help="Only matches in which the entrant came last in a game. Needs --entrant.")
    ] = False
    faults: Annotated[
        bool,
        typer.Option("--faults", help="Only matches with faults; with --entrant, only with faults of that entrant."),
    ] = False
    since: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="Only matches from this time on: a date, a date and time, or a length such as 2h or 3d.",
        ),
    ] = ""
    preset: Annotated[str, typer.Option(help="Only matches with this preset.")] = ""
    source: Annotated[
        MatchSource | None,
        typer.Option(help="Only matches played for this. Default: match, without leagues and comparisons."),
    ] = None
    all: Annotated[bool, typer.Option("--all", help="Also matches of leagues and comparisons.")] = False

    def to_filter(self, is_remote: bool, clock: Callable[[], float] = time.time) -> MatchFilter:
        """Return the filter. If `is_remote`, a server is asked by the author of a bot.

        A server lists only the matches of this bot, so `--lost` is then about this bot. Raises OptionError and
        UnknownNameError.
        """
        from arena.errors import OptionError

        if self.source is not None and self.all:
            raise OptionError("all", "--all", f"expected either --all or --source {self.source.value}")
        if self.source is not None and is_remote:
            raise OptionError(
                "source", self.source.value, "expected none: a server does not say what a match was played for"
            )
        if self.lost and not self.entrant and not is_remote:
            raise OptionError("lost", "--lost", "expected also --entrant NAME, which says whose losses are meant")
        if self.preset:
            _check_preset(self.preset)
        is_every = self.all or is_remote
        return MatchFilter(
            source=None if is_every else self.source or MatchSource.MATCH,
            entrant=self.entrant,
            is_lost=self.lost,
            has_faults=self.faults,
            since=_read_since(self.since, clock()) if self.since else None,
            preset=self.preset,
        )


def _check_preset(preset: str) -> None:
    """Raise UnknownNameError if no game has this preset."""
    from arena.games.catalogue import resolve_game_and_preset

    resolve_game_and_preset("", preset)


def _read_since(text: str, now: float) -> float:
    """Return a time in seconds since 1970. A date without a time zone is local, as the dates in the list are.

    Raises OptionError.
    """
    from arena.errors import OptionError
    from arena.organizer.file.league_file import parse_duration_s

    days = _DAYS.fullmatch(text.strip())
    length_s = float(days[1]) * 86_400 if days else parse_duration_s(text)
    if length_s is not None:
        return now - length_s
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        expected = "expected a date (2026-11-23), a date and time (2026-11-23 14:00) or a length (45m, 2h, 3d)"
        raise OptionError("since", text, expected) from None
