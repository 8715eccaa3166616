"""What one entrant was asked in a match, in order, and what became of each question."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from arena.match.facts import FaultKind, GameStarted
from arena.match.inputs import Kind
from arena.match.orders import Announce, Answer, Ask, PromptView, Status, Strike, Tell, Withdraw
from arena.match.replay import Moment, Replay
from arena.replays.lines import Course
from arena.rerun.moments import whole_moments
from arena.rules.game import Closing, Game, Length, Seat


class Fate(Enum):
    """What became of a question."""

    ANSWERED = "answered"
    MISSED = "missed"
    """Its time ran out."""
    OVERTAKEN = "overtaken"
    """Something else closed it before the entrant had answered."""
    LEFT_OPEN = "left_open"
    """It was open when the records ended."""


@dataclass(slots=True)
class Asked:
    """A question that an entrant had time to answer."""

    prompt_id: int
    game: int
    turn: int
    """Moves and passes made in the game before."""
    seat: Seat
    kind: str
    options: Any
    is_optional: bool
    """Who says nothing declines."""
    answer: Any = None
    """The first one that counted, or was held; None: there was none."""
    fate: Fate = Fate.LEFT_OPEN
    automatic: Any = None
    """What was done instead."""

    @property
    def is_comparable(self) -> bool:
        """Whether what was recorded says what the entrant wanted."""
        return self.fate in (Fate.ANSWERED, Fate.MISSED)


def asked_of(records: Iterable[bytes], games: Mapping[str, Game], entrant: int) -> list[Asked]:
    """List all questions that were put to an entrant; those that were closed as they were put are none."""
    replay = Replay(records, games)
    ledger = _Ledger(replay, entrant)
    for moment in whole_moments(replay.moments()):
        ledger.note(moment)
    return list(ledger.asked.values())


class _Ledger:
    """Follows one entrant through a match."""

    def __init__(self, replay: Replay, entrant: int) -> None:
        self.asked: dict[int, Asked] = {}
        self._referee = replay.referee
        self._entrant = entrant
        self._course = Course(replay.terms.game, replay.terms.entrants)
        self._deadlines: dict[int, int | None] = {}
        """Of the open questions, as they stood before the moment."""

    def note(self, moment: Moment) -> None:
        """Take a moment in."""
        for order in moment.orders:
            match order:
                case Announce(GameStarted() as fact):
                    self._course.begin_game(fact, moment.entry.at)
                case Tell(event):
                    self._course.count(event)
                case Ask(entrant, view) if entrant == self._entrant:
                    self._ask(view)
                case Answer(entrant) | Withdraw(entrant) if entrant == self._entrant:
                    self._close(moment, order)
                case Strike(struck) if struck.entrant == self._entrant and struck.kind is FaultKind.MISSING:
                    self._miss(struck.prompt_id, struck.automatic)
                case _:
                    pass
        self._deadlines = {view.id: view.deadline for view, _ in self._referee.prompts_of(self._entrant)}

    def _ask(self, view: PromptView) -> None:
        """Note a new question, unless what has put it has closed it too."""
        group = None if self._referee.playing is None else self._referee.playing.open.get(view.kind)
        if view.id in self.asked or group is None or group.id != view.id:
            return
        is_optional = group.group.closing is not Closing.ALL and group.group.length is not Length.TURN
        course, seat = self._course, self._course.seat_of(self._entrant)
        self.asked[view.id] = Asked(view.id, course.game or 0, course.turn, seat, view.kind, view.options, is_optional)

    def _close(self, moment: Moment, order: Answer | Withdraw) -> None:
        asked = self.asked.get(order.prompt_id)
        if asked is None or asked.fate is not Fate.LEFT_OPEN:
            return
        if isinstance(order, Answer):
            if moment.entry.kind is Kind.ANSWER and order.status in (Status.ACCEPTED, Status.HELD):
                asked.answer, asked.fate = moment.action, Fate.ANSWERED
            return
        deadline = self._deadlines.get(order.prompt_id)
        has_run_out = deadline is not None and moment.entry.at >= deadline
        asked.fate = Fate.MISSED if has_run_out else Fate.OVERTAKEN

    def _miss(self, prompt_id: int, automatic: Any) -> None:
        asked = self.asked.get(prompt_id)
        if asked is not None and asked.fate is Fate.LEFT_OPEN:
            asked.fate, asked.automatic = Fate.MISSED, automatic
