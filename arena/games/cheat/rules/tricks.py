"""Tricks: when one ends, who leads the next one, and who moves next within it (spec A6)."""

from arena.games.cheat.rules.events import Event, TrickEnded
from arena.games.cheat.rules.state import NO_SEATS, Claim, State
from arena.match.game import Seat


def start_trick(draft: State, leader: Seat, events: list[Event]) -> None:
    """Start a new trick, which this seat leads. If a trick is running, it ends."""
    if draft.prev is not None:
        events.append(TrickEnded(leader))
    draft.prev = None
    draft.passed = NO_SEATS
    draft.turn = leader


def end_exhausted_trick(draft: State, claim: Claim, events: list[Event]) -> bool:
    """End the trick if no claim can follow this claim. Return whether the trick ended."""
    compiled = draft.compiled_rules
    if compiled.next_ranks[claim.rank] and compiled.next_counts[claim.count]:
        return False
    leads = compiled.last_mover_leads and draft.sizes[claim.seat]
    start_trick(draft, claim.seat if leads else draft.next_active_seat(claim.seat), events)
    return True


def end_passed_trick(draft: State, events: list[Event]) -> bool:
    """End the trick if all active seats but the last mover have passed. Return whether the trick ended.

    The last mover leads the next trick. If the last mover has no cards left, the next active seat leads it.
    """
    if draft.prev is None or not draft.passed:
        return False
    mover = draft.prev.seat
    if any(size and seat != mover and seat not in draft.passed for seat, size in enumerate(draft.sizes)):
        return False
    start_trick(draft, mover if draft.sizes[mover] else draft.next_active_seat(mover), events)
    return True


def pass_turn_on(draft: State, seat: Seat) -> None:
    """Give the turn to the next active seat after this one.

    If the ruleset makes a pass last for the whole trick (`skips_passed`), seats that have passed are skipped.
    """
    skipped = draft.passed if draft.compiled_rules.skips_passed else NO_SEATS
    for other in draft.compiled_rules.ring[seat]:
        if draft.sizes[other] and other not in skipped:
            draft.turn = other
            return


def give_turn(draft: State, seat: Seat, events: list[Event]) -> None:
    """Give the turn to this seat. If this seat may not move, give the turn to the next seat that may.

    If all active seats but the last mover have passed, the trick ends, and the leader of the next trick is to move.
    """
    if end_passed_trick(draft, events):
        return
    if not draft.sizes[seat] or (draft.prev is not None and draft.compiled_rules.skips_passed and seat in draft.passed):
        pass_turn_on(draft, seat)
    else:
        draft.turn = seat
