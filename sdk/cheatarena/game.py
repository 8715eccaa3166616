"""The one place where a game plugs in: all that the rest of this package knows of any game.

::

    prompt ──Kind.put──▶ the bot's method ──▶ answer ──Game.checks──▶ Game.write_action ──▶ the action in a Decision
    facts ──Game.state──▶ Game.table: what the bot looks at

A game is a folder with a `Game` in its module ``game``, and a class of bots that names it. The contract's fields for a
game are named after it: ``cheat`` holds its ruleset, its snapshot and its actions, and its facts begin with ``cheat_``.
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
    """Leave a message to whoever puts the question."""
    return message


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """One kind of question."""

    method: str
    """The bot's method that is asked."""
    put: Callable[[Any, Any, Any], Any]
    """Asks it: takes the bot, its table and what is legal."""
    answers: tuple[type, ...]
    """What it may return to each prompt."""
    is_reaction: bool = False
    """Whether the pace gives it the time of a call, not that of a turn."""
    default_answer: Any = None
    """The answer of a bot whose author has not written the method. None: the method is called all the same."""
    extras: Callable[[Any], tuple[type, ...]] | None = None
    """What it may return besides, by what is legal. None: nothing ever."""
    read: Callable[[Any], Any] = pass_through
    """Makes what is legal of the message in the prompt. Prompts that say the same share it; it must not fail."""

    def without_default_answer(self) -> "QuestionKind":
        """Give the same kind for bots that have written the method."""
        return replace(self, default_answer=None)


def describe_types(answers: Sequence[type]) -> str:
    """Name answers for people.

    >>> describe_types((int, str, bool))
    'int, str or bool'
    """
    *most, last = [answer.__name__ for answer in answers]
    return f"{', '.join(most)} or {last}" if most else last


@dataclass(frozen=True, slots=True)
class Game:
    """A game."""

    name: str
    """Its name in Hello and in the contract."""
    state: "type[GameState]"
    """What a seat knows of one game, and how facts change it."""
    table: "type[MatchTable]"
    """What a bot looks at."""
    read_ruleset: RulesetReader
    """Makes a plain value of a ruleset."""
    kinds: Mapping[str, QuestionKind]
    """Questions, by the name of their field in a prompt."""
    write_action: Callable[[Any], bytes]
    """Encodes an answer, as the field of a Decision that holds its action."""
    read_answer: Callable[[decision_pb2.Decision], Any]
    """The answer in a decision, as the bot has given it; for tests of bots."""
    checks: Mapping[type, Callable[[Any, Any], str]] = field(default_factory=dict)
    """For some answers: what the table says against one, as a reason. Empty: nothing, so that it is sent."""
    waits: frozenset[type] = frozenset()
    """Answers that are kept back until the prompt's `earliest_us`."""
