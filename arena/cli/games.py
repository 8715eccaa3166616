"""`arena games`: lists the matches of one's own bot on a server, or shows the bot's explained faults or figures."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption
from arena.replays.library.match_filter import EVERY_MATCH, MatchFilter

if TYPE_CHECKING:
    from cheatarena.author import AuthorClient, OwnFault, OwnFigures, OwnMatch

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def games(
    server: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Server. Default: the only one in the credentials file.")
    ] = "",
    faults: Annotated[bool, typer.Option("--faults", help="Show the bot's faults, each with its cause.")] = False,
    figures: Annotated[bool, typer.Option("--figures", help="Show how the bot has played, over all matches.")] = False,
    limit: Annotated[
        int, typer.Option(min=1, max=100_000, help="Maximum number of matches, of faults, or of matches in figures.")
    ] = 20,
    json: JsonOption = False,
) -> int:
    """List the matches of your own bot on a server, newest first.

    The token identifies the bot: that in CHEATARENA_TOKEN or ARENA_TOKEN, or else in the credentials file.
    `arena replay show ID --server ADDRESS` shows a match move by move.
    """
    from arena.cli.author import ask_server
    from arena.cli.console import print_json

    if faults:
        found_faults = ask_server(server, lambda author: _read_faults(author, limit))
        print_json([_fault_as_dict(each) for each in found_faults]) if json else _show_faults(found_faults)
    elif figures:
        totals = ask_server(server, lambda author: _read_totals(author, limit))
        print_json([_figures_as_dict(each) for each in totals]) if json else _show_figures(totals)
    else:
        return list_own_matches(server, limit, json)
    return ExitCode.YES


def list_own_matches(server: str, limit: int, is_json: bool, wanted: MatchFilter = EVERY_MATCH) -> int:
    """Print the newest matches of the author's own bot that fit a filter."""
    from arena.cli.author import ask_server, own_match_as_dict
    from arena.cli.console import print_json
    from arena.cli.replay.text import empty_list_text, make_printer, own_match_lines

    matches = ask_server(server, lambda author: _read_matches(author, limit, wanted))
    if is_json:
        print_json([own_match_as_dict(match) for match in matches])
        return ExitCode.YES
    put = make_printer()
    for match in matches:
        for line in own_match_lines(match):
            put(line)
    if not matches:
        put(empty_list_text(wanted))
    return ExitCode.YES


async def _read_matches(author: "AuthorClient", limit: int, wanted: MatchFilter) -> "list[OwnMatch]":
    """Return the newest matches that fit. The server knows no filters, so this reads until there are enough of them."""
    from arena.cli.own_filter import accepts_own_match

    found: list[OwnMatch] = []
    async for match in author.matches(limit if wanted == EVERY_MATCH else None):
        if not wanted.accepts_time(match.created_at.timestamp()):
            break
        if accepts_own_match(match, wanted):
            found.append(match)
            if len(found) == limit:
                break
    return found


async def _read_faults(author: "AuthorClient", limit: int) -> "list[OwnFault]":
    return [fault async for fault in author.faults(limit=limit)]


async def _read_totals(author: "AuthorClient", limit: int) -> "list[OwnFigures]":
    from cheatarena.author import sum_figures

    return list(sum_figures([each async for each in author.figures(limit=limit)]).values())


def _show_faults(faults: "list[OwnFault]") -> None:
    from arena.cli.replay.text import WIDTH, make_printer
    from arena.replays.narration.text_format import escape_unprintable

    put = make_printer()
    for fault in faults:
        put(f"{fault.match_id}  game {fault.game}, turn {fault.turn}: {fault.kind}", "fault")
        for line in _wrap(f"It {escape_unprintable(fault.explanation)}", WIDTH):
            put(line)
    if not faults:
        put("no faults")


def _show_figures(totals: "list[OwnFigures]") -> None:
    from arena.cli.replay.text import make_printer
    from arena.plurals import format_count

    put = make_printer()
    for total in totals:
        mean = total.points / total.game_count if total.game_count else 0.0
        put(f"{total.game}: {format_count(total.game_count, 'game')}, {mean:.3f} points a game", "game")
        for name, value in sorted(total.values.items()):
            put(f"    {name:<20} {value:>10.3f}" if value % 1 else f"    {name:<20} {value:>6.0f}")
    if not totals:
        put("no finished matches yet")


def _wrap(text: str, width: int) -> list[str]:
    from textwrap import wrap

    return wrap(text, width, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)


def _fault_as_dict(fault: "OwnFault") -> dict[str, Any]:
    from arena.plain_data import to_plain

    return dict(to_plain(fault))


def _figures_as_dict(total: "OwnFigures") -> dict[str, Any]:
    return {
        "game": total.game,
        "game_count": total.game_count,
        "points": total.points,
        "figures": dict(total.values),
    }
