"""`arena secrecy`: checks that no viewer receives anything that it may not know."""

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.console import print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption
from arena.cli.present import present
from arena.plurals import format_count

if TYPE_CHECKING:
    from arena.games.secrecy.survey import TwinSurvey

app = typer.Typer(rich_markup_mode="markdown")

_PROGRESS_INTERVAL = 100
"""Number of pairs between two progress lines."""


@app.command()
def secrecy(
    pairs: Annotated[int, typer.Option(min=1, help="Number of twin pairs to run.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the random pairs; the same seed gives the same pairs.")] = 1,
    game: Annotated[str, typer.Option(help="Check only this game. Default: all games in turn.")] = "",
    json: JsonOption = False,
) -> int:
    """Twins differ only in cards that one viewer cannot know. The messages to that viewer must be the same, byte for
    byte, until the viewer is entitled to see a card that differs. Each pair has a random ruleset, pace and viewer.

    Exit code 1 if the messages differ too early.
    """
    from arena.games.catalogue import PACKS, pack_of
    from arena.games.secrecy.survey import SurveyedGame, render_lines, run_survey

    packs = [pack_of(game)] if game else PACKS.values()
    surveyed = [SurveyedGame(pack.load_knowledge_model(), pack.load_codec()) for pack in packs]
    found = run_survey(pairs, seed, surveyed, _ignore_progress if json else _print_progress)
    present(found.as_dict(), json, render_lines(found))
    return ExitCode.NO if found.leaks else ExitCode.YES


def _print_progress(found: "TwinSurvey") -> None:
    if found.pairs % _PROGRESS_INTERVAL == 0:
        print_status(f"{format_count(found.pairs, 'pair')}, {format_count(len(found.leaks), 'leak')}")


def _ignore_progress(found: "TwinSurvey") -> None:
    """Do nothing, because JSON output has no progress lines."""
