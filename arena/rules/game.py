"""What the rest of the arena knows of any game.

The referee, the feed, the journal, the store and the server see a game only through this module. A game is pure: it
reads no clock, draws nothing at random, does no input or output. Whatever happens to it comes in as a value, and the
same values give the same events.

    new ──▶ state ──▶ chance? ──▶ draw(values) ──▶ state ──▶ groups of questions ──▶ resolve(answers) ──▶ state …

Time enters a game only as *steps*: every transition has a number (`State.step`), and a group of questions names the
steps at which its clock started or from which a wait counts. The referee knows when each step happened and how long
things last.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple, NewType, Protocol

from arena.rules.value_class import value_class

Seat = NewType("Seat", int)
"""A place at the table, 0-based, clockwise, fixed for a game."""


class Style(Enum):
    """How questions are put: all at once as at a real table, or one sealed round after the other (spec A11, A12)."""

    LIVE = "live"
    SEALED = "sealed"


class TimeLimit(Enum):
    """Which of the pace's lengths bounds an answer."""

    TURN = "turn"
    REACTION = "reaction"


class ClosingRule(Enum):
    """When a group of questions is settled."""

    FIRST = "first"
    """At the first answer that settles it (`Game.settles`); other answers are noted and close nothing."""
    DISPUTED = "disputed"
    """The pace's dispute time after the first answer that settles it; the game says which of the answers counts."""
    ALL = "all"
    """When every seat asked has answered. Answers stay sealed until then."""


@value_class()
class Question:
    """What one seat is asked. `options` is the game's own value and may be seen by that seat alone."""

    seat: Seat
    options: Any


@value_class()
class QuestionGroup:
    """Questions that are asked together and settled by one `resolve`.

    `kind` is a stable word (`turn`, `window`, `reaction` …); at most one group of a kind is open. A group with the same
    kind and serial as before is the same group: its prompts keep their ids and its answers stand. A new serial asks
    anew.
    """

    kind: str
    serial: int
    questions: tuple[Question, ...]
    closing: ClosingRule
    length: TimeLimit | None
    """None: open until an event supersedes it; no deadline is shown."""
    clock: int
    """The step at which the answer time began. A changed step restarts it under the same prompt id."""
    earliest: int | None = None
    """Live style: a settling answer is refused `too_early` until the pace's guard has passed since this step."""
    lands: int | None = None
    """Live style: an answer is held until the reaction length has passed since this step."""
    free: tuple[Any, ...] = ()
    """Actions that are legal for whoever is asked, as long as the group is open."""


@value_class()
class ChanceRequest:
    """Something random that the game needs next.

    `faces` > 0 asks for `count` independent values in 0..faces-1; `faces` == 0 asks for a permutation of 0..count-1.
    `purpose`, `turn` and `index` name the draw, so that it is the same whatever else was drawn before.
    """

    purpose: str
    turn: int
    index: int
    count: int
    faces: int = 0


class Transition(NamedTuple):
    """A transition's result: the state after it and what happened, in order."""

    state: Any
    events: Sequence[Any]


class RedactedEvent(NamedTuple):
    """An event as its viewers may see it: the public part (None: nothing) and what single seats learn besides."""

    public: Any
    private: Mapping[Seat, Sequence[Any]]
    """By seat, in the order in which it is told."""


@value_class()
class Outcome:
    """How a game ended: places by seat (1 is best, ties share) and why."""

    places: tuple[int, ...]
    termination: str
    detail: Any = None
    """What the game itself wants to remember in later games of the match."""


@value_class()
class GameSetup:
    """What a new game is told: how many seats, its 0-based number in the match, the style, how earlier games ended."""

    seat_count: int
    number: int
    style: Style
    history: Sequence[Outcome] = ()
    """Outcomes of the match's earlier games, oldest first, with places in the order of this game's seats."""
    deal_moves: int = 0
    """How often the deal has moved on by a seat: the game's number where seats stay. Where entrants change seats after
    each game, the deal stays in its place and moves on among them all the same."""


class Game(Hashable, Protocol):
    """A game's rules; one value a game. States, actions, events, options and snapshots are its own frozen values.

    Every method is a pure function. A state has a `step: int` that grows by one with every transition.
    """

    name: str
    """Stable word on the wire and on the command line, e.g. `cheat`."""
    version: str
    """Version of the rules; results and replays carry it."""
    presets: Sequence[str]

    def build_ruleset(self, preset: str, options: Mapping[str, object]) -> Any:
        """Build a checked ruleset. Raises UnknownNameError for the preset, OptionsError naming every refused option."""

    def ruleset_options(self, ruleset: Any) -> Mapping[str, object]:
        """Give all options of a ruleset as plain values; `ruleset` reads them back.

        They are text, numbers, booleans and lists; a number that is not set is the text `none`.
        """

    def check_seats(self, ruleset: Any, seat_count: int, style: Style) -> None:
        """Raise OptionsError where this ruleset cannot be played so."""

    def initial_state(self, ruleset: Any, setup: GameSetup) -> Any:
        """Make the state before anything is dealt; it wants chance first."""

    def chance_request(self, state: Any) -> ChanceRequest | None:
        """Name what must be drawn before anything else; None when nothing is wanted."""

    def apply_chance(self, state: Any, values: Sequence[int]) -> Transition:
        """Apply the drawn values that `chance` asked for."""

    def open_groups(self, state: Any) -> tuple[QuestionGroup, ...]:
        """List the open questions; none when the game is over.

        While chance is wanted, none but those that outlast the draw: they were open before and will be afterwards.
        """

    def why_illegal(self, state: Any, seat: Seat, action: Any, kind: str | None = None) -> str | None:
        """Give the rule code that forbids this action now, or None. With `kind`, as an answer to that group."""

    def is_settling(self, action: Any) -> bool:
        """Tell whether this answer closes a group that closes at its first answer (a decline does not)."""

    def is_move(self, action: Any) -> bool:
        """Tell whether an answer is a move of its own: it ends a row of automatic ones, as calls do not."""

    def resolve(self, state: Any, kind: str, answers: Mapping[Seat, Any]) -> Transition:
        """Settle a group with the legal answers given; a seat that is missing did not answer."""

    def automatic_action(self, state: Any, seat: Seat, kind: str) -> Any:
        """Choose the action made for a seat that does not answer: deterministic, from its own view and public facts."""

    def leave(self, state: Any, seat: Seat) -> Transition:
        """Take a seat out of the game at once. No effect on a seat that is out already."""

    def redact(self, event: Any) -> RedactedEvent:
        """Split an event by who may see what. The only place where secrecy is decided."""

    def snapshot(self, state: Any, viewer: Seat | None) -> Any:
        """Everything that the viewer (None: a spectator) may know of the state."""

    def outcome(self, state: Any) -> Outcome | None:
        """How the game ended; None while it goes on."""

    def write_action(self, action: Any) -> str:
        """Text form of an action, exact: `read_action` gives it back."""

    def read_action(self, text: str) -> Any:
        """Read `write_action`'s text. Raises NotationError."""

    def event_statistics(self, event: Any) -> Iterable[tuple[Seat, str]]:
        """What an event adds to the figures that people read, as seat and word; `turns` counts turns in every game."""

    def describe_event(self, event: Any) -> str:
        """The event in the words of the table, for people who may see everything."""
