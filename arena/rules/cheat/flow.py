"""What comes next: who moves, when a trick ends, whether a window or a turn opens (spec A6, A10, A12.1)."""

from arena.rules.cheat.events import Event, FinalWindowOpened, TrickEnded
from arena.rules.cheat.ruleset import Passing
from arena.rules.cheat.state import NO_SEATS, Claim, Phase, State
from arena.rules.cheat.winning import finish_if_decided, stop_at_guard
from arena.rules.game import Seat


def go_on(draft: State, events: list[Event]) -> None:
    """Open what comes next: the end of the game, a window that nothing else runs beside, or the turn."""
    if finish_if_decided(draft, events):
        return
    closing = is_closing(draft)
    if draft.last is not None and (closing or draft.law.sealed):
        _wait_for_answers(draft, closing, events)
    elif draft.landed >= draft.law.max_turns:
        stop_at_guard(draft, events)
    else:
        begin_turn(draft)


def begin_turn(draft: State) -> None:
    """Begin the turn anew for the seat to move."""
    draft.phase = Phase.TURN
    draft.closing = False
    draft.turn_serial += 1
    draft.turn_clock = draft.step
    if draft.passed and draft.law.rules.passing is Passing.PASS_TURN:
        draft.passed -= {draft.turn}


def is_closing(state: State) -> bool:
    """Tell whether no turn follows a window on the last move: it is a final one, or the last that the guard allows."""
    return state.landed >= state.law.max_turns or is_final(state)


def is_final(state: State) -> bool:
    """Tell whether the last move needs a final window: it emptied a hand and fewer than two others are active."""
    return state.pending is not None and state.active_count() < 2


def end_exhausted_trick(draft: State, claim: Claim, events: list[Event]) -> bool:
    """End the trick if no claim can follow this one."""
    law = draft.law
    if law.next_ranks[claim.rank] and law.next_counts[claim.count]:
        return False
    leads = law.last_mover_leads and draft.sizes[claim.seat]
    _end_trick(draft, claim.seat if leads else draft.next_active(claim.seat), events)
    return True


def end_passed_trick(draft: State, events: list[Event]) -> bool:
    """End the trick if every active seat but the last mover has passed; the last mover leads if it is active."""
    if draft.prev is None or not draft.passed:
        return False
    mover = draft.prev.seat
    if any(size and seat != mover and seat not in draft.passed for seat, size in enumerate(draft.sizes)):
        return False
    _end_trick(draft, mover if draft.sizes[mover] else draft.next_active(mover), events)
    return True


def pass_turn_on(draft: State, seat: Seat) -> None:
    """Give the turn to the next active seat after this one, leaving out those that sit the trick out."""
    skipped = draft.passed if draft.law.skips_passed else NO_SEATS
    for other in draft.law.ring[seat]:
        if draft.sizes[other] and other not in skipped:
            draft.turn = other
            return


def _end_trick(draft: State, leader: Seat, events: list[Event]) -> None:
    draft.prev = None
    draft.passed = NO_SEATS
    draft.turn = leader
    events.append(TrickEnded(leader))


def _wait_for_answers(draft: State, closing: bool, events: list[Event]) -> None:
    draft.phase = Phase.WINDOW
    if closing and not draft.closing and draft.last is not None:
        events.append(FinalWindowOpened(draft.last.claim.seat))
    draft.closing = closing
