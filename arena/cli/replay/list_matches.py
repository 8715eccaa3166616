"""`arena replay list`: the recorded matches of a data folder, or those of one's own bot on a server."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.option_groups import with_option_groups
from arena.cli.options import DataOption, JsonOption, ServerOption
from arena.cli.replay.library_access import query_library, require_one_source
from arena.cli.replay.list_options import ListFilters
from arena.plurals import format_count

if TYPE_CHECKING:
    from arena.replays.library.library import Library
    from arena.replays.library.library_entry import LibraryEntry
    from arena.replays.library.match_filter import MatchFilter

_NAMED_MATCHES: Final = 100
"""In how many matches the entrants are looked up if the wanted one is in no match."""


@with_option_groups
def list_(
    filters: ListFilters,
    data: DataOption = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Maximum number of matches.")] = 20,
    server: ServerOption = "",
    json: JsonOption = False,
) -> int:
    """List matches, newest first. Filters can be combined.

    Matches of leagues and comparisons are listed only with --all or --source. A match whose server was killed is
    `interrupted`. Everything that was acknowledged in it is saved. With --server, the list has all matches of your own
    bot, as `arena games` shows them. There, --lost and --faults are about your bot, and --entrant may name an opponent.
    """
    from arena.cli.console import print_json, print_status
    from arena.errors import UnknownNameError

    wanted = filters.to_filter(is_remote=bool(server))
    if server:
        from arena.cli.games import list_own_matches

        require_one_source(server, data)
        return list_own_matches(server, limit, json, wanted)

    async def query(library: "Library") -> "tuple[list[LibraryEntry], list[str], int, list[str]]":
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
    if json:
        print_json([{**entry.as_dict(), "source": entry.source, "league": entry.league or None} for entry in entries])
        return ExitCode.YES
    _show(entries, wanted, shared_count)
    return ExitCode.YES


async def _find_other_names(library: "Library", wanted: "MatchFilter") -> list[str]:
    """Return the entrants of the newest matches if none of all matches has the wanted one; otherwise nothing."""
    from arena.replays.library.match_filter import MatchFilter

    if not wanted.entrant or await library.newest(1, MatchFilter(wanted.source, wanted.entrant)):
        return []
    entries = await library.newest(_NAMED_MATCHES, MatchFilter(wanted.source))
    return sorted({name.partition("#")[0] for entry in entries for name in entry.entrants})


def _show(entries: "list[LibraryEntry]", wanted: "MatchFilter", shared_count: int) -> None:
    from arena.cli.replay.text import empty_list_text, entry_lines, make_printer
    from arena.replays.library.library_entry import MatchSource

    put = make_printer()
    for entry in entries:
        for line in entry_lines(entry, wanted):
            put(line)
    are_left_out = wanted.source is MatchSource.MATCH and shared_count > 0
    if not entries and (wanted.describe() or not are_left_out):
        put(empty_list_text(wanted))
    if are_left_out:
        put(f"left out: {format_count(shared_count, 'match')} of leagues and comparisons; --all lists them")


def _unknown_source_text(entries: "list[LibraryEntry]") -> str:
    """Return a sentence on matches without a recorded deal, as in old versions; empty if there are none."""
    unknown = sum(entry.source is None for entry in entries)
    if not unknown:
        return ""
    return f"nothing is recorded about what {unknown} of these matches were played for; they count as source match"
