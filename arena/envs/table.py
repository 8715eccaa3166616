"""One table that a learner plays at: it asks one seat at a time, and gives its question as arrays.

    reset ──▶ chance ──▶ question to a seat ──▶ choose ──▶ next question … ──▶ places
                             observation, mask

Seats that are asked at the same time are asked clockwise, one after the other. The rules get their answers together,
so no seat learns of another's answer before it has given its own.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from arena.errors import IllegalActionError
from arena.games.arrays import SeatArrays
from arena.match.game import ChanceRequest, Game, GameSetup, Question, Seat, Style, Transition

NOBODY: Final = -1
"""Stands for no seat: the game is over."""
MAX_TURNS: Final = "max_turns"
"""The termination of a game that the limit of turns stopped, in every game."""


class ChanceSource(Protocol):
    """Draws values for a game. The same game and chance always give the same values."""

    def draw(self, game: int, chance: ChanceRequest) -> Sequence[int]:
        """Return the values of a draw in a game; `game` is its 0-based number."""


class EnvTable:
    """One table, which plays one game after another. Nothing of it is shared with other tables."""

    def __init__(
        self,
        game: Game,
        ruleset: Any,
        seat_count: int,
        arrays: SeatArrays,
        action_count: int,
        keeps_events: bool = False,
    ) -> None:
        """If `keeps_events` is true, `events` lists the events of the game, with all secrets."""
        self._game: Any = game
        self._ruleset = ruleset
        self._arrays: Any = arrays
        self._chance: Any = None
        self._kind = ""
        self._questions: tuple[Question, ...] = ()
        self._position = 0
        self._answers: dict[Seat, Any] = {}
        self._action_count = action_count
        self._mask = bytes(action_count)
        self._keeps_events = keeps_events
        self.events: list[Any] = []
        self.seat_count = seat_count
        self.number = 0
        """The 0-based number of the game."""
        self.state: Any = None
        """The state of the rules, with all secrets."""
        self.seat = NOBODY
        """The seat that is asked; NOBODY if the game is over."""
        self.decisions = 0
        """Number of answers given in this game. In `steps`, an answer takes several actions."""

    def begin_game(self, chance: ChanceSource, number: int) -> None:
        """Deal the game with this number, and ask the first question."""
        self._chance = chance
        self.number = number
        self._arrays.begin()
        self.events = []
        self.decisions = 0
        self.state = self._game.initial_state(self._ruleset, GameSetup(self.seat_count, number, Style.SEALED))
        self._ask_next()

    def mask(self) -> bytes:
        """Return for each action 1 if the seat that is asked may choose it, otherwise 0."""
        return self._mask

    def mask_of(self, seat: int) -> bytes:
        """Return the mask of any seat. It is 0 throughout if the seat is not asked, or has answered.

        Questions that are put to several seats take one action each, so asking again loses nothing.
        """
        if seat == self.seat:
            return self._mask
        for question in self._questions[self._position + 1 :]:
            if question.seat == seat:
                self._arrays.ask(self.state, question)
                mask: bytes = self._arrays.mask()
                self._arrays.ask(self.state, self._questions[self._position])
                return mask
        return bytes(self._action_count)

    def observe(self, seat: int) -> bytes:
        """Return the observation of any seat."""
        observation: bytes = self._arrays.observe(self.state, seat)
        return observation

    def choose(self, action: int) -> None:
        """Take an action of the seat that is asked. Raises IllegalActionError, also after the end."""
        mask = self._mask
        if not 0 <= action < self._action_count or self.seat == NOBODY or not mask[action]:
            raise IllegalActionError(self._why_refused(action))
        answer = self._arrays.choose(action)
        if answer is None:
            self._mask = self._arrays.mask()
            return
        self._take(answer)

    def _take(self, answer: Any) -> None:
        """Take an answer of the seat that is asked, as the rules read it."""
        self.decisions += 1
        self._answers[Seat(self.seat)] = answer
        self._position += 1
        if self._position < len(self._questions):
            self._ask()
        else:
            self._follow(self._game.resolve(self.state, self._kind, self._answers))
            self._ask_next()

    def _why_refused(self, action: int) -> str:
        if self.state is None:
            return "no game has begun: reset the environment before the first action"
        if self.seat == NOBODY:
            return "the game is over: reset the environment before the next action"
        if not 0 <= action < self._action_count:
            return f"action must be 0 to {self._action_count - 1}, got {action}"
        return f"action {action} is illegal for seat {self.seat} now: its mask is 0"

    def _ask_next(self) -> None:
        """Draw what is due, and ask the first seat of the next questions. Without any, the game is over."""
        game = self._game
        while (chance := game.chance_request(self.state)) is not None:
            self._follow(game.apply_chance(self.state, self._chance.draw(self.number, chance)))
        groups = game.open_groups(self.state)
        if not groups:
            self.seat = NOBODY
            self._mask = bytes(self._action_count)
            self._questions = ()
            return
        group = groups[0]
        self._kind = group.kind
        self._questions = group.questions
        self._position = 0
        self._answers = {}
        self._ask()

    def _ask(self) -> None:
        question = self._questions[self._position]
        self.seat = question.seat
        self._arrays.ask(self.state, question)
        self._mask = self._arrays.mask()

    def _follow(self, step: Transition) -> None:
        self.state = step.state
        self._arrays.follow(step.events)
        if self._keeps_events:
            self.events += step.events

    def asked_seats(self) -> list[int]:
        """Return the seats that are asked at the same time and have not answered yet, in the order of asking."""
        return [question.seat for question in self._questions[self._position :]]

    def outcome(self) -> tuple[tuple[float, ...], bool]:
        """Return each seat's reward in the finished game, and whether `max_turns` stopped it."""
        outcome = self._game.outcome(self.state)
        return place_rewards(outcome.places), outcome.termination == MAX_TURNS


def place_rewards(places: Sequence[int]) -> tuple[float, ...]:
    """Return the rewards of places: the share of the others that a seat is ahead of, minus the share ahead of it.

    They lie in [-1, 1], and their sum is 0. Tied seats get the same.

    >>> place_rewards((1, 2, 3)), place_rewards((1, 2, 2))
    ((1.0, 0.0, -1.0), (1.0, -0.5, -0.5))
    """
    others = len(places) - 1
    return tuple(
        [
            (sum([other > place for other in places]) - sum([other < place for other in places])) / others
            for place in places
        ]
    )
