"""Judging a call (spec A7)."""

from collections.abc import Collection

from arena.rules.cheat.cards import is_true
from arena.rules.cheat.events import Called, Event, Overruled
from arena.rules.cheat.flow import go_on
from arena.rules.cheat.state import State, add_to_hand, pile_hand
from arena.rules.cheat.winning import confirm_win
from arena.rules.game import Seat, Step


def call(state: State, callers: Collection[Seat]) -> Step:
    """Judge the last move for the nearest of its callers; the loser takes the whole pile."""
    last = state.last
    if last is None:
        raise ValueError("there is no move to call")
    draft = state.draft()
    events: list[Event] = []
    accused = last.claim.seat
    caller, *others = [seat for seat in state.law.ring[accused] if seat in callers]
    right = not is_truthful(last.cards, last.claim.count, last.claim.rank)
    taker, taken = (accused if right else caller), pile_hand(state)
    _clear_pile(draft)
    add_to_hand(draft, taker, taken)
    _settle_pending(draft, right, events)
    go_on(draft, events)
    check = state.law.rules.check
    verdict = Called(caller, accused, right, last.cards, check, taker, taken, draft.to_move)
    return Step(draft, (verdict, *_overruled(state, others), *events))


def is_truthful(cards: bytes, count: int, rank: int) -> bool:
    """Tell whether cards are what was claimed: as many, and each of the rank or a joker."""
    return len(cards) == count and is_true(cards, rank)


def _clear_pile(draft: State) -> None:
    draft.pile = draft.last = None
    draft.bottom = ()


def _settle_pending(draft: State, right: bool, events: list[Event]) -> None:
    """Cancel the pending win of a liar, make that of an honest mover final."""
    if right:
        draft.pending = None
    else:
        confirm_win(draft, events)


def _overruled(state: State, seats: list[Seat]) -> list[Overruled]:
    """Tell the other callers of a sealed window that a nearer call counted."""
    return [Overruled(seat) for seat in seats] if state.law.sealed else []
