"""Tells the author of a script that defines a bot and ends without playing it.

Without this, a script that lacks `run` as its last line would end silently.
"""

import ast
import atexit
import sys
from pathlib import Path
from types import ModuleType

from cheatarena.player import Player

_SCRIPT = getattr(sys.modules.get("__main__"), "__file__", None)
"""The path of the program, which Python forgets before the program exits; None if the program is not a file."""

_has_played = False


def note_play() -> None:
    """Record that this program plays with a bot, or asks one questions in a test. Then there is nothing to tell."""
    global _has_played  # noqa: PLW0603  a fact about the whole program
    _has_played = True


@atexit.register
def tell_missing_run() -> None:
    """Print a sentence to stderr if the program is a script that defines a bot and has not played.

    The exit code stays as it is. Nothing is printed in an interactive session, or after an exception that ended the
    script and printed a traceback.
    """
    main = sys.modules.get("__main__")
    is_interactive = hasattr(sys, "ps1") or sys.flags.interactive
    if _has_played or _SCRIPT is None or sys.stderr is None or is_interactive or hasattr(sys, "last_value"):
        return
    bot = None if main is None else _find_bot(main)
    if bot is None:
        return
    try:
        sentence = _explain_missing_run(Path(_SCRIPT), bot.__name__)
        if sentence:
            print(sentence, file=sys.stderr, flush=True)  # noqa: T201  the author reads it
    except (OSError, ValueError):  # stderr is closed
        return


def _find_bot(main: ModuleType) -> type[Player] | None:
    """Return the last bot class that a script defines and from which no other one derives; None if it defines none."""
    found = [each for each in vars(main).values() if isinstance(each, type) and issubclass(each, Player)]
    own = [each for each in found if each.__module__ == "__main__"]
    leaves = [each for each in own if not any(other is not each and issubclass(other, each) for other in own)]
    return leaves[-1] if leaves else None


def _explain_missing_run(file: Path, bot: str) -> str:
    """Return the sentence about a script; empty if the script got arguments and so may have ended on purpose."""
    if not _calls_run(file):
        return f"{file.name} defines the bot {bot} but never calls run({bot}): add run({bot}) as its last line"
    if len(sys.argv) > 1:
        return ""
    ended = f"{file.name} defines the bot {bot} but ended before it called run({bot})"
    return f"{ended}: check the condition above that call"


def _calls_run(file: Path) -> bool:
    """Return whether a script has a call of `run` anywhere; False if the script cannot be read."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(ast.unparse(called) in ("run", "cheatarena.run") for called in calls)
