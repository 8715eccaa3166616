"""The protocol that every game implements, and the value types that it uses.

The referee, the feed, the journal, the store and the server see the rules of a game only through this module. Rules are
pure: they read no clock, draw nothing at random, and do no input or output. Everything that happens in a game comes in
as a value, and the same values give the same events.

    new ──▶ state ──▶ chance? ──▶ draw(values) ──▶ state ──▶ groups of questions ──▶ resolve(answers) ──▶ state …

Time enters the rules only as *steps*. Every transition has a number, which is the `step` of the new state. A group of
questions names the step at which the time for its answers began, and the steps at which waiting times began. The
referee knows when each step happened, and how long each of these times is.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple, NewType, Protocol

from arena.match.value_class import value_class

Seat = NewType("Seat", int)
"""A place at the table: 0-based, numbered clockwise, fixed for a game."""


class Style(Enum):
    """How questions are asked (spec A11, A12)."""

    LIVE = "live"
    """As at a real table: several groups of questions may be open at the same time."""
    SEALED = "sealed"
    """In rounds: one group is open at a time, and its answers stay secret until the group is settled."""


class TimeLimit(Enum):
    """Which time limit of the match's pace applies to an answer."""

    TURN = "turn"
    REACTION = "reaction"


class ClosingRule(Enum):
    """When a group of questions is settled."""

    FIRST = "first"
    """At the first settling answer (`Game.is_settling`). Answers that do not settle are recorded."""
    DISPUTED = "disputed"
    """When the pace's dispute time has passed since the first settling answer. The game decides which answer counts."""
    ALL = "all"
    """When every seat that was asked has answered. Answers stay secret until then."""


@value_class()
class Question:
    """A question to one seat. `options` is a value of the game's own type. Only this seat may see the options."""

    seat: Seat
    options: Any


@value_class()
class QuestionGroup:
    """Questions that are asked together and settled by one `resolve`.

    `kind` is a stable word (`turn`, `window`, `reaction` …). At most one group of a kind is open. If a group has the
    same kind and serial after a transition as before, it is still the same group: its prompts keep their ids, and its
    answers stand. A new serial opens new prompts.
    """

    kind: str
    serial: int
    questions: tuple[Question, ...]
    closing: ClosingRule
    length: TimeLimit | None
    """The time limit of the answers.

    If it is None, no deadline is shown, and the group stays open until a later event closes it.
    """
    clock: int
    """The step at which the answer time began. If it changes, the time starts again, but prompts keep their ids."""
    earliest: int | None = None
    """Live style: a settling answer is `too_early` until the pace's guard time has passed since this step."""
    lands: int | None = None
    """Live style: an answer is held until the time limit of a reaction has passed since this step."""
    free: tuple[Any, ...] = ()
    """Actions that every asked seat may take as long as the group is open. They need no check by `why_illegal`."""


@value_class()
class ChanceRequest:
    """A random draw that the game needs next.

    `faces` > 0 asks for `count` independent values in 0..faces-1; `faces` == 0 asks for a permutation of 0..count-1.
    `purpose`, `turn` and `index` name the draw. The values follow from this name and do not depend on other draws.
    """

    purpose: str
    turn: int
    index: int
    count: int
    faces: int = 0


class Transition(NamedTuple):
    """The result of a transition: the next state, and the events in order."""

    state: Any
    events: Sequence[Any]


class RedactedEvent(NamedTuple):
    """An event as its viewers may see it: a public part (None if nothing is public) and private parts for seats."""

    public: Any
    private: Mapping[Seat, Sequence[Any]]
    """By seat, in the order in which the seat receives them."""


@value_class()
class Outcome:
    """How a game ended: the place of each seat, and the reason. Place 1 is best; tied seats share a place."""

    places: tuple[int, ...]
    termination: str
    detail: Any = None
    """Data about this game for later games of the match. Only the rules of the same game read it."""


