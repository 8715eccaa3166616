"""The command that shows the lessons of a match, as messages of other commands suggest it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.match.terms import Terms


def lessons_words(terms: "Terms", match_id: str, entrant: str) -> tuple[str, ...]:
    """Return the words of the command that shows an entrant's lessons in a match, without `arena` and `--data`.

    Return nothing if there are no lessons for matches with these terms, because of the game, the pace or the rules.
    """
    from arena.errors import RequestError
    from arena.games.catalogue import lesson_model_of

    try:
        lesson_model_of(terms.game.name).check(terms)
    except RequestError:
        return ()
    return "replay", "lessons", match_id, "--entrant", entrant
