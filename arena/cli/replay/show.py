"""`arena replay show`: a match of the data folder, or one that your bot has played on a server."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli.console import print_json
from arena.cli.option_groups import with_option_groups
from arena.cli.options import DataOption, JsonOption, MatchArgument, ServerOption
from arena.cli.replay.library_access import query_library, require_one_source
from arena.cli.replay.pager import print_replay
from arena.cli.replay.text import WIDTH, brief_texts, full_texts, header_lines
from arena.errors import RequestError
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.brief_narration import shorten
from arena.replays.narration.move_numbers import number_lines, read_turn_range, select_turns
from arena.replays.narration.phrasing import Phrasing
from arena.server.wire.narration_line import NarrationLine

_LEAST_WIDTH: Final = 40


@dataclass(frozen=True, slots=True)
class ShowOptions:
    turn: Annotated[
        str | None,
        typer.Option(metavar="TURNS", help="Show only these turns: 30, 30..37, 30.. or ..37."),
    ] = None
    full: Annotated[bool, typer.Option("--full", help="Show every question, answer and event, with seat numbers.")] = (
        False
    )
    no_pager: Annotated[
        bool, typer.Option("--no-pager", help="Print to the terminal, even what is longer than the screen.")
    ] = False


@dataclass(frozen=True, slots=True)
class ShownMatch:
    lines: Iterable[NarrationLine]
    remark: str
    """What is missing from the lines; empty if nothing is."""
    names: Sequence[str]
    """By entrant."""
    phrasing: Phrasing | None
    """None if this version of the arena does not know the game."""


@with_option_groups
def show(
    match: MatchArgument,
    how: ShowOptions,
    game: Annotated[int | None, typer.Option(min=0, help="Show only this game, counted from 0.")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Show only what this seat knew at each decision.")] = None,
    entrant: Annotated[
        str | None, typer.Option(metavar="NAME", help="Show only what this entrant knew, whatever seat it had.")
    ] = None,
    data: DataOption = None,
    server: ServerOption = "",
    json: JsonOption = False,
) -> None:
    """Show a match, one line a move. With --seat or --entrant, show only what one seat knew.

    Lies and calls are marked: L a lie, C called rightly, X called wrongly. With --seat or --entrant, each decision
    also shows what the seat knew, without what has not changed since its last one. --full shows everything.

    Games, turns and seats count from 0, as in a bot's log. A turn's number is the number of moves and passes made
    before it. The call window after a move belongs to the turn of this move. Times are seconds since the start of the
    game.

    With --server, a match of your own bot is shown as the bot's seat knew it. --entrant is needed only if the bot has
    several seats.
    """
    if server:
        require_one_source(server, data)
        _show_own_match(server, match, (game, seat, entrant), how, is_json=json)
        return
    entry, shown = _narrate_library_match(data, match, (game, seat, entrant), how)
    if json:
        plain = [line.as_dict() for line in shown.lines]
        print_json(entry.as_dict() | {"lines": plain, "remark": shown.remark or None})
    else:
        _print_shown(header_lines(entry), shown, how)


def _narrate_library_match(
    data: Path | None, prefix: str, which: tuple[int | None, int | None, str | None], how: ShowOptions
) -> tuple[LibraryEntry, ShownMatch]:
    """`which` is the game, the seat and the entrant to show. Raises what `narrate` raises."""
    from arena.games.catalogue import games, phrasing_of
    from arena.replays.narration.narrate import narrate, visible_names

    entry, lines, remark = query_library(data, lambda library: narrate(library, prefix, games(), phrasing_of, *which))
    names = visible_names(entry, is_one_seat=which[1:] != (None, None))
    return entry, _select_shown(lines, remark, entry.terms["game"], names, how)


def _show_own_match(
    server: str, prefix: str, which: tuple[int | None, int | None, str | None], how: ShowOptions, *, is_json: bool
) -> None:
    """Print a match as the bot's seat knew it. `which` is the game, seat and entrant asked for.

    Raises RequestError if a seat is asked for, and the SDK's errors.
    """
    from cheatarena.commands.match_text import own_header_lines, own_match_as_dict
    from cheatarena.commands.own_server import bot_settings
    from cheatarena.commands.show import read_replay

    game, seat, entrant = which
    if seat is not None:
        raise RequestError("--seat needs the data folder: a server shows authors only their own seats")
    match, told, remark = read_replay(bot_settings(server, only_reads=True), prefix, game, entrant)
    lines = [NarrationLine(e.kind, e.text, e.game, e.at_us, e.turn, e.rows, e.data) for e in told]
    names = [name or f"entrant {number}" for number, name in enumerate(match.entrants)]
    shown = _select_shown(lines, remark, match.game, names, how)
    if is_json:
        plain = [line.as_dict() for line in shown.lines]
        print_json(own_match_as_dict(match) | {"lines": plain, "remark": remark or None})
    else:
        _print_shown(own_header_lines(match), shown, how)


def _select_shown(
    lines: Iterable[NarrationLine], remark: str, game: str, names: Sequence[str], how: ShowOptions
) -> ShownMatch:
    """Return the lines about the turns of `how`, or all. Raises RequestError if there are none."""
    from arena.games.catalogue import games, pack_of

    phrasing = pack_of(game).load_phrasing() if game in games() else None
    if how.turn is not None:
        turns = read_turn_range(how.turn)
        lines = list(select_turns(lines, turns, phrasing)) if phrasing is not None else []
        if not lines:
            raise RequestError(f"there is no turn {turns} in what is shown")
    return ShownMatch(lines, remark, names, phrasing)


def _print_shown(header: Iterable[str], shown: ShownMatch, how: ShowOptions) -> None:
    if how.full or shown.phrasing is None:
        texts = full_texts(header, number_lines(shown.lines, shown.phrasing), shown.remark)
    else:
        lines = list(shorten(shown.lines, shown.phrasing, shown.names))
        texts = brief_texts(header, lines, shown.remark, _text_width())
    print_replay(texts, is_paged=not how.no_pager)


def _text_width() -> int:
    """Return the width of the terminal, or that of a replay on paper."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(_LEAST_WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)
