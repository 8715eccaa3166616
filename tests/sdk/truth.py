"""Compares a table with the server's true state: it knows all that the seat may know, and nothing wrong."""

from collections import Counter

from arena.games.cheat.rules.cards import are_of_rank, cards_from_hand
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.state import Layer, State
from arena.games.cheat.rules.tricks import count_pile, pile_layers
from arena.games.cheat.rules.view_types import CheatSnapshot
from arena.match.game import Seat
from cheatarena import Table


def check(table: Table, state: State) -> None:
    """Compare all of a table with the state of its game."""
    seen = CHEAT.snapshot(state, Seat(table.seat))
    check_view(table, seen, state)
    check_pile(table, seen, state)
    check_whereabouts(table, state)


def check_view(table: Table, seen: CheatSnapshot, state: State) -> None:
    """Check that a seat has derived exactly what the server's snapshot for it says."""
    assert bytes(table.hand) == cards_from_hand(seen.hand or ())
    assert table.hand_sizes == seen.hand_sizes
    assert table.to_move == seen.to_move
    assert table.turn == seen.landed
    assert table.places == seen.places
    assert table.dealer in (seen.dealer, None)
    assert table.dealer is not None or not (state.packets is None or seen.packets)
    assert table.required_rank == seen.required_rank
    assert [(each.size, each.taker) for each in table.packets] == [(each.size, each.taker) for each in seen.packets]
    assert table.banished_size == seen.banished
    previous = table.previous
    assert (previous and (previous.rank, previous.count)) == (seen.prev and (seen.prev.rank, seen.prev.count))


def check_pile(table: Table, seen: CheatSnapshot, state: State) -> None:
    """Check that claims and cards match the pile, and that sizes are right and visible only where allowed."""
    moves = [layer for layer in seen.pile if layer.rank is not None]
    true = list(reversed(list(pile_layers(state))))
    assert [(each.seat, each.rank, each.count) for each in table.claims] == [(m.seat, m.rank, m.count) for m in moves]
    for claim, move, layer in zip(table.claims, moves, true, strict=True):
        assert claim.laid in (len(layer.cards), None)
        assert claim.laid == move.laid or move.laid is None
        assert claim.cards is None or bytes(claim.cards) == layer.cards
        assert not (is_truth(layer) and table.is_impossible(claim)), f"{claim} is {layer}"
    if true:  # each claim is the last one once
        chance = table.chance(table.claims[-1])
        assert 0 <= chance <= 1
        assert not is_truth(true[-1]) or chance > 0, f"{table.claims[-1]} is {true[-1]}"
    assert table.pile_size in (sum(count_pile(state)), None)
    assert table.pile_size is not None or not state.compiled_rules.rules.sizes_visible
    if state.last is not None:
        last, true_last = table.last_claim, state.last.claim
        assert last is not None
        assert (last.seat, last.rank, last.count) == (true_last.seat, true_last.rank, true_last.count)


def check_whereabouts(table: Table, state: State) -> None:
    """Check that known cards are where the table says, and that no card is seen more often than it exists."""
    for seat, hand in enumerate(state.hands):
        if seat != table.seat:
            certain, possible = Counter(table.known_cards(seat)), Counter(table.seen_cards(seat))
            assert certain <= Counter(cards_from_hand(hand))
            assert certain <= possible
    assert Counter(table.known_pile) <= Counter(cards_from_hand(count_pile(state)))
    assert Counter(table.known_banished) <= Counter(cards_from_hand(state.banished))
    assert all(table.unseen(rank) >= 0 for rank in range(13))


def is_truth(layer: Layer) -> bool:
    """Return whether a move was what it claimed to be."""
    return len(layer.cards) == layer.claim.count and are_of_rank(layer.cards, layer.claim.rank)
