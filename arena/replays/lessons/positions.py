"""Finds the positions in which an entrant decided in a recorded game, each as the entrant's seat knew it.

The cards that the seat does not see are erased here, so no later step can use them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.errors import RequestError
from arena.match.game import Game, Seat
from arena.match.referee.facts import GameEnded, GameStarted
from arena.match.referee.inputs import Answer
from arena.match.referee.orders import (
    AnnounceFact,
    Ask,
    DecisionResult,
    DecisionStatus,
    DrawChance,
    Order,
    PromptView,
    TellEvent,
)
from arena.match.referee.replay import Moment, Replay
from arena.match.referee.scalars import EntrantIndex
from arena.match.referee.terms import Terms
from arena.replays.lessons.lesson_model import LessonModel, SeatKnowledge

FIRST_SEAT = Seat(0)


@dataclass(slots=True, eq=False)
class Position:
    """A question that the entrant answered."""

    turn: int
    """Number of moves and passes made in the game before the question."""
    seat: Seat
    prompt: PromptView
    state: Any
    """The state of the game, without everything that the seat does not see."""
    snapshot: Any
    """What the seat saw."""
    hidden: Any
    """What the seat did not see, for `LessonModel.deal`."""
    story_length: int
    """Number of items of `RecordedGame.story` that the seat had received, the question included."""
    action: Any = None
    """What the entrant did; None if none of its answers counted."""


@dataclass(slots=True, eq=False)
class RecordedGame:
    """One game of a match, as one entrant played it."""

    terms: Terms
    number: int
    """The number of the game in the match, from 0."""
    seat: Seat = FIRST_SEAT
    names: tuple[str, ...] = ()
    """The names of the entrants by seat, as far as the entrant knew them."""
    place: int = 0
    """The entrant's place; 0 if the records end before the game does."""
    positions: list[Position] = field(default_factory=list)
    """The questions that the entrant answered, in order."""
    story: list[Any] = field(default_factory=list)
    """The parts of events that the seat received, and its prompts, in order."""


def read_game(
    records: Iterable[bytes], games: Mapping[str, Game], entrant: EntrantIndex, number: int, model: LessonModel
) -> RecordedGame:
    """Read one game of a match. Raises RequestError if the records do not have the game or the model refuses it."""
    replay = Replay(records, games)
    model.check(replay.terms)
    reader = _GameReader(replay, entrant, number, model)
    for moment in replay.moments():
        reader.note(moment)
        if reader.is_over:
            break
    if not reader.has_begun:
        raise RequestError(f"the records end before game {number} begins")
    reader.game.positions = [position for position in reader.game.positions if position.action is not None]
    return reader.game


class _GameReader:
    def __init__(self, replay: Replay, entrant: EntrantIndex, number: int, model: LessonModel) -> None:
        self.game = RecordedGame(replay.terms, number)
        self.has_begun = self.is_over = False
        self._rules = replay.terms.game
        terms = replay.terms
        hidden = [f"entrant {index}" for index in terms.entrant_indices]
        self._names = hidden if terms.anonymous else terms.entrants
        self._referee = replay.referee
        self._entrant = entrant
        self._model = model
        self._turn = 0
        self._knowledge: SeatKnowledge | None = None
        self._asked: list[PromptView] = []
        """Prompts whose positions are not added yet. If a moment ends with a draw, they wait for the next moment."""
        self._open: dict[int, Position] = {}

    def note(self, moment: Moment) -> None:
        for order in moment.orders:
            self._note_order(moment, order)
        if self._asked and not isinstance(moment.orders[-1], DrawChance):
            for prompt in self._asked:
                self._add_position(prompt)
            self._asked.clear()

    def _note_order(self, moment: Moment, order: Order) -> None:
        match order:
            case AnnounceFact(GameStarted(number, entrants)) if number == self.game.number:
                self.has_begun = True
                self.game.seat = Seat(entrants.index(self._entrant))
                self.game.names = tuple([self._names[entrant] for entrant in entrants])
            case AnnounceFact(GameEnded() as ended) if ended.game == self.game.number:
                self.has_begun = self.is_over = True
                self.game.place = ended.places_by_entrant[self._entrant]
            case TellEvent(event) if self.has_begun:
                self._learn(event)
            case Ask(entrant, prompt) if entrant == self._entrant and self.has_begun:
                self._asked.append(prompt)
            case DecisionResult(entrant, status=DecisionStatus.ACCEPTED) if entrant == self._entrant:
                position = self._open.get(order.prompt_id)
                if position is not None and position.action is None and isinstance(moment.entry, Answer):
                    position.action = moment.entry.action
            case _:
                pass

    def _learn(self, event: Any) -> None:
        playing = self._referee.current_game
        if self._knowledge is None and playing is not None:
            self._knowledge = self._model.follow(self.game.seat, playing.state)
        public, private = self._rules.redact(event)
        for part in (public, *private.get(self.game.seat, ())):
            if part is not None:
                self.game.story.append(part)
                if self._knowledge is not None:
                    self._knowledge.learn(part)
        self._turn += sum(word == "turns" for _, word in self._rules.event_statistics(event))

    def _add_position(self, prompt: PromptView) -> None:
        """Add the position of a question, unless the input that opened the question has also closed it."""
        playing, seat = self._referee.current_game, self.game.seat
        if (
            playing is None
            or prompt.id in self._open
            or all(view.id != prompt.id for view, _ in self._referee.prompts_of(self._entrant))
        ):
            return
        self.game.story.append(prompt)
        hidden = None if self._knowledge is None else self._knowledge.hidden_cards()
        self._open[prompt.id] = position = Position(
            turn=self._turn,
            seat=seat,
            prompt=prompt,
            state=self._model.hide(playing.state, seat),
            snapshot=self._rules.snapshot(playing.state, seat),
            hidden=hidden,
            story_length=len(self.game.story),
        )
        self.game.positions.append(position)
