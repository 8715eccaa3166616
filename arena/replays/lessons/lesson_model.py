"""What a game offers so that lessons can be found: how to follow a seat, deal what it does not see, and play on."""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from arena.match.game import Seat
from arena.match.referee.terms import Terms


class Playout(NamedTuple):
    """How a playout went for the seat that decided."""

    place: float
    """The seat's place; an estimate of it if the playout stopped before the seat had a place."""
    work: int
    """What stands for the time that the playout took: the answers of all seats, in moves of a table of four."""


class SeatKnowledge(Protocol):
    """What one seat has learned in a game."""

    def learn(self, part: Any) -> None:
        """Take in a public or private part of an event, as the game's `redact` shows it to the seat."""

    def hidden_cards(self) -> Any:
        """Return what the seat does not see now, for `LessonModel.deal`; None if this is unknown."""


class LessonModel(Protocol):
    """One game. States, actions and options are values of the game's own types."""

    script_class: str
    """The name of the class of `cheatarena.testing` whose objects `write_script` builds."""
    player: str
    """A phrase for the player that sits in every seat of a playout."""

    def check(self, terms: Terms) -> None:
        """Raise RequestError, with a sentence, if there are no lessons for matches with these terms."""

    def follow(self, seat: Seat, state: Any) -> SeatKnowledge:
        """Return what a seat knows before the deal. Only the rules and the seats of `state` are read."""

    def hide(self, state: Any, seat: Seat) -> Any:
        """Return the state without everything that the seat does not see."""

    def alternatives(self, state: Any, seat: Seat, kind: str, action: Any) -> Sequence[Any]:
        """Return what the seat could do instead of `action`. Reads only what the seat sees."""

    def stake(self, state: Any, seat: Seat, action: Any) -> float:
        """Return roughly how much is at stake in a decision: the higher, the more it may have cost.

        Reads only what the seat sees. A search with too many decisions looks at those with the highest stakes.
        """

    def deal(self, state: Any, seat: Seat, hidden: Any, rng: random.Random, number: int) -> Any:
        """Return the state with what is hidden dealt at random; None if no deal was found.

        `number` counts the deals of a position from 0. A game may use it to deal certain cases equally often.
        """

    def is_lie(self, state: Any, seat: Seat) -> bool | None:
        """Return whether the move that the seat may call is a lie in this deal; None if it may call none."""

    def play_out(
        self, state: Any, seat: Seat, kind: str, action: Any, noise: Sequence[float], max_turns: int
    ) -> Playout:
        """Take an action, and play on until the seat has its place or `max_turns` moves and passes were made.

        `noise` has the random numbers of the players, each from 0 to 1.
        """

    def write_script(self, terms: Terms, seat: Seat, story: Sequence[Any]) -> list[str]:
        """Return Python statements that rebuild the messages to a seat in a game, with `cheatarena.testing`.

        The first statement defines the variable `story`. The argument `story` has the parts of events that the seat
        received, and its prompts, in order.
        """

    def write_answer(self, action: Any) -> str:
        """Return a Python expression that makes an action with the classes of the SDK."""
