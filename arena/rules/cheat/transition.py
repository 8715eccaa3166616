"""Moves, passes, calls and the ends of windows, each a short pipeline from one state to the next."""

from collections.abc import Mapping

from arena.rules.cheat.actions import Action, Call, Pass, Play
from arena.rules.cheat.automatic import automatic
from arena.rules.cheat.calling import call
from arena.rules.cheat.cards import without_cards
from arena.rules.cheat.events import Event, Passed, Played, WindowClosed
from arena.rules.cheat.flow import end_exhausted_trick, end_passed_trick, go_on, pass_turn_on
from arena.rules.cheat.questions import TURN, WINDOW
from arena.rules.cheat.ruleset import Passing
from arena.rules.cheat.state import NO_SEATS, Claim, Layer, Phase, State
from arena.rules.cheat.winning import confirm_win
from arena.rules.game import Seat, Step


def resolve(state: State, kind: str, answers: Mapping[Seat, Action]) -> Step:
    """Settle the open group of this kind; answers are legal, a missing answer to the turn is the automatic move."""
    if kind == TURN:
        return _move(state, answers.get(state.turn) or automatic(state, state.turn, TURN))
    if kind != WINDOW or state.last is None:
        raise ValueError(f"no group {kind!r} is open")
    callers = [seat for seat, answer in answers.items() if isinstance(answer, Call)]
    return call(state, callers) if callers else close_window(state)


def play(state: State, seat: Seat, move: Play) -> Step:
    """Land a card move."""
    draft = state.draft()
    events: list[Event] = []
    claim = Claim(seat, move.rank, move.count)
    cards = bytes(sorted(move.cards))
    confirm_win(draft, events)
    _lay(draft, claim, cards)
    _note_move(draft, claim)
    if not (end_passed_trick(draft, events) or end_exhausted_trick(draft, claim, events)):
        pass_turn_on(draft, seat)
    go_on(draft, events)
    emptied = not draft.sizes[seat]
    return Step(draft, (Played(seat, cards, move.rank, move.count, emptied, draft.to_move), *events))


def pass_turn(state: State, seat: Seat) -> Step:
    """Land a pass."""
    draft = state.draft()
    events: list[Event] = []
    draft.landed += 1
    draft.passed |= {seat}
    if not end_passed_trick(draft, events):
        pass_turn_on(draft, seat)
    go_on(draft, events)
    return Step(draft, (Passed(seat, draft.to_move), *events))


def close_window(state: State) -> Step:
    """End a window in which nobody called: the move is settled."""
    if state.phase is not Phase.WINDOW:
        raise ValueError("the window beside a turn has no end of its own")
    draft = state.draft()
    events: list[Event] = []
    draft.last = None
    confirm_win(draft, events)
    go_on(draft, events)
    return Step(draft, (WindowClosed(True, draft.to_move), *events))


def _move(state: State, action: Action) -> Step:
    if isinstance(action, Play):
        return play(state, state.turn, action)
    if isinstance(action, Pass):
        return pass_turn(state, state.turn)
    raise ValueError(f"{action!r} is no move")


def _lay(draft: State, claim: Claim, cards: bytes) -> None:
    """Bring the cards from the hand to the pile, where they may be called."""
    seat = claim.seat
    if cards:
        draft.set_hand(seat, without_cards(draft.hands[seat], cards), draft.sizes[seat] - len(cards))
    draft.pile = draft.last = Layer(claim, cards, draft.pile)
    draft.prev = claim
    draft.pending = None if draft.sizes[seat] else seat


def _note_move(draft: State, claim: Claim) -> None:
    """Count the move, start its window's clocks, and let it change who has passed."""
    draft.landed += 1
    draft.window_serial += 1
    draft.window_clock = draft.landing = draft.guarded = draft.step
    passing = draft.law.rules.passing
    if passing is Passing.SINGLE_TURN:
        draft.passed |= {claim.seat}
    elif passing is Passing.PASS_TURN:
        draft.passed = NO_SEATS
