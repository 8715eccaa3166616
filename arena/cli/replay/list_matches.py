"""`arena replay list`: the recorded matches of a data folder, or those of one's own bot on a server."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

import typer

from arena.cli.console import print_status
from arena.cli.option_groups import with_option_groups
from arena.cli.options import DataOption, JsonOption, ServerOption
from arena.cli.present import present
from arena.cli.replay.library_access import query_library, require_one_source
from arena.cli.replay.list_text import empty_list_text, entry_lines
from arena.errors import OptionError, UnknownNameError
from arena.plurals import format_count
from arena.replays.library.library_entry import LibraryEntry, MatchSource
from arena.replays.library.match_filter import MatchFilter

if TYPE_CHECKING:
    from arena.replays.library.library import Library

_NAMED_MATCHES: Final = 100
"""In how many matches the entrants are looked up if the wanted one is in no match."""
_DAYS: Final = re.compile(r"(\d+)\s*d")
EntrantOption = Annotated[str, typer.Option(metavar="NAME", help="Only matches of this entrant and its copies.")]
SinceOption = Annotated[
    str,
    typer.Option(
        metavar="TIME", help="Only matches from this time on: a date, a date and time, or a length such as 2h or 3d."
    ),
]
WithPresetOption = Annotated[str, typer.Option(help="Only matches with this preset.")]


@dataclass(frozen=True, slots=True)
class ListFilters:
    """A match has to fit all of them."""

    PANEL: ClassVar = "Filters"

    entrant: EntrantOption = ""
    lost: Annotated[
        bool, typer.Option("--lost", help="Only matches in which the entrant came last in a game. Needs --entrant.")
    ] = False
    faults: Annotated[
        bool,
        typer.Option("--faults", help="Only matches with faults; with --entrant, only with faults of that entrant."),
    ] = False
    since: SinceOption = ""
    preset: WithPresetOption = ""
    source: Annotated[
        MatchSource | None,
        typer.Option(help="Only matches played for this. Default: match, without leagues and comparisons."),
    ] = None
    all: Annotated[bool, typer.Option("--all", help="Also matches of leagues and comparisons.")] = False

    def to_filter(self, is_remote: bool, clock: Callable[[], float] = time.time) -> MatchFilter:
        """With `is_remote`, the author of a bot asks a server.

        A server lists only the matches of this bot, so `--lost` is then about this bot. Raises OptionError and
        UnknownNameError.
        """
        from arena.games.catalogue import resolve_game_and_preset

        if self.source is not None and self.all:
            raise OptionError("all", "--all", f"expected either --all or --source {self.source.value}")
        if self.source is not None and is_remote:
            raise OptionError(
                "source", self.source.value, "expected none: a server does not say what a match was played for"
            )
        if self.lost and not self.entrant and not is_remote:
            raise OptionError("lost", "--lost", "expected --entrant NAME as well, to say whose losses")
        if self.preset:
            resolve_game_and_preset("", self.preset)  # raises UnknownNameError for a preset that no game has
        is_every = self.all or is_remote
        return MatchFilter(
            source=None if is_every else self.source or MatchSource.MATCH,
            entrant=self.entrant,
            is_lost=self.lost,
            has_faults=self.faults,
            since=read_since(self.since, clock()) if self.since else None,
            preset=self.preset,
        )


@with_option_groups
def list_(
    filters: ListFilters,
    data: DataOption = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Maximum number of matches.")] = 20,
    server: ServerOption = "",
    json: JsonOption = False,
) -> None:
    """List matches, newest first. Filters can be combined.

    Matches of leagues and comparisons are listed only with --all or --source. A match whose server was killed is
    `interrupted`. Everything that was acknowledged in it is saved. With --server, the list has all matches of your own
    bot, as `arena games` shows them. There, --lost and --faults are about your bot, and --entrant may name an opponent.
    """
    wanted = filters.to_filter(is_remote=bool(server))
    if server:
        from arena.cli.replay.own_matches import list_own_matches

        require_one_source(server, data)
        list_own_matches(server, limit, json, wanted)
        return

    async def query(library: "Library") -> tuple[list[LibraryEntry], list[str], int, list[str]]:
        entries = await library.newest(limit, wanted)
        names = [] if entries else await _find_other_names(library, wanted)
        return entries, [*library.damage.values()], await library.count_shared(), names

    entries, damage, shared_count, names = query_library(data, query)
    for remark in damage:
        print_status(remark)
    if remark := _unknown_source_text(entries):
        print_status(remark)
    if names:
        print_status(str(UnknownNameError("entrant", wanted.entrant, names)))
    plain = [{**entry.as_dict(), "source": entry.source, "league": entry.league or None} for entry in entries]
    present(plain, json, _list_lines(entries, wanted, shared_count))


async def _find_other_names(library: "Library", wanted: MatchFilter) -> list[str]:
    """Return the entrants of the newest matches if none of all matches has the wanted one; otherwise nothing."""
    if not wanted.entrant or await library.newest(1, MatchFilter(wanted.source, wanted.entrant)):
        return []
    entries = await library.newest(_NAMED_MATCHES, MatchFilter(wanted.source))
    return sorted({name.partition("#")[0] for entry in entries for name in entry.entrants})


def _list_lines(entries: Sequence[LibraryEntry], wanted: MatchFilter, shared_count: int) -> Iterator[str]:
    for entry in entries:
        yield from entry_lines(entry, wanted)
    are_left_out = wanted.source is MatchSource.MATCH and shared_count > 0
    if not entries and (wanted.describe() or not are_left_out):
        yield empty_list_text(wanted)
    if are_left_out:
        yield f"left out: {format_count(shared_count, 'match')} of leagues and comparisons; --all lists them"


def _unknown_source_text(entries: list[LibraryEntry]) -> str:
    """Return a sentence on matches without a recorded deal, as in old versions; empty if there are none."""
    unknown = sum(entry.source is None for entry in entries)
    if not unknown:
        return ""
    return f"nothing is recorded about what {unknown} of these matches were played for; they count as source match"


def read_since(text: str, now: float) -> float:
    """Return a time in seconds since 1970. A date without a time zone is local, as the dates in the list are.

    Raises OptionError.
    """
    from arena.organizer.file.league_reader import parse_duration_s

    days = _DAYS.fullmatch(text.strip())
    length_s = float(days[1]) * 86_400 if days else parse_duration_s(text)
    if length_s is not None:
        return now - length_s
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        expected = "expected a date (2026-11-23), a date and time (2026-11-23 14:00) or a length (45m, 2h, 3d)"
        raise OptionError("since", text, expected) from None
