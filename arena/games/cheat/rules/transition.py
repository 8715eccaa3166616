"""Transitions: moves, passes, calls and the ends of windows. Each leads from one state to the next."""

from collections.abc import Mapping

from arena.games.cheat.rules import cut_and_choose
from arena.games.cheat.rules.actions import Action, Believe, Call, Decline, Pass, Play
from arena.games.cheat.rules.call_judging import check_emptied_hand, judge_last_move
from arena.games.cheat.rules.cards import RANK_COUNT, sort_cards, without_cards
from arena.games.cheat.rules.events import Event, Passed, Played, WindowClosed
from arena.games.cheat.rules.flow import advance, banish_pile_if_due, settle_last_move
from arena.games.cheat.rules.questions import TURN_KIND, WINDOW_KIND, automatic_action
from arena.games.cheat.rules.ruleset import Passing
from arena.games.cheat.rules.state import NO_SEATS, Claim, Layer, Phase, State
from arena.games.cheat.rules.tricks import end_exhausted_trick, end_passed_trick, pass_turn_on
from arena.games.cheat.rules.winning import confirm_win
from arena.match.game import Seat, Transition


def resolve(state: State, kind: str, answers: Mapping[Seat, Action]) -> Transition:
    """Settle the open group of this kind. If the seat in turn did not answer, apply its automatic action."""
    if state.phase in cut_and_choose.CUTTING_PHASES:
        return cut_and_choose.resolve(state, answers.get(cut_and_choose.seat_to_act(state)))
    if kind == TURN_KIND:
        seat = state.turn
        match answers.get(seat) or automatic_action(state, seat, TURN_KIND):
            case Play() as move:
                return play(state, seat, move)
            case Pass():
                return pass_turn(state, seat)
            case Call() | Believe() as challenge:
                return judge_last_move(state, {seat: challenge})
            case action:
                raise ValueError(f"{action!r} is not a move")
    if kind != WINDOW_KIND or state.last is None:
        raise ValueError(f"no group {kind!r} is open")
    for answer in answers.values():
        if not isinstance(answer, Decline):
            return judge_last_move(state, answers)
    return close_window(state)


def play(state: State, seat: Seat, move: Play) -> Transition:
    draft = state.draft()
    settled: list[Event] = []
    events: list[Event] = []
    claim = Claim(seat, move.rank, move.count)
    cards = sort_cards(move.cards)
    settle_last_move(draft, settled)
    banish_pile_if_due(draft, settled)
    face_up = draft.compiled_rules.face_up and draft.prev is None
    layer = _lay_cards(draft, claim, cards, face_up)
    _record_move(draft, claim)
    if not (end_passed_trick(draft, events) or end_exhausted_trick(draft, claim, events)):
        pass_turn_on(draft, seat)
    emptied = not draft.sizes[seat]
    if emptied and draft.compiled_rules.rules.honest_win:
        check_emptied_hand(draft, layer, events)
    elif emptied and face_up:
        confirm_win(draft, events)
    advance(draft, events)
    visible = draft.compiled_rules.rules.sizes_visible
    played = Played(seat, cards, move.rank, move.count, emptied, draft.to_move, face_up, visible)
    return Transition(draft, (*settled, played, *events))


def pass_turn(state: State, seat: Seat) -> Transition:
    draft = state.draft()
    events: list[Event] = []
    draft.landed += 1
    draft.passed |= {seat}
    if not end_passed_trick(draft, events):
        pass_turn_on(draft, seat)
    advance(draft, events)
    return Transition(draft, (Passed(seat, draft.to_move), *events))


def close_window(state: State) -> Transition:
    """End a window in which nobody called.

    The move is then settled. But if seats are asked one by one, another seat may have to be asked first.
    """
    if state.phase is not Phase.WINDOW:
        raise ValueError("a window beside a turn does not close by itself")
    draft = state.draft()
    events: list[Event] = []
    draft.phase = Phase.TURN
    if draft.compiled_rules.any_caller or draft.closing:
        settle_last_move(draft, events)
    advance(draft, events)
    return Transition(draft, (WindowClosed(draft.last is None, draft.to_move), *events))


def _lay_cards(draft: State, claim: Claim, cards: bytes, face_up: bool) -> Layer:
    """Move the cards from the mover's hand to the pile, and return the new layer.

    The move may be called unless its cards lie face up.
    """
    seat = claim.seat
    if cards:
        draft.set_hand(seat, without_cards(draft.hands[seat], cards), draft.sizes[seat] - len(cards))
    layer = draft.pile = Layer(claim, cards, draft.pile, face_up)
    draft.last = None if face_up else layer
    draft.prev = claim
    draft.pending = None if draft.sizes[seat] else seat
    return layer


def _record_move(draft: State, claim: Claim) -> None:
    """Count the move, restart the window clocks, and update the passed seats and the required rank."""
    draft.landed += 1
    draft.window_serial += 1
    draft.window_clock = draft.landing = draft.guarded = draft.step
    draft.asked = NO_SEATS
    if draft.compiled_rules.rotates:
        draft.required_rank = (claim.rank + 1) % RANK_COUNT
    passing = draft.compiled_rules.rules.passing
    if passing is Passing.SINGLE_TURN:
        draft.passed |= {claim.seat}
    elif passing is Passing.PASS_TURN:
        draft.passed = NO_SEATS