@value_class()
class GameSetup:
    """The inputs of a new game: seat count, 0-based number in the match, style, outcomes of earlier games."""

    seat_count: int
    number: int
    style: Style
    history: Sequence[Outcome] = ()
    """Outcomes of the match's earlier games, oldest first, with places in the order of this game's seats."""
    deal_moves: int = 0
    """Number of seats by which the deal has moved clockwise since the first game.

    If entrants keep their seats, this is the 0-based number of the game. If entrants change seats after each game,
    `deal_moves` is 0: the same seat always deals, but a different entrant sits there in each game.
    """


class Game(Hashable, Protocol):
    """The rules of a game. Its states, actions, events, options and snapshots are frozen values of its own types.

    Every method is a pure function. A state has a `step: int` that grows by one with every transition.
    """

    name: str
    """Stable word on the wire and on the command line, e.g. `cheat`."""
    version: str
    """Version of the rules; results and replays carry it."""
    presets: Sequence[str]

    def build_ruleset(self, preset: str, options: Mapping[str, object]) -> Any:
        """Build and validate a ruleset.

        Raises UnknownNameError for an unknown preset, and OptionsError for invalid options.
        """

    def ruleset_options(self, ruleset: Any) -> Mapping[str, object]:
        """Return all options of a ruleset as plain values; `build_ruleset` reads them back.

        Values are text, numbers, booleans and lists; an unset number is the text `none`.
        """

    def check_seats(self, ruleset: Any, seat_count: int, style: Style) -> None:
        """Raise OptionsError if the ruleset cannot be played with this many seats in this style."""

    def initial_state(self, ruleset: Any, setup: GameSetup) -> Any:
        """Return the state before the deal. This state needs a chance draw."""

    def chance_request(self, state: Any) -> ChanceRequest | None:
        """Return the draw that the game needs before it can continue; None if the game needs no draw."""

    def apply_chance(self, state: Any, values: Sequence[int]) -> Transition:
        """Apply the values drawn for `chance_request`."""

    def open_groups(self, state: Any) -> tuple[QuestionGroup, ...]:
        """Return the open questions; empty when the game is over.

        While a draw is pending, the only open questions are those that stay open after the draw.
        """

    def why_illegal(self, state: Any, seat: Seat, action: Any, kind: str | None = None) -> str | None:
        """Return the code of the rule that forbids this action now; None if the action is legal.

        If `kind` is given, judge the action as an answer to the group of this kind.
        """

    def is_settling(self, action: Any) -> bool:
        """Return whether this answer settles a FIRST or DISPUTED group (a decline does not)."""

    def is_move(self, action: Any) -> bool:
        """Return whether an answer is a move. A move ends the seat's run of automatic moves; a call does not."""

    def resolve(self, state: Any, kind: str, answers: Mapping[Seat, Any]) -> Transition:
        """Settle a group. `answers` are legal; a seat missing from them did not answer."""

    def automatic_action(self, state: Any, seat: Seat, kind: str) -> Any:
        """Return the action for a seat that does not answer.

        The action is deterministic and depends only on facts that the seat may know.
        """

    def leave(self, state: Any, seat: Seat) -> Transition:
        """Remove a seat from the game immediately. This does nothing if the seat is out already."""

    def redact(self, event: Any) -> RedactedEvent:
        """Split an event by who may see what. Only this method and `snapshot` decide about secrecy."""

    def snapshot(self, state: Any, viewer: Seat | None) -> Any:
        """Return everything that the viewer may know of the state. If `viewer` is None, the viewer is a spectator."""

    def outcome(self, state: Any) -> Outcome | None:
        """Return how the game ended; None while it is running."""

    def write_action(self, action: Any) -> str:
        """Return the exact text form of an action; `read_action` reads it back."""

    def read_action(self, text: str) -> Any:
        """Parse the text of `write_action`. Raises NotationError."""

    def event_statistics(self, event: Any) -> Iterable[tuple[Seat, str]]:
        """Return the counters that an event increments, as (seat, counter name); every game counts `turns`."""

    def describe_event(self, event: Any) -> str:
        """Return the event as a sentence that hides nothing, for people who may see everything."""
