"""Plays a game of CHEATER for tests: actions go in as text, and the test chooses dice and shuffles."""

from collections.abc import Sequence
from typing import Any

from arena.games.cheater.rules.cards import card_texts, read_cards
from arena.games.cheater.rules.events import Drew, Event
from arena.games.cheater.rules.game import CHEATER
from arena.games.cheater.rules.scenario_adapter import expectable_facts, position_from_text
from arena.games.cheater.rules.state import Phase, State
from arena.match.game import Outcome, QuestionGroup, Seat, Transition

RED = "RC RH RE RA YT TAKE SHOW"
YELLOW = "YC YH YE YA RT BUST HIDE"
BLUE = "BC BH BE BA PT WILD TAKE"
PURPLE = "PC PH PE PA BT YR RR"
DRAW = "PE PA PR PC PH YR YE BE BR RE"


def start_game(*hands: str, roll: tuple[int, int] | None = (1, 2), draw: str = DRAW, **rest: Any) -> "GameDriver":
    """Start a game with these hands, or with three by default. Seat `start` has rolled, unless `roll` is None."""
    driver = GameDriver(position_from_text(*(hands or (RED, YELLOW, BLUE)), draw=draw, **rest))
    if roll is not None:
        driver.roll(*roll)
    return driver


class GameDriver:
    """A game in progress."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[Event] = []

    def act(self, seat: int, text: str) -> str | None:
        """Let a seat act. Return the code of the rule if the action is refused."""
        action = CHEATER.read_action(text)
        code = CHEATER.why_illegal(self.state, Seat(seat), action)
        if code is None:
            self._step(CHEATER.resolve(self.state, self.kind, {Seat(seat): action}))
        return code

    def acts(self, *moves: str) -> "GameDriver":
        """Let several things happen in turn: `acts("0 draw", "0 discard YT", "roll 1 2", "die 3")`."""
        for move in moves:
            who, _, what = move.partition(" ")
            if who == "roll":
                self.roll(*map(int, what.split()))
            elif who == "die":
                self.draw([int(what) - 1])
            elif who == "leave":
                self.leave(int(what))
            else:
                assert self.act(int(who), what) is None, move
        return self

    def roll(self, *dice: int) -> None:
        """Supply the dice of a turn."""
        assert self.state.phase is Phase.ROLL
        self.draw([value - 1 for value in dice])

    def draw(self, values: Sequence[int] | None = None) -> None:
        """Supply the pending draw. By default, shuffled cards stay in canonical order."""
        chance = CHEATER.chance_request(self.state)
        assert chance is not None
        self._step(CHEATER.apply_chance(self.state, range(chance.count) if values is None else values))

    def leave(self, seat: int, *, shuffle: bool = True) -> None:
        """Let a seat leave, and shuffle its cards in."""
        self._step(CHEATER.leave(self.state, Seat(seat)))
        if shuffle and self.state.leaver is not None:
            self.draw()

    def expire_deadline(self) -> None:
        """Let the open question reach its deadline."""
        group = self.group
        seat = group.questions[0].seat
        answers = {} if self.kind == "reaction" else {seat: CHEATER.automatic_action(self.state, seat, self.kind)}
        self._step(CHEATER.resolve(self.state, self.kind, answers))

    @property
    def kind(self) -> str:
        return self.state.phase.value

    @property
    def group(self) -> QuestionGroup:
        """The group of the open question."""
        (group,) = CHEATER.open_groups(self.state)
        return group

    @property
    def options(self) -> Any:
        """The options of the open question."""
        return self.group.questions[0].options

    @property
    def outcome(self) -> Outcome:
        """How the game ended. The game must be over."""
        outcome = CHEATER.outcome(self.state)
        assert outcome is not None
        return outcome

    @property
    def facts(self) -> dict[str, Any]:
        """All facts that a scenario file may expect, by name."""
        return expectable_facts(self.state, self.events)

    def hand(self, seat: int) -> set[str]:
        """Return a hand in which no card occurs twice."""
        return set(card_texts(self.state.hands[seat]))

    @property
    def sizes(self) -> list[int]:
        return list(map(len, self.state.hands))

    @property
    def draws(self) -> list[tuple[int, str]]:
        """Return the drawing seats and their cards, in order."""
        return [(e.seat, " ".join(card_texts(e.cards))) for e in self.events if isinstance(e, Drew)]

    @property
    def narration(self) -> list[str]:
        """Return the events as sentences."""
        return [CHEATER.describe_event(event) for event in self.events]

    def last(self, kind: type) -> Any:
        """Return the latest event of a kind."""
        return next(event for event in reversed(self.events) if isinstance(event, kind))

    def _step(self, step: Transition) -> None:
        assert step.state.step == self.state.step + 1
        self.state = step.state
        self.events += step.events


def cards(text: str) -> bytes:
    """Return cards in the given order."""
    return read_cards(text.split())
