"""Implements `arena.replays.lessons.lesson_model.LessonModel` for Cheat."""

import random
from collections.abc import Sequence
from math import exp
from typing import Any

from arena.errors import RequestError
from arena.games.cheat.lessons import script as cheat_script
from arena.games.cheat.lessons.deals import NoDealError, deal_hidden_cards, doubtful_claim, hide_cards
from arena.games.cheat.lessons.knowledge import CheatSeatKnowledge, HiddenCards, check_rules
from arena.games.cheat.lessons.policy import choose_answer, choose_move, find_alternatives, pile_size, seat_noise
from arena.games.cheat.rules.actions import Action, Play
from arena.games.cheat.rules.call_judging import is_truthful
from arena.games.cheat.rules.call_rights import callers
from arena.games.cheat.rules.questions import TURN_KIND, WINDOW_KIND
from arena.games.cheat.rules.state import Phase, State
from arena.games.cheat.rules.transition import resolve
from arena.match.game import Seat, Style
from arena.match.referee.terms import Terms
from arena.replays.lessons.lesson_model import Playout

_CARDS_OF_A_PLACE = 9.0
"""The scale of `_estimate_place`, in cards: with 9 cards more than another seat, a seat is taken to be ahead of it in
27 % of games. It was chosen, not fitted to games. It mainly affects which decisions are measured."""

_CARDS_OF_A_LAST_CARD = 20.0
"""What is at stake while a seat without cards may be called, beside the pile, in cards. It was chosen, not fitted."""

_ANSWERS_OF_A_MOVE = 4
"""At a table of four, a move has about four answers: the move itself, and three in the window after it."""


class CheatLessons:
    script_class = "Script"
    player = "a player that moves like sample:honest and calls like sample:gambler"

    def check(self, terms: Terms) -> None:
        """Raise RequestError for the live pace and for rules that hide sizes."""
        if terms.pace.style is Style.LIVE:
            raise RequestError("there are no lessons for the live pace: they compare answers to sealed questions")
        check_rules(terms.ruleset)

    def follow(self, seat: Seat, state: State) -> CheatSeatKnowledge:
        return CheatSeatKnowledge(seat, state.compiled_rules)

    def hide(self, state: State, seat: Seat) -> State:
        return hide_cards(state, seat)

    def alternatives(self, state: State, seat: Seat, kind: str, action: Action) -> Sequence[Action]:
        """Return what the seat could do instead in a turn or a window; nothing for cuts and choices of packets."""
        return find_alternatives(state, seat, kind, action) if kind in (TURN_KIND, WINDOW_KIND) else ()

    def stake(self, state: State, seat: Seat, action: Action) -> float:  # noqa: ARG002  it is the same for every seat
        """Return the number of cards that a call would move, and more if a seat is about to lay its last card."""
        laid = len(action.cards) if isinstance(action, Play) else 0
        shortest = min(size for size, place in zip(state.sizes, state.places, strict=True) if not place)
        return pile_size(state) + laid + _CARDS_OF_A_LAST_CARD / (1 + shortest)

    def deal(self, state: State, seat: Seat, hidden: HiddenCards, rng: random.Random, number: int) -> State | None:
        """Return the state with the hidden cards dealt; None if no deal was found.

        With an even `number`, a doubtful claim is a lie; with an odd one, it is true.
        """
        try:
            return deal_hidden_cards(state, seat, hidden, rng, is_lie=number % 2 == 0)
        except NoDealError:
            return None

    def is_lie(self, state: State, seat: Seat) -> bool | None:
        """Return whether the last move is a lie; None if the seat may not call it."""
        if doubtful_claim(state, seat) is None or state.last is None:
            return None
        return not is_truthful(state.last.cards, state.last.claim.count, state.last.claim.rank)

    def play_out(
        self, state: State, seat: Seat, kind: str, action: Action, noise: Sequence[float], max_turns: int
    ) -> Playout:
        last_turn = state.landed + max_turns
        state = resolve(state, kind, _answers(state, noise) | {seat: action}).state
        answer_count = 1
        while state.ended is None and not state.places[seat] and state.landed < last_turn:
            is_window = state.phase is Phase.WINDOW
            answers = _answers(state, noise)
            answer_count += len(answers)
            state = resolve(state, WINDOW_KIND if is_window else TURN_KIND, answers).state
        place = float(state.places[seat] or _estimate_place(state, seat))
        return Playout(place, -(-answer_count // _ANSWERS_OF_A_MOVE))

    def write_script(self, terms: Terms, seat: Seat, story: Sequence[Any]) -> list[str]:
        return cheat_script.write_script(terms, seat, story)

    def write_answer(self, action: Action) -> str:
        return cheat_script.write_answer(action)


def _answers(state: State, noise: Sequence[float]) -> dict[Seat, Action]:
    if state.phase is not Phase.WINDOW:
        return {state.turn: choose_move(state, state.turn, seat_noise(noise, state, state.turn))}
    return {seat: choose_answer(state, seat, seat_noise(noise, state, seat)) for seat in callers(state)}


def _estimate_place(state: State, seat: Seat) -> float:
    """Return the place that a seat may expect, from the sizes of the hands alone.

    It is one more than the expected number of seats ahead. A seat is probably ahead if it has fewer cards.
    """
    own = state.sizes[seat]
    ahead = 0.0
    for other, size in enumerate(state.sizes):
        if other != seat:
            ahead += 1.0 if state.places[other] else 1 / (1 + exp((size - own) / _CARDS_OF_A_PLACE))
    return 1 + ahead


CHEAT_LESSONS = CheatLessons()
"""The only instance of the class, which has no state."""
