"""`arena explain`: answers "my bot was cheated" for one match, in one page that can be sent to the author."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import DataOption, JsonOption, MatchArgument
from arena.cli.present import present
from arena.cli.store_access import data_folder, format_date

if TYPE_CHECKING:
    from arena.organizer.course.explanation import Explanation, Finding

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def explain(
    match: MatchArgument,
    bot: Annotated[str, typer.Option(metavar="NAME", help="The bot whose author asks, of any owner.")],
    data: DataOption = None,
    json: JsonOption = False,
) -> int:
    """Computes the match again from its journal, checks its deal and its seating, and says how long the bot took and
    what each of its strikes came from. Shows no hand and no note of anybody.

    Exit code 0 if everything agrees, 1 if a check fails.
    """
    from arena.plain_data import to_plain

    found = asyncio.run(_explain(data_folder(data), match, bot))
    present(to_plain(found), json, _lines(found))
    return ExitCode.YES if found.is_right else ExitCode.NO


async def _explain(folder: Path, match: str, bot: str) -> "Explanation":
    from arena.games.catalogue import games, phrasing_of
    from arena.organizer.course.explanation import explain_match
    from arena.replays.library.library import Library
    from arena.server.store.data_folder import require_store
    from arena.server.store.open_store import open_store

    require_store(folder)
    async with await open_store(folder) as store:
        return await explain_match(Library(folder, store, games()), store, match, bot, games(), phrasing_of)


def _lines(found: "Explanation") -> Iterator[str]:
    yield f"match {found.match_id} for {found.bot}"
    yield f"{found.rules}, {format_date(found.began_at)}"
    for number, places in enumerate(found.places):
        shown = ", ".join(f"{name} {place}" for name, place in zip(found.entrants, places, strict=True))
        yield f"places of game {number}: {shown}"
    yield from ("", "Was it played as it is stored, with the cards that were fixed before?")
    yield from map(_finding_line, found.proof)
    yield from ("", "Why did these play?")
    yield from map(_finding_line, found.seating)
    yield from (
        "",
        "How long did the bot take?",
        *(f"     {line}" for line in found.times or ("it was asked nothing",)),
    )
    yield from ("", "What are its strikes?", *(f"     {line}" for line in found.strikes or ("it has none",)))


def _finding_line(each: "Finding") -> str:
    return f"{'' if each.is_right is None else 'yes' if each.is_right else 'NO':<4} {each.sentence}"
