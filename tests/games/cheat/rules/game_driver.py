"""Plays a game of Cheat for tests: one action after the other, without a clock."""

from typing import Any

from arena.games.cheat.rules.actions import CALL, Action, Believe, Call, Decline, Play
from arena.games.cheat.rules.cards import RANK_CODES, read_cards
from arena.games.cheat.rules.events import Event
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.scenario_adapter import answer_words, expectable_facts, position_from_text
from arena.games.cheat.rules.state import State
from arena.match.game import Outcome, QuestionGroup, Seat, Style, Transition


def lay(cards: str, rank: str, count: int | None = None) -> Play:
    """Build a play from its text: `lay("KS 4D", "K")` claims two kings."""
    codes = bytes(sorted(read_cards(cards.split())))
    return Play(codes, len(codes) if count is None else count, RANK_CODES[rank])


def start_game(*hands: str, start: int = 0, pile: str = "", sealed: bool = False, **options: Any) -> "GameDriver":
    """Start a game with these hands: `start_game("KS 4D", "QS 9D", passing="pass_turn")`."""
    style = Style.SEALED if sealed else Style.LIVE
    return GameDriver(position_from_text(*hands, start=start, pile=pile, style=style, **options))


class GameDriver:
    """A game in progress. Sealed answers are collected until all prompted seats have answered."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[Event] = []
        self.answers: dict[Seat, Action] = {}

    def act(self, seat: int, action: Action) -> str | None:
        """Let a seat act. Return the code of the rule if the action is refused."""
        place = Seat(seat)
        if place in self.answers and isinstance(action, Call | Decline):
            return "not_asked"
        code = CHEAT.why_illegal(self.state, place, action)
        if code is None:
            self._take(place, action)
        return code

    def play(self, seat: int, cards: str, rank: str, count: int | None = None) -> str | None:
        return self.act(seat, lay(cards, rank, count))

    def call(self, *seats: int) -> None:
        """Let seats call in the same instant."""
        for seat in seats:
            assert CHEAT.why_illegal(self.state, Seat(seat), CALL) is None
        self._step(CHEAT.resolve(self.state, "window", dict.fromkeys(map(Seat, seats), CALL)))

    def leave(self, seat: int) -> None:
        self.answers.pop(Seat(seat), None)
        self._step(CHEAT.leave(self.state, Seat(seat)))
        self._close_if_complete()

    def close_window(self) -> None:
        """Let the time of the window run out."""
        self._step(CHEAT.resolve(self.state, "window", dict(self.answers)))

    def expire_deadline(self) -> Seat | None:
        """Let the open window or turn reach its deadline. Return the seat for which a move was made, if any."""
        kinds = [group.kind for group in self.groups]
        if "turn" not in kinds:
            self.close_window()
            return None
        seat = self.state.turn
        self._step(CHEAT.resolve(self.state, "turn", {seat: CHEAT.automatic_action(self.state, seat, "turn")}))
        return seat

    @property
    def groups(self) -> tuple[QuestionGroup, ...]:
        return CHEAT.open_groups(self.state)

    @property
    def outcome(self) -> Outcome:
        """How the game ended. The game must be over."""
        outcome = CHEAT.outcome(self.state)
        assert outcome is not None
        return outcome

    def group(self, kind: str) -> QuestionGroup:
        """Return the open group of this kind."""
        return next(group for group in self.groups if group.kind == kind)

    @property
    def seats_asked(self) -> list[int]:
        """Seats that a window still waits for."""
        return sorted(
            q.seat for g in self.groups if g.kind == "window" for q in g.questions if q.seat not in self.answers
        )

    @property
    def facts(self) -> dict[str, Any]:
        """All facts that a scenario file may expect, by name."""
        kinds = {group.kind for group in self.groups}
        offers = {word for group in self.groups for word in answer_words(group.kind, group.questions[0].options)}
        turn = self.state.turn if "turn" in kinds else None
        asked = {"window": self.seats_asked if "window" in kinds else None, "turn": turn, "kinds": sorted(offers)}
        return {**expectable_facts(self.state, self.events), "asked": asked}

    def _take(self, seat: Seat, action: Action) -> None:
        kinds = [group.kind for group in self.groups]
        if not isinstance(action, Call | Believe | Decline) or "window" not in kinds:
            self._step(CHEAT.resolve(self.state, kinds[0], {seat: action}))
        elif self.state.compiled_rules.sealed:
            self.answers[seat] = action
            self._close_if_complete()
        elif not isinstance(action, Decline):
            self._step(CHEAT.resolve(self.state, "window", {seat: action}))

    def _close_if_complete(self) -> None:
        if self.state.compiled_rules.sealed and self.answers and not self.seats_asked:
            self.close_window()

    def _step(self, step: Transition) -> None:
        serials = [(group.kind, group.serial) for group in self.groups]
        self.state = step.state
        self.events += step.events
        if not any((group.kind, group.serial) in serials for group in self.groups if group.kind == "window"):
            self.answers = {}
