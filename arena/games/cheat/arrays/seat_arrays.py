"""The arrays of one table of Cheat: what its seats see and may do, question by question."""

from collections.abc import Sequence
from typing import Any, Final

from arena.games.cheat.arrays.layout import ACTIONS, STEPS
from arena.games.cheat.arrays.macro_choice import MacroChoice
from arena.games.cheat.arrays.observation import NOT_LAYING, ObservationWriter, write_laying
from arena.games.cheat.arrays.seat_memory import SeatMemory
from arena.games.cheat.arrays.step_choice import ANSWERS, StepChoice
from arena.games.cheat.rules.ruleset import Ruleset
from arena.games.cheat.rules.state import State, TurnOptions
from arena.match.game import Question, Seat

_CALL: Final = 1
_BELIEVE: Final = 2
_DECLINE: Final = 3


class CheatSeatArrays:
    """Implements `arena.games.arrays.SeatArrays` for a table of Cheat."""

    def __init__(self, rules: Ruleset, seat_count: int, encoding: str) -> None:
        self.memory = SeatMemory(seat_count)
        self._writer = ObservationWriter(rules, seat_count, self.memory)
        self._steps = StepChoice() if encoding == STEPS else None
        self._macro = MacroChoice()
        self._in_turn = False
        self._asked = 0
        window = bytearray(ACTIONS[encoding].size)
        window[_CALL] = window[_DECLINE] = 1
        window[_BELIEVE] = rules.believe
        self._window_mask = bytes(window)

    def begin(self) -> None:
        self.memory.begin()

    def follow(self, events: Sequence[Any]) -> None:
        self.memory.follow(events)

    def ask(self, state: State, question: Question) -> None:
        options = question.options
        seat = self._asked = question.seat
        self._in_turn = isinstance(options, TurnOptions)
        if isinstance(options, TurnOptions):
            if self._steps is None:
                self._macro.ask(options, state.hands[seat], self.memory.hands[seat])
            else:
                self._steps.ask(options, state.hands[seat], self.memory.hands[seat])

    def mask(self) -> bytes:
        if not self._in_turn:
            return self._window_mask
        return self._macro.mask() if self._steps is None else self._steps.mask()

    def choose(self, action: int) -> Any | None:
        if not self._in_turn:
            return ANSWERS[action]
        return self._macro.choose(action) if self._steps is None else self._steps.choose(action)

    def observe(self, state: State, seat: Seat) -> bytes:
        steps = self._steps
        if steps is None or not self._in_turn or seat != self._asked:
            return self._writer.write(state, seat, NOT_LAYING)
        chosen = steps.laying()
        return self._writer.write(state, seat, NOT_LAYING if chosen is None else write_laying(*chosen))
