"""`arena secrecy`: looks whether any viewer receives what it may not know."""

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.exits import Exit

if TYPE_CHECKING:
    from arena.secrecy.survey import Survey

app = typer.Typer()

_EVERY = 100
"""So many pairs are run between two lines of progress."""


@app.command()
def secrecy(
    pairs: Annotated[int, typer.Option(min=1, help="How many pairs of twins to run.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed draws the same pairs.")] = 1,
    game: Annotated[str, typer.Option(help="Only this game; none: all of them in turn.")] = "",
    json: Annotated[bool, typer.Option("--json", help="The same facts as JSON.")] = False,
) -> int:
    """Run twin matches that differ only in cards that a viewer cannot know, and compare its messages to the byte.

    Each pair is a random ruleset, pace and viewer. Exits 1 when a viewer could tell twins apart before something that
    differs between them was lawfully shown.
    """
    from arena.cli.console import show_json
    from arena.errors import UnknownNameError
    from arena.secrecy.games import INSIGHTS
    from arena.secrecy.survey import lines, survey

    if game and game not in INSIGHTS:
        raise UnknownNameError("game", game, sorted(INSIGHTS))
    found = survey(pairs, seed, [game] if game else tuple(INSIGHTS), watch=_quiet if json else _tell)
    if json:
        show_json(found.as_dict())
    else:
        for line in lines(found):
            print(line)
    return Exit.NO if found.leaks else Exit.YES


def _tell(found: "Survey") -> None:
    from arena.cli.console import say

    if found.pairs % _EVERY == 0:
        say(f"{found.pairs} pairs, {len(found.leaks)} leaks")


def _quiet(found: "Survey") -> None:
    """A machine waits for the end."""
