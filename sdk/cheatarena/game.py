"""The interface between a game and the rest of this package.

::

    prompt ──QuestionKind.put──▶ the bot's method ──▶ answer ──Game.checks──▶ Game.write_action ──▶ Decision
    facts ──Game.state──▶ Game.table, which the bot reads

A game is a folder with a `Game` in its module ``game``, and a bot class that names it. The protocol's fields for a game
are named after it: ``cheat`` holds its ruleset, its snapshot and its actions, and its facts begin with ``cheat_``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from cheatarena.terms import RulesetReader
from cheatarena.v1 import decision_pb2

if TYPE_CHECKING:
    from cheatarena.game_state import GameState
    from cheatarena.match_table import MatchTable


def pass_through(message: Any) -> Any:
    """Return the message unchanged."""
    return message


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """A kind of question, and how a bot answers it."""

    method: str
    """Name of the bot's method."""
    put: Callable[[Any, Any, Any], Any]
    """Calls the method with the bot, its table and the legal options."""
    answers: tuple[type, ...]
    """Types that the method may always return."""
    is_reaction: bool = False
    """True: the pace's time limit of a call applies; False: that of a turn."""
    default_answer: Any = None
    """Sent without a call if the bot class does not override the method. None: the method is always called."""
    extras: Callable[[Any], tuple[type, ...]] | None = None
    """Returns the further types that the legal options allow. None: there are never any."""
    read: Callable[[Any], Any] = pass_through
    """Builds the legal options from the prompt's message. Must not raise; the result is shared by equal prompts."""

    def without_default_answer(self) -> "QuestionKind":
        """Return this kind for bot classes that override the method."""
        return replace(self, default_answer=None)


def describe_types(answers: Sequence[type]) -> str:
    """Return the names of types as a phrase.

    >>> describe_types((int, str, bool))
    'int, str or bool'
    """
    *most, last = [answer.__name__ for answer in answers]
    return f"{', '.join(most)} or {last}" if most else last


@dataclass(frozen=True, slots=True)
class Game:
    """What the package needs to know of a game."""

    name: str
    """Its name in Hello and in the protocol's fields."""
    state: "type[GameState]"
    """Class of the state of one game as a seat sees it; facts update it."""
    table: "type[MatchTable]"
    """Class of the table that a bot reads."""
    read_ruleset: RulesetReader
    """Converts a ruleset message to a plain value."""
    kinds: Mapping[str, QuestionKind]
    """Kinds of questions, by field name in a prompt."""
    write_action: Callable[[Any], bytes]
    """Encodes an answer as the field of a Decision that holds its action."""
    read_answer: Callable[[decision_pb2.Decision], Any]
    """Returns the answer that a bot gave from the decision; for tests of bots."""
    checks: Mapping[type, Callable[[Any, Any], str]] = field(default_factory=dict)
    """Checks by answer type before it is sent; each returns why an answer is illegal, or an empty text if it is not."""
    waits: frozenset[type] = frozenset()
    """Answer types that are held back until the prompt's `earliest_us`."""
