"""Tricks and their pile: when one ends, who leads the next one, who moves next within it (spec A6), what lies there."""

from collections.abc import Iterator

from arena.games.cheat.rules.cards import Hand, hand_from_moves, merge_hands
from arena.games.cheat.rules.events import Event, TrickEnded
from arena.games.cheat.rules.state import NO_SEATS, Claim, Layer, State
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


def pile_layers(state: State) -> Iterator[Layer]:
    """Yield the card moves on the pile, from the top down."""
    layer = state.pile
    while layer is not None:
        yield layer
        layer = layer.below


def count_pile(state: State) -> Hand:
    """Return the whole pile as a hand."""
    return hand_from_moves([*[bottom.cards for bottom in state.bottom], *[layer.cards for layer in pile_layers(state)]])


def take_pile(draft: State, seat: Seat) -> Hand:
    """Give the whole pile to a seat, and return the cards of the pile."""
    taken = _clear_pile(draft)
    draft.set_hand(seat, merge_hands(draft.hands[seat], taken), draft.sizes[seat] + sum(taken))
    return taken


def banish_pile(draft: State) -> Hand:
    """Remove the whole pile from the game, and return the cards of the pile."""
    cards = _clear_pile(draft)
    draft.banished = merge_hands(draft.banished, cards)
    return cards


def _clear_pile(draft: State) -> Hand:
    cards = count_pile(draft)
    draft.pile, draft.bottom = None, ()
    return cards
