"""`arena games`: lists the matches of one's own bot on a server, or shows the bot's explained faults or figures."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.options import JsonOption, OwnServerOption
from arena.cli.present import present
from arena.plurals import format_count
from arena.replays.library.match_filter import EVERY_MATCH, MatchFilter

if TYPE_CHECKING:
    from cheatarena.author import AuthorClient, OwnFault, OwnFigures, OwnMatch, OwnResult

app = typer.Typer(rich_markup_mode="markdown")

_ROUNDING: Final = 1e-9


@app.command()
def games(
    server: OwnServerOption = "",
    faults: Annotated[bool, typer.Option("--faults", help="Show the bot's faults, each with its cause.")] = False,
    figures: Annotated[bool, typer.Option("--figures", help="Show how the bot has played, over all matches.")] = False,
    limit: Annotated[
        int, typer.Option(min=1, max=100_000, help="Maximum number of matches, of faults, or of matches in figures.")
    ] = 20,
    json: JsonOption = False,
) -> None:
    """The token identifies the bot: that in CHEATARENA_TOKEN or ARENA_TOKEN, or else in the credentials file.
    `arena replay show ID --server ADDRESS` shows a match move by move.
    """
    from arena.cli.author import ask_server

    if faults:
        from arena.plain_data import to_plain

        found = ask_server(server, lambda author: _read_faults(author, limit))
        present(to_plain(found), json, _fault_lines(found))
    elif figures:
        totals = ask_server(server, lambda author: _read_totals(author, limit))
        present([_figures_as_dict(each) for each in totals], json, _figure_lines(totals))
    else:
        list_own_matches(server, limit, json)


def list_own_matches(server: str, limit: int, is_json: bool, wanted: MatchFilter = EVERY_MATCH) -> None:
    from arena.cli.author import ask_server, own_match_as_dict
    from arena.cli.replay.list_text import empty_list_text, own_match_lines

    matches = ask_server(server, lambda author: _read_matches(author, limit, wanted))
    lines = (line for match in matches for line in own_match_lines(match))
    present(list(map(own_match_as_dict, matches)), is_json, lines if matches else [empty_list_text(wanted)])


async def _read_matches(author: "AuthorClient", limit: int, wanted: MatchFilter) -> "list[OwnMatch]":
    """The server knows no filters, so this reads until there are enough matches that fit."""
    found: list[OwnMatch] = []
    async for match in author.matches(limit if wanted == EVERY_MATCH else None):
        if not wanted.accepts_time(match.created_at.timestamp()):
            break
        if accepts_own_match(match, wanted):
            found.append(match)
            if len(found) == limit:
                break
    return found


def accepts_own_match(match: "OwnMatch", wanted: MatchFilter) -> bool:
    """Losses and faults are those of the own bot; the entrant may be another."""
    if not wanted.accepts_preset(match.preset) or not wanted.accepts_time(match.created_at.timestamp()):
        return False
    if not any(wanted.accepts_name(name) for name in match.entrants):
        return False
    has_lost = any(_has_lost(result, len(match.entrants)) for result in match.results)
    has_strike = any(any(result.strikes.values()) for result in match.results)
    return (has_lost or not wanted.is_lost) and (has_strike or not wanted.has_faults)


def _has_lost(result: "OwnResult", entrants: int) -> bool:
    """Return whether the bot came last in a finished game.

    A server gives only the bot's own places. So a shared last place can be recognized only in a match of one game: the
    bot's points are then no more than it would get by a tie with every entrant that is not ahead.
    """
    if entrants in result.places:
        return True
    if len(result.places) != 1:
        return False
    place = result.places[0]
    return place > 1 and result.points * (entrants - 1) <= (entrants - place) / 2 + _ROUNDING


async def _read_faults(author: "AuthorClient", limit: int) -> "list[OwnFault]":
    return [fault async for fault in author.faults(limit=limit)]


async def _read_totals(author: "AuthorClient", limit: int) -> "list[OwnFigures]":
    from cheatarena.author import sum_figures

    return list(sum_figures([each async for each in author.figures(limit=limit)]).values())


def _fault_lines(faults: "Sequence[OwnFault]") -> Iterator[object]:
    from arena.cli.replay.text import WIDTH, add_style
    from arena.replays.narration.text_format import escape_unprintable

    for fault in faults:
        yield add_style(f"{fault.match_id}  game {fault.game}, turn {fault.turn}: {fault.kind}", "fault")
        text, indent = f"It {escape_unprintable(fault.explanation)}", " " * 4
        yield from wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    if not faults:
        yield "no faults"


def _figure_lines(totals: "Sequence[OwnFigures]") -> Iterator[object]:
    from arena.cli.replay.text import add_style

    for total in totals:
        mean = total.points / total.game_count if total.game_count else 0.0
        yield add_style(f"{total.game}: {format_count(total.game_count, 'game')}, {mean:.3f} points a game", "game")
        for name, value in sorted(total.values.items()):
            yield f"    {name:<20} {value:>10.3f}" if value % 1 else f"    {name:<20} {value:>6.0f}"
    if not totals:
        yield "no finished matches yet"


def _figures_as_dict(total: "OwnFigures") -> dict[str, object]:
    return {"game": total.game, "game_count": total.game_count, "points": total.points, "figures": dict(total.values)}
