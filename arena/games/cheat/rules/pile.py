"""The pile: its layers, and taking or banishing it."""

from collections.abc import Iterator

from arena.games.cheat.rules.cards import Hand, hand_from_moves, merge_hands
from arena.games.cheat.rules.state import Layer, State
from arena.match.game import Seat


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
