"""The interface between a game and the rest of this package.

::

    prompt ──QuestionKind.put──▶ the bot's method ──▶ answer ──Game.checks──▶ Game.write_action ──▶ Decision
    facts ──Game.state──▶ Game.table, which the bot reads

Each game has a folder. The module ``game`` in this folder defines a `Game`, and the game's bot class refers to that
`Game`. The protocol's fields are named after the game. For Cheat, fields called ``cheat`` contain rulesets, snapshots
and actions, and the names of facts begin with ``cheat_``.
"""

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from cheatarena.plurals import format_count
from cheatarena.terms import RulesetReader
from cheatarena.v1 import decision_pb2

if TYPE_CHECKING:
    from cheatarena.game_state import FactHandler, FactReader, GameState
    from cheatarena.match_table import MatchTable


MAX_SHOWN_CARDS = 20
"""The most cards of a hand that an error text names."""


class Breach(NamedTuple):
    """A rule that an answer breaks, as the package itself found before it sent the answer."""

    reason: str
    """Name of the `ErrorReason` in the protocol, without the prefix, for example `NOT_IN_HAND`."""
    text: str
    """What is wrong, in words for the bot's author."""


def not_in_hand(answer: object, missing: Mapping[Any, int], hand: Sized) -> Breach:
    """Return the breach of an answer with cards that the seat does not hold as often.

    ``missing`` has by card the number of copies in the answer, or 1 if the hand has none. A large hand is not repeated.
    """
    cards = ", ".join(
        f"{card} not in hand{f' {number} times' if number > 1 else ''}" for card, number in missing.items()
    )
    held = f"the hand is {hand}" if len(hand) <= MAX_SHOWN_CARDS else f"the hand has {format_count(len(hand), 'card')}"
    return Breach("NOT_IN_HAND", f"{cards}: the answer was {answer}, {held}")


def pass_through(message: Any) -> Any:
    """Return the message unchanged."""
    return message


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """A kind of question, and how a bot answers it."""

    method: str
    """Name of the bot's method."""
    put: Callable[[Any, Any, Any], Any]
    """Calls the method. Takes the bot, the bot's table and the legal options."""
    answers: tuple[type, ...]
    """Types that the method may always return."""
    is_required: bool = False
    """Whether every bot class must override the method."""
    is_reaction: bool = False
    """Whether the pace's time limit for calls applies to the question; otherwise the time limit for turns applies."""
    default_answer: Any = None
    """If the bot class does not override the method, this answer is sent and the method is not run.

    With None, the method always runs.
    """
    extras: Callable[[Any], tuple[type, ...]] | None = None
    """Returns the answer types that the legal options allow in addition to `answers`.

    It is None if there are never any other types.
    """
    read: Callable[[Any], Any] = pass_through
    """Builds the legal options from the prompt's message. Equal messages share one result.

    Raises LookupError or ValueError if the message has no meaning.
    """

    explain: Callable[[Any, Any, Any], str] | None = None
    """Says what is legal instead of an illegal answer. Takes the bot's table, the legal options and the answer."""

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
    """Everything that the package needs to know about a game."""

    name: str
    """The game's name in Hello and in the protocol's fields."""
    state: "type[GameState]"
    """Class of the state of one game, as a seat sees it. Facts update the state."""
    table: "type[MatchTable]"
    """Class of the table that a bot reads."""
    fact_handlers: "Mapping[type, FactHandler]"
    """The handler of each fact, by the fact's type."""
    read_event: "FactReader"
    """Decodes the facts of this game; see `game_state.build_fact_reader`."""
    read_ruleset: RulesetReader
    """Converts a ruleset message, together with the number of seats, to a plain value."""
    kinds: Mapping[str, QuestionKind]
    """Kinds of questions, by the name of their field in a prompt."""
    write_action: Callable[[Any], bytes]
    """Encodes an answer as the action field of a Decision."""
    read_answer: Callable[[decision_pb2.Decision], Any]
    """Decodes a bot's answer from a decision. Only tests of bots need this."""
    checks: Mapping[type, Callable[[Any, Any], Breach | None]] = field(default_factory=dict)
    """Checks to run before an answer is sent, by answer type.

    A check returns the rule that the answer breaks, or None if the answer may be sent.
    """
    waits: frozenset[type] = frozenset()
    """Answer types that are held back until the prompt's `earliest_us`."""
