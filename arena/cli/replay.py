"""`arena replay`: games that were played, as people read them, and as one seat knew them."""

from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from arena.cli import proof, rerun
from arena.cli.exits import Exit

if TYPE_CHECKING:
    from arena.replays.library import Entry, Library
    from arena.replays.lines import Line

T = TypeVar("T")

app = typer.Typer(no_args_is_help=True)

_Data = Annotated[Path | None, typer.Option(help="Data folder. Default: ARENA_DATA, or else arena-data.")]
_Json = Annotated[bool, typer.Option("--json", help="The same facts as JSON.")]


@app.callback()
def replay() -> None:
    """Read games that were played. Works while a server runs on the data folder, and after it was killed."""


app.command()(proof.export)
app.command()(proof.verify)
app.command()(rerun.rerun)


@app.command("list")
def list_(
    data: _Data = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Show at most so many.")] = 20,
    json: _Json = False,
) -> int:
    """List matches, newest first.

    A match whose server ended before it did is `interrupted`: everything that was acknowledged in it is there.
    """
    from arena.cli.console import show_json
    from arena.cli.replay_text import entry_lines, printer

    entries = with_library(data, lambda library: library.newest(limit))
    if json:
        show_json([entry.as_dict() for entry in entries])
        return Exit.YES
    put = printer()
    for entry in entries:
        for line in entry_lines(entry):
            put(line)
    if not entries:
        put("no matches yet")
    return Exit.YES


@app.command()
def show(
    match: Annotated[str, typer.Argument(metavar="ID", help="A match's id, or as much of its beginning as is unique.")],
    game: Annotated[int | None, typer.Option(min=0, help="One game of the match, from 0. Default: all.")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Only what this seat knew, decision by decision.")] = None,
    entrant: Annotated[str | None, typer.Option(metavar="NAME", help="The same, by name: wherever it sat.")] = None,
    data: _Data = None,
    json: _Json = False,
) -> int:
    """Tell a match as people read it, or with --seat or --entrant as one seat knew it.

    Games, turns and seats count from 0, as in a bot's log; the turn is the number of moves and passes made before.
    Times are seconds since the start of the game.
    """
    from arena.cli.console import show_json
    from arena.cli.replay_text import head_lines, line_texts, printer

    entry, lines, remark = with_library(data, lambda library: _open(library, match, game, seat, entrant))
    if json:
        told = [line.as_dict() for line in lines]
        show_json(entry.as_dict() | {"lines": told, "remark": remark or None})
        return Exit.YES
    put = printer()
    for text in head_lines(entry):
        put(text)
    for line in lines:
        for text in line_texts(line):
            put(text, line.kind)
    if remark:
        put(f"\n{remark}", "fault")
    return Exit.YES


def with_library(data: Path | None, ask: "Callable[[Library], Coroutine[Any, Any, T]]") -> T:
    """Open the data folder to read, ask it, close it. Raises RequestError where there is none."""
    import asyncio

    from arena.config import read_config
    from arena.errors import RequestError

    folder = read_config(flags={"data": data}).data
    if not (folder / "journals").is_dir():
        raise RequestError(f"there is no data folder at {str(folder)!r}: no server has run there")
    return asyncio.run(_asked(folder, ask))


async def _asked(folder: Path, ask: "Callable[[Library], Coroutine[Any, Any, T]]") -> T:
    from arena.replays.library import Library
    from arena.rules.catalog import GAMES
    from arena.store.opening import open_store

    if not (folder / "arena.db").is_file():
        return await ask(Library(folder, None, GAMES))
    async with await open_store(folder) as store:
        return await ask(Library(folder, store, GAMES))


async def _open(
    library: "Library", prefix: str, game: int | None, seat: int | None, entrant: str | None
) -> "tuple[Entry, Iterable[Line], str]":
    """Find a match and begin to tell it. Raises RequestError for what cannot be told."""
    from arena.errors import RequestError
    from arena.match.replay import Replay
    from arena.replays.blame import blamed
    from arena.replays.choosing import check_game, choice_of, why_not_played
    from arena.replays.library import plays
    from arena.replays.seat import seat_view
    from arena.replays.stored import stored
    from arena.replays.whole import whole
    from arena.rules.catalog import GAMES

    entry = await library.find(prefix)
    check_game(entry, game)
    choice = choice_of(entry, seat, entrant)
    records, remark = library.records(entry) if plays(entry, GAMES) else ([], "")
    if records:
        replay = Replay(records, GAMES)
        told = whole(replay) if choice is None else seat_view(replay, choice)
        lines = blamed(told, entry.faults)
        return entry, _of_game(lines, game), remark if entry.state == "interrupted" else ""
    rows = await library.games(entry)
    if not rows or choice is not None:
        raise RequestError(why_not_played(entry, remark))
    return entry, _of_game(stored(rows, entry.entrants), game), remark


def _of_game(lines: "Iterable[Line]", game: int | None) -> "Iterable[Line]":
    """Leave out the other games; what was said between the games belongs to no game."""
    return lines if game is None else (line for line in lines if line.game == game)
