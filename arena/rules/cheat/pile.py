"""The pile: what lies on it, and where it goes."""

from collections.abc import Iterator

from arena.rules.cheat.cards import Hand, gathered, joined
from arena.rules.cheat.state import Layer, State
from arena.rules.game import Seat


def layers(state: State) -> Iterator[Layer]:
    """Walk through the card moves on the pile, from the top down."""
    layer = state.pile
    while layer is not None:
        yield layer
        layer = layer.below


def pile_hand(state: State) -> Hand:
    """Count the whole pile."""
    return gathered([*(bottom.cards for bottom in state.bottom), *(layer.cards for layer in layers(state))])


def take_pile(draft: State, seat: Seat) -> Hand:
    """Give the whole pile to a seat; gives what was in it."""
    taken = _cleared(draft)
    draft.set_hand(seat, joined(draft.hands[seat], taken), draft.sizes[seat] + sum(taken))
    return taken


def banish_pile(draft: State) -> Hand:
    """Put the whole pile out of the game; gives what was in it."""
    gone = _cleared(draft)
    draft.banished = joined(draft.banished, gone)
    return gone


def _cleared(draft: State) -> Hand:
    cards = pile_hand(draft)
    draft.pile, draft.bottom = None, ()
    return cards
