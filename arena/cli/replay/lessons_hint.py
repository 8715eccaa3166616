"""The command that shows the lessons of a match, as messages of other commands suggest it."""

from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.match.replay_hint import data_option
from arena.typed_command import arena_command

if TYPE_CHECKING:
    from arena.match.referee.terms import Terms


def lessons_command(terms: "Terms", match_id: str, data: Path, *choice: object) -> str:
    """Return the command that shows lessons of a match; `choice` has the options that select an entrant.

    Return an empty text if matches with these terms have no lessons, because of the game, the pace or the rules.
    """
    from arena.errors import RequestError
    from arena.games.catalogue import lesson_model_of

    try:
        lesson_model_of(terms.game.name).check(terms)
    except RequestError:
        return ""
    return arena_command("replay", "lessons", match_id, *choice, *data_option(data))
